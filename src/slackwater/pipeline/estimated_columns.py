"""From estimates to columns of results: values in the type of the column, and bounds as float64."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from slackwater.core.segments import Column
    from slackwater.pipeline.early_estimates import Estimates
    from slackwater.time import Mask


def estimated_columns(
    estimates: Estimates, row: int, numbers: Column, valid: Mask | None, kind: pa.DataType
) -> tuple[Any, pa.Array[Any], pa.Array[Any]]:
    """Return the values of a function with its bounds; `numbers` are the values without estimates.

    Of a final result, both bounds are the value. There are none (null) where the value is null, or not yet known.
    """
    expected, low, high = estimates.value[row], estimates.low[row], estimates.high[row]
    final = np.isnan(expected)
    value = np.where(final | (expected == numbers), numbers, _fitted(expected, numbers.dtype, kind))
    shown = value.astype(np.float64)
    low = np.where(final, shown, np.minimum(low, shown))
    high = np.where(final, shown, np.maximum(high, shown))
    unknown = np.isnan(low) | np.isnan(high) if valid is None else np.isnan(low) | np.isnan(high) | ~valid
    return value, pa.array(low, mask=unknown), pa.array(high, mask=unknown)


def _fitted(expected: Any, dtype: Any, kind: pa.DataType) -> Any:
    """Return estimates in the type that a function gives: whole numbers are rounded, within what the type can hold."""
    if not pa.types.is_integer(kind):
        return expected
    bounds = np.iinfo(str(kind))
    least, most = float(bounds.min), float(bounds.max) if kind.bit_width < 64 else float(2**63 - 1024)
    return np.clip(np.rint(np.nan_to_num(expected)), least, most).astype(dtype)
