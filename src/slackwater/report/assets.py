"""The style sheet and the script of a report page: text that goes into the page as it is."""

from __future__ import annotations

STYLE = """
:root { color-scheme: light dark; --back: #fbfcfd; --card: #ffffff; --ink: #1c2733; --soft: #5a6875; --line: #dfe5ea;
        --good: #00674f; --bad: #a44a00; }
@media screen and (prefers-color-scheme: dark) {
  :root { --back: #10161c; --card: #182129; --ink: #e4eaf0; --soft: #9fadba; --line: #3a4856;
          --good: #4fc9a4; --bad: #f0a35e; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 1040px; margin: 0 auto; padding: 24px 16px 48px; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 8px; }
h2 { font-size: 1.15rem; margin: 0 0 2px; }
p { margin: 0 0 12px; overflow-wrap: anywhere; }
p.caption, footer { color: var(--soft); font-size: .92rem; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 16px;
          margin-top: 18px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: 6px 8px; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; font-size: .88rem; white-space: normal; vertical-align: bottom; }
th:first-child, td:first-child { text-align: left; white-space: normal; min-width: 9em; }
tr:last-child td { border-bottom: 0; }
pre { margin: 4px 0 12px; padding: 10px 12px; overflow-x: auto; background: var(--back); border: 1px solid var(--line);
      border-radius: 6px; font: .88rem/1.45 ui-monospace, monospace; }
ul { margin: 4px 0 0; padding-left: 22px; }
h2.document { font-size: 1.35rem; margin: 34px 0 0; }
h3 { font-size: 1rem; margin: 18px 0 0; }
table.claims td, table.claims th { white-space: normal; text-align: left; vertical-align: top; }
table.claims td:nth-child(2) { min-width: 12em; }
table.claims td.verdict { white-space: nowrap; font-weight: 600; }
.verdict.pass { color: var(--good); }
.verdict.differs { color: var(--bad); }
.verdict.cannot, .where, .reason { color: var(--soft); }
.where, .reason { font-size: .9rem; font-weight: 400; }
section.overview td:nth-child(2), section.overview th:nth-child(2) { text-align: left; white-space: normal; }
details { margin-top: 12px; }
summary { cursor: pointer; color: var(--soft); }
.figure { width: 100%; min-height: 340px; }
svg.static { display: block; width: 100%; min-width: 640px; font: 13px system-ui, sans-serif; }
svg.static text { fill: var(--ink); }
svg.static .tick, svg.static .title { fill: var(--soft); }
svg.static .tick { font-size: .92em; }
svg.static .middle { text-anchor: middle; }
svg.static .end { text-anchor: end; }
svg.static path { fill: none; }
svg.static .grid { stroke: var(--line); }
svg.static .axis { stroke: var(--soft); }
svg.static .line { stroke-width: 2.2; stroke-linejoin: round; }
svg.static .spread { stroke: var(--soft); stroke-width: 1.5; }
.hatch { stroke: var(--card); stroke-width: 1.6; fill: none; }
footer { margin-top: 24px; }
a { color: inherit; }
@media print {
  body { font-size: 10.5pt; background: none; }
  main { max-width: none; padding: 0; }
  section { border: 0; padding: 0; }
  h2, h3, p.caption { break-after: avoid; }
  svg.static, .figure, tr, pre { break-inside: avoid; }
  svg.static { min-width: 0; }
  .scroll { overflow: visible; }
  th, td { white-space: normal; padding: 3px 5px; }
  details:not([open]) { display: none; }
}
@media (max-width: 600px) {
  main { padding: 16px 10px 32px; }
  section { padding: 12px 8px; }
  th, td { padding: 6px 7px; }
}
"""

SCRIPT = """
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const narrow = window.matchMedia("(max-width: 600px)");
function theme(layout) {
  const css = getComputedStyle(document.documentElement);
  const [ink, soft, line, card] = ["--ink", "--soft", "--line", "--card"].map(
    name => css.getPropertyValue(name).trim());
  const look = {"paper_bgcolor": "rgba(0,0,0,0)", "plot_bgcolor": "rgba(0,0,0,0)", "font.color": ink,
                "font.family": "system-ui, sans-serif", "font.size": narrow.matches ? 11 : 13,
                "margin.l": narrow.matches ? 48 : 64,
                "hoverlabel.bgcolor": card, "hoverlabel.bordercolor": line, "hoverlabel.font.color": ink};
  for (const axis of Object.keys(layout).filter(name => /^[xy]axis/.test(name)))
    Object.assign(look, {[axis + ".gridcolor"]: line, [axis + ".linecolor"]: line, [axis + ".zerolinecolor"]: line,
                         [axis + ".automargin"]: true, [axis + ".tickfont.color"]: soft,
                         [axis + ".title.font.color"]: soft});
  return look;
}
const figures = JSON.parse(document.getElementById("figures").textContent);
const places = Array.from(document.querySelectorAll(".figure"));
const options = {responsive: true, displaylogo: false, displayModeBar: false, scrollZoom: false};
places.forEach((place, number) => {
  const {data, layout} = figures[number];
  if (narrow.matches) layout.dragmode = false;
  Plotly.newPlot(place, data, layout, options).then(() => Plotly.relayout(place, theme(layout)));
});
for (const change of [dark, narrow])
  change.addEventListener("change", () => places.forEach(
    (place, number) => Plotly.relayout(place, theme(figures[number].layout))));
"""

# Nothing may be loaded from anywhere: the page opens offline and tells nobody that it was opened.
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
    "img-src data: blob:; font-src data:; base-uri 'none'; form-action 'none'"
)
STATIC_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
