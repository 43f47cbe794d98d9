"""JI16 Fig. 7: average slack and fulfillment over the target, with both models of selectivity."""

from __future__ import annotations

from collections.abc import Iterator

from slackwater.contracts import Contract, MaxSlack, Recall
from slackwater.experiments.frame.claims import Claim, Judged, at_least, by_cell, rises
from slackwater.experiments.frame.description import Cell, Column, Experiment, Plot, Row
from slackwater.experiments.frame.hindsight import Hindsight
from slackwater.experiments.frame.ji16 import NEARLY, PHI, SLACK, TABLE, over, searched
from slackwater.experiments.frame.joins import figures, run
from slackwater.experiments.frame.rows import Rows

HINDSIGHT_SHARE = 0.97  # of Φ(.99Γ): what the document says its approach reaches throughout
_SETS = ["soccer", "syn3", "syn4"]
_POLICIES = [
    "NonEqSel",
    "EqSel",
    "NonEqSel, deficit spread",
    "EqSel, deficit spread",
    "EqSel without eq. 7",
    "slackwater default",
    "hindsight constant",
    "Max-K-slack",
]


def run_cell(cell: Cell) -> Iterator[Row]:
    """Run one policy for one target."""
    if cell["policy"] == "hindsight constant":
        hindsight = Hindsight.of(cell, cell["target"])
        yield hindsight.figures(hindsight.constant(HINDSIGHT_SHARE))
    else:
        yield figures(run(cell, _contract(cell), way="ji16"), cell["target"])


def _contract(cell: Cell) -> Contract:
    match cell["policy"]:
        case "NonEqSel":
            return searched(cell)
        case "EqSel":
            return searched(cell, selectivity="eq")
        case "NonEqSel, deficit spread":
            return searched(cell, calibration="spread")
        case "EqSel, deficit spread":
            return searched(cell, selectivity="eq", calibration="spread")
        case "EqSel without eq. 7":
            return searched(cell, selectivity="eq", calibration="none")
        case "slackwater default":
            return Recall(cell["target"])
        case _:
            return MaxSlack()


def _reduction(name: str, target: float, at_least_: float) -> Claim:
    def check(rows: Rows) -> Judged:
        own, longest = (
            rows.where(set=name, target=target, policy=policy).mean("average_slack_s")
            for policy in ("NonEqSel", "Max-K-slack")
        )
        return Judged(f"{1 - own / longest:.0%} less", 1 - own / longest >= at_least_)

    says = f"{name}, Γ = {target}: the average K is reduced by {'more than ' * (target == 0.99)}{at_least_:.0%}"
    return Claim(f"{says}, compared with Max-K-slack", "Sec. VI-B", check, why=_SWINGS)


def _more_slack(rows: Rows) -> Judged:
    pairs = [
        [rows.where(set=name, target=target, policy=policy).mean("average_slack_s") for policy in ("EqSel", "NonEqSel")]
        for name in rows.distinct("set")
        for target in rows.distinct("target")
    ]
    higher = sum(noneq >= eq for eq, noneq in pairs)
    return Judged(f"in {higher} of {len(pairs)} cases", higher == len(pairs))


def _syn3_better(rows: Rows) -> Judged:
    eq, noneq = (rows.where(set="syn3", policy=policy).spread("phi") for policy in ("EqSel", "NonEqSel"))
    return Judged(f"mean Φ(Γ) {noneq.text('%')} against {eq.text('%')}", noneq.mean > eq.mean + 0.02)


def _default_waits_less(rows: Rows) -> Judged:
    """Compare with the document's better model wherever both were run."""
    cells = [group[0] for group in by_cell(rows.where(policy="NonEqSel"))]
    ratios = []
    for cell in cells:
        same = rows.where(set=cell["set"], target=cell["target"])
        own, theirs = (same.where(policy=name).mean("average_slack_s") for name in ("slackwater default", "NonEqSel"))
        ratios.append(own / theirs)
    return Judged(f"{min(ratios):.3g} to {max(ratios):.3g} of the slack of NonEqSel", max(ratios) < 1)


_SWINGS = (
    "Eq. 7 as printed makes good the deficit of a whole period within one interval, so the target of most intervals is "
    "all results and the slack swings between nothing and the largest delay. If the deficit is spread over the period, "
    "which are lines of their own, NonEqSel waits longer than EqSel in all six cases of the small scale, and on soccer "
    "at Γ = 0.99 93 % less than Max-K-slack (five seeds): nearly what the document says."
)

EXPERIMENT = Experiment(
    document="JI16",
    section="Sec. VI-B, Fig. 7",
    title="Average slack and fulfillment over the recall target",
    about="Alg. 3 with both models of selectivity, P = 1 minute, L = 1 s, b = g = 10 ms. Beside them our default for "
    f"the same contract, and in hindsight the smallest constant slack with Φ(.99Γ) of at least {HINDSIGHT_SHARE:.0%}.",
    grids={
        "smoke": [
            {"set": "soccer", "duration": "65 seconds", "target": 0.9, "policy": policy}
            for policy in ("NonEqSel", "slackwater default")
        ],
        "small": over(_SETS, short=True, target=[0.9, 0.99], policy=_POLICIES),
        "paper": over(_SETS, short=False, target=[0.8, 0.9, 0.95, 0.99, 0.999], policy=_POLICIES),
    },
    run=run_cell,
    claims=(
        Claim(
            "the average K goes up as Γ increases",
            "Sec. VI-B",
            rises("average_slack_s", "target", "s", policy="NonEqSel"),
        ),
        Claim("NonEqSel produces a bit higher average K than EqSel", "Sec. VI-B", _more_slack, why=_SWINGS),
        Claim(
            "Φ(Γ) of NonEqSel is significantly higher than that of EqSel for D_syn x3",
            "Sec. VI-B",
            _syn3_better,
            why="With eq. 7 as printed both keep the target in nearly all periods, so there is little to tell. Without "
            "eq. 7, at Γ = 0.9, NonEqSel has 100 % and EqSel 62 % (once, seed 1): as the document says.",
        ),
        Claim(
            "NonEqSel achieves a Φ(.99Γ) of at least 97 % for all sets and Γ",
            "Sec. VI-B",
            at_least(0.97, "phi_nearly", "%", policy="NonEqSel"),
            why="The slack swings: after a period with a surplus the target of an interval is 0, and what is lost then "
            "is missing from the measurements that follow.",
        ),
        _reduction("soccer", 0.99, 0.95),
        _reduction("soccer", 0.999, 0.35),
        Claim(
            "(ours) the default waits less than the document's controller on every set and target",
            "our aim",
            _default_waits_less,
        ),
        Claim(
            "(ours) the default has a Φ(.99Γ) of at least 97 % for all sets and Γ",
            "our aim",
            at_least(0.97, "phi_nearly", "%", policy="slackwater default"),
            why="Short streams: the first violations come before anything was learned.",
        ),
    ),
    table=TABLE,
    plots=tuple(
        Plot(
            heading=heading,
            caption=caption,
            x=Column("target", "recall target Γ"),
            y=y,
            lines=("policy",),
            panels=("set",),
            y_log=log,
        )
        for heading, caption, y, log in (
            ("Average slack", "Over all decisions after the first period.", SLACK, True),
            ("Φ(Γ)", "Share of the measurements that reach the target.", PHI, False),
            ("Φ(.99Γ)", "Share of the measurements that come to 99 % of the target.", NEARLY, False),
        )
    ),
)
