"""Sketches keep the errors that they promise, and hold no more than they must."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.core.algebra import fold
from slackwater.core.sketches import Distinct, Quantile, Sketch
from slackwater.core.sketches import _estimates as estimates
from slackwater.core.sketches import _registers as registers
from slackwater.core.sketches import _tau as tau

NUMBERS = (
    st.floats(1e-300, 1e12).map(lambda x: -x)
    | st.floats(1e-300, 1e300)
    | st.sampled_from([-1.0, 0.0, 1.0, 2.0, math.inf, -math.inf])
)


def value_of(sketch: Sketch, values: np.ndarray) -> float:
    return sketch.lower(fold(sketch, values, None, np.zeros(len(values), np.int64), 1))[0][0]


def within(truth: float, accuracy: float) -> dict[str, float]:
    return {"rel": 0, "abs": accuracy * abs(truth) * (1 + 1e-9) if math.isfinite(truth) else 0}


@settings(max_examples=300, deadline=None)
@given(
    numbers=st.lists(NUMBERS, min_size=1, max_size=60),
    q=st.floats(0, 1),
    accuracy=st.sampled_from([0.0001, 0.01, 0.2, 0.5]),
)
def test_a_quantile_is_within_its_accuracy_whatever_the_numbers(numbers, q, accuracy):
    rank = max(len(numbers) - math.floor(len(numbers) - q * len(numbers)), 1)
    truth = sorted(numbers)[rank - 1]
    assert truth == pytest.approx(value_of(Quantile(q, accuracy), np.array(numbers)), **within(truth, accuracy))


def test_the_largest_numbers_have_buckets_too():
    most = np.finfo(np.float64).max
    assert most == pytest.approx(value_of(Quantile(1.0), np.array([most])), rel=0.01)


def test_nan_is_larger_than_any_number():
    numbers = np.array([np.nan, np.inf, 1.0])
    assert [True, False] == [math.isnan(value_of(Quantile(q), numbers)) for q in (1.0, 0.6)]


def test_infinities_lie_beyond_all_numbers():
    numbers = np.array([np.inf, -np.inf, 1e308, -1e308, 0.0])
    found = [value_of(Quantile(q), numbers) for q in (0.2, 0.4, 0.6, 0.8, 1.0)]
    assert [-np.inf, 0.0, np.inf] == [found[0], found[2], found[4]]
    assert (-1e308, 1e308) == (pytest.approx(found[1], rel=0.01), pytest.approx(found[3], rel=0.01))


def test_numbers_next_to_zero_are_zero():
    assert 0.0 == value_of(Quantile(0.5), np.array([-1e-310, 0.0, -0.0]))


def test_a_quantile_of_many_numbers_holds_few_buckets():
    numbers = np.random.default_rng(1).lognormal(0, 1, 100_000)
    maps = fold(Quantile(0.5), numbers, None, np.zeros(len(numbers), np.int64), 1)[0]
    assert len(maps.keys) <= 115 * (1 + np.log10(numbers.max() / numbers.min()))


@pytest.mark.parametrize("count", [0, 1, 2, 10])
def test_a_few_different_values_are_counted_exactly(count):
    assert count == value_of(Distinct(), np.arange(count * 7) % max(count, 1))


@pytest.mark.parametrize("count", [100, 3_000, 10_000, 300_000])
def test_the_standard_error_of_a_distinct_count_is_at_most_what_was_asked_for(count):
    """200 counts: that their mean square error exceeds 1.25 times the promised one has a chance below 1e-6."""
    repeats = 200 if count <= 10_000 else 30
    values = np.arange(count * repeats)
    slot = values // count
    found = Distinct(0.04).lower(fold(Distinct(0.04), values, None, slot, repeats))[0]
    assert np.sqrt(np.mean((found / count - 1) ** 2)) <= 1.25 * 1.04 / np.sqrt(2 ** Distinct(0.04).bits)


@pytest.mark.parametrize(("error", "bits"), [(0.25, 5), (0.05, 9), (0.02, 12), (0.005, 16)])
def test_there_are_as_few_registers_as_the_error_allows(error, bits):
    assert bits == Distinct(error).bits
    assert 1.04 / 2 ** (bits / 2) <= error < 1.04 / 2 ** ((bits - 1) / 2)


@pytest.mark.parametrize("sketch", [Quantile(0.5), Distinct()], ids=lambda each: type(each).__name__)
def test_a_cell_holds_no_more_keys_than_it_has_events(sketch):
    values = np.random.default_rng(1).normal(size=300)
    maps = fold(
        sketch, values if isinstance(sketch, Quantile) else values.view(np.int64), None, np.arange(300) // 3, 100
    )
    assert np.diff(maps[0].starts).max() <= 3


def test_half_of_the_values_have_their_first_bit_at_once_and_a_quarter_at_the_second_place():
    _, place = registers(np.arange(2_000), 8)
    assert pytest.approx([0.5, 0.25, 0.125], abs=0.03) == [float(np.mean(place == bit)) for bit in (1, 2, 3)]


def test_values_are_spread_over_all_registers():
    register, _ = registers(np.arange(2_000), 4)
    assert pytest.approx([125] * 16, abs=45) == np.bincount(register, minlength=16).tolist()


@pytest.mark.parametrize("bits", [4, 8, 16])
def test_registers_are_those_of_splitmix64_for_ever(bits):
    """States that were stored hold them: another hash would count every value twice."""
    values = [*range(-60, 60), 2**63 - 1, -(2**63), *(7**n for n in range(22))]
    register, place = registers(np.array(values), bits)
    assert [_register(value, bits) for value in values] == list(zip(register.tolist(), place.tolist(), strict=True))


def test_a_hash_without_any_bit_behind_its_register_has_the_place_after_the_last():
    zero = np.array([0x61C8864680B583EB])  # splitmix64 makes 0 of it
    assert [[0], [61]] == [each.tolist() for each in registers(zero, 4)]


@pytest.mark.parametrize("filled", [0, 1, 9, 16])
@pytest.mark.parametrize("last", [2, 61])
def test_an_estimate_is_that_of_ertl(filled, last):
    places = np.random.default_rng(filled).integers(1, last + 1, filled).astype(np.uint8)
    places[filled // 2 :] = last
    starts = np.array([0, filled])
    assert [_ertl(places.tolist(), 4)] == estimates(starts, places, 4).tolist()


@pytest.mark.parametrize("share", [0.0625, 0.5, 0.9375])
def test_what_full_registers_stand_for_is_the_sum_of_ertl(share):
    terms = ((1 - share ** (2**-k)) ** 2 * 2**-k for k in range(1, 60))
    assert (1 - share - sum(terms)) / 3 == pytest.approx(tau(share))


def _register(value: int, bits: int) -> tuple[int, int]:
    """The register of a value and the place of the first one, with whole numbers of any size."""
    mixed = (value + 0x9E3779B97F4A7C15) % 2**64
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB % 2**64
    mixed ^= mixed >> 31
    register, rest = divmod(mixed, 2 ** (64 - bits))
    return register, 64 - bits - rest.bit_length() + 1


def _ertl(places: list[int], bits: int) -> int:
    """Ertl 2017, equation 18, term by term."""
    m, q = 2**bits, 64 - bits
    if not places:
        return 0
    empty, full = 1 - len(places) / m, 1 - places.count(q + 1) / m
    sigma = math.inf if empty == 1 else empty + sum(empty ** (2**k) * 2 ** (k - 1) for k in range(1, 12))
    tau = (1 - full - sum((1 - full ** (2**-k)) ** 2 * 2**-k for k in range(1, 60))) / 3 if full > 0 else 0.0
    level = m * sigma + sum(2.0**-place for place in places if place <= q) + m * tau * 2.0**-q
    return round(m * m / (2 * math.log(2) * level))


def test_each_slot_has_a_quantile_of_its_own():
    values, slots = np.array([1.0, 2.0, 3.0, 10.0, 20.0, 30.0, 40.0]), np.array([0, 0, 0, 2, 2, 2, 2])
    found, valid = Quantile(0.5).lower(Quantile(0.5).fold(values, None, slots, 3))
    assert ([True, False, True], pytest.approx([2, 20], rel=0.01)) == (valid.tolist(), found[valid].tolist())
