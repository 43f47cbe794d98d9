"""The four predictors that SSG17 Table 1 compares, on scikit-learn: `pip install 'slackwater[tuner]'`.

Each is deterministic: the same rows give the same predictions, so that a memory of the rows is all that a tuner has to
save. scikit-learn is imported when the first one is made.
"""

from __future__ import annotations

import warnings
from typing import Any, Literal, Protocol, TypeAlias, get_args

import numpy as np

from slackwater.errors import ParameterError
from slackwater.estimate.arrays import Floats

Method: TypeAlias = Literal["gaussian", "linear", "isotonic", "svm"]
METHODS: tuple[Method, ...] = get_args(Method)


class Predictor(Protocol):
    """Learns a number from rows of features. Whatever has these two methods can be plugged in."""

    def fit(self, rows: Floats, values: Floats) -> Any:
        """Learn."""

    def predict(self, rows: Floats) -> Floats:
        """Return what is to be expected for each row."""


def predictor(method: str) -> Predictor:
    """Make a predictor by name: "gaussian" (the default of SSG17), "linear", "isotonic" or "svm".

    >>> rows, values = np.array([[0.0], [1.0], [2.0]]), np.array([1.0, 3.0, 5.0])
    >>> line = predictor("linear")
    >>> _ = line.fit(rows, values)
    >>> line.predict(np.array([[4.0]])).round(6).tolist()
    [9.0]
    """
    if method not in METHODS:
        raise ParameterError("method", method, must="be known", remedy=f"use one of {', '.join(METHODS)}")
    try:
        return _MAKERS[method]()
    except ImportError as error:
        raise ParameterError(
            "method", method, must="have scikit-learn", remedy="pip install 'slackwater[tuner]'"
        ) from error


def _gaussian() -> Predictor:
    """Gaussian process: a length scale for each feature, and noise."""
    from sklearn.gaussian_process import GaussianProcessRegressor  # type: ignore[import-untyped]
    from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel  # type: ignore[import-untyped]
    from threadpoolctl import threadpool_limits  # type: ignore[import-not-found,import-untyped,unused-ignore]

    class Gaussian:
        """Standardizes, leaves out features that never change, and fits the kernel to at most 500 rows."""

        def fit(self, rows: Floats, values: Floats) -> Any:
            self._center, scale = rows.mean(axis=0), rows.std(axis=0)
            self._used = np.flatnonzero(scale > 0)
            self._scale = scale[self._used]
            self._mean = float(values.mean())
            if not len(self._used) or np.ptp(values) == 0:
                self._process = None
                return self
            kernel = ConstantKernel(1.0, (1e-3, 1e3)) * Matern(
                np.ones(len(self._used)), (1e-2, 1e3), nu=1.5
            ) + WhiteKernel(0.1, (1e-6, 1e1))
            scaled, some = self._scaled(rows), _evenly(len(rows), _KERNEL_ROWS)
            # Small matrices: several threads would cost more than they bring, twenty times as much on a busy machine.
            with threadpool_limits(1), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that a length scale is at its bound is nothing to worry about
                found = GaussianProcessRegressor(kernel, normalize_y=True).fit(scaled[some], values[some])
                self._process = GaussianProcessRegressor(found.kernel_, optimizer=None, normalize_y=True)
                self._process.fit(scaled, values)
            return self

        def predict(self, rows: Floats) -> Floats:
            if self._process is None:
                return np.full(len(rows), self._mean)
            return np.asarray(self._process.predict(self._scaled(rows)), np.float64)

        def _scaled(self, rows: Floats) -> Floats:
            scaled: Floats = (rows[:, self._used] - self._center[self._used]) / self._scale
            return scaled

    return Gaussian()


def _linear() -> Predictor:
    from sklearn.linear_model import LinearRegression  # type: ignore[import-untyped]

    made: Predictor = LinearRegression()
    return made


def _isotonic() -> Predictor:
    """Isotonic regression knows one feature: the one that explains the values best."""
    from sklearn.isotonic import IsotonicRegression  # type: ignore[import-untyped]

    class BestFeature:
        def fit(self, rows: Floats, values: Floats) -> Any:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a feature that explains nothing is not taken
                fits = [
                    IsotonicRegression(increasing="auto", out_of_bounds="clip").fit(column, values) for column in rows.T
                ]
            errors = [float(np.square(fit.predict(c) - values).sum()) for fit, c in zip(fits, rows.T, strict=True)]
            self._column = int(np.argmin(errors))
            self._fit = fits[self._column]
            return self

        def predict(self, rows: Floats) -> Floats:
            return np.asarray(self._fit.predict(rows[:, self._column]), np.float64)

    return BestFeature()


def _svm() -> Predictor:
    from sklearn.compose import TransformedTargetRegressor  # type: ignore[import-untyped]
    from sklearn.pipeline import make_pipeline  # type: ignore[import-untyped]
    from sklearn.preprocessing import StandardScaler  # type: ignore[import-untyped]
    from sklearn.svm import SVR  # type: ignore[import-untyped]

    scaled = make_pipeline(StandardScaler(), SVR(C=10))
    made: Predictor = TransformedTargetRegressor(scaled, transformer=StandardScaler())
    return made


def _evenly(rows: int, most: int) -> Any:
    """Return at most so many row numbers, evenly spread."""
    return np.unique(np.linspace(0, rows - 1, min(rows, most)).astype(np.int64))


_KERNEL_ROWS = 300  # fitting the kernel costs the cube of the rows, again and again
_MAKERS = {"gaussian": _gaussian, "linear": _linear, "isotonic": _isotonic, "svm": _svm}
