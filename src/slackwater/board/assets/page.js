const get = id => document.getElementById(id);
const secret = document.querySelector("meta[name=page-secret]").content;
const REFRESH = 2000;
let data = null, edited = false, armed = null, failed = 0;

async function load() {
  try {
    const answer = await fetch(`/data?query=${get("query").value}`, { cache: "no-store" });
    const found = await answer.json();
    if (!answer.ok) throw new Error(found.error);
    data = found; failed = 0;
    show();
  } catch (error) { failed += 1; status("gone", failed > 1 ? "the dashboard does not answer" : "loading"); }
}
function status(kind, text) { get("status").className = kind; get("status-text").textContent = text; }
const last = list => list && list.length ? list[list.length - 1] : null;
const kindOf = contract => (contract || "").split(" ")[0];
const QUALITY = {
  drop: ["Share of rows that came too late", "at most", v => v], recall: ["Recall", "at least", v => v],
  error: ["Share of results within the bound", "at least", v => v],
};

function show() {
  const q = data.query;
  get("pick").hidden = get("query").options.length < 2;
  get("intro").textContent = q.began
    ? `${q.operator} of ${q.streams.join(", ")}${q.by.length ? ` by ${q.by.join(", ")}` : ""}` +
      `${q.buckets > 1 ? ` in ${q.buckets} buckets` : ""}; ${q.name}`
    : "The query has not written a batch yet: this page fills as soon as it has.";
  const age = data.last ? (data.now - data.last.written / 1e3) / 1e3 : null;
  if (q.ended !== null)
    status("ended", `drained and ended ${words.duration(Math.max(0, Math.round((data.now - q.ended) / 1e3)))} ago`);
  else if (age === null) status("quiet", "no batch yet");
  else status(age < 60 ? "live" : "quiet", `batch ${data.last.batch}, ${words.duration(Math.max(0, Math.round(age)))} ago`);
  showTiles(); showControls(); showFigures(); showLate();
}
function tile(name, value, more = "", tone = "") {
  const made = el("div", "tile");
  made.append(el("div", "name", name), el("div", `value ${tone}`, value), el("div", "more", more));
  return made;
}
function measuredNow() {
  const quality = data.decided && data.decided.quality && data.decided.quality[0];
  return quality ? { value: last(quality.measured.mid), target: last(quality.target.value) } : null;
}
function showTiles() {
  const d = data.decided || {}, now = measuredNow(), kind = kindOf(data.query.contract);
  const tiles = [tile("contract", data.query.contract || "–", "", "text")];
  const slack = d.slack && d.slack.length ? last(d.slack[0].high) : data.last ? data.last.slack / 1e6 : null;
  tiles.push(tile("slack now", slack === null ? "–" : words.duration(slack)));
  if (now && now.target !== null && QUALITY[kind]) {
    const kept = kind === "drop" ? now.value <= now.target : now.value >= now.target * 0.99;
    tiles.push(tile(kind === "drop" ? "drop ratio" : kind === "recall" ? "recall" : "within bound", words.share(now.value),
      `${kept ? "kept" : "not kept"}: ${QUALITY[kind][1]} ${words.share(now.target)}`, kept ? "good" : "bad"));
  }
  const p95 = data.latency.p95 ? last(data.latency.p95.mid) : null;
  tiles.push(tile("latency p95", p95 === null ? "–" : words.duration(p95), data.latency.missed ? `${data.latency.missed} past the deadline` : ""));
  tiles.push(tile("rows", words.count(data.arrived), data.rows_per_second ? `${words.count(data.rows_per_second)} per second` : ""));
  tiles.push(tile("late", words.count(data.late_rows), data.arrived ? words.share(data.late_rows / data.arrived) : ""));
  tiles.push(tile("held now", data.last ? `${words.count(data.last.buffered)} rows` : "–", `${words.bytes(data.state_on_disk)} of state on disk`));
  get("tiles").replaceChildren(...tiles);
}
function showControls() {
  const q = data.query;
  if (!edited) get("contract").value = q.contract || "";
  for (const id of ["contract", "change", "drain"]) get(id).disabled = !q.control;
  get("prod").disabled = !q.control || !q.early;
  get("hint").textContent = q.ended !== null ? "The query has ended: start it again to ask it for anything." : !q.control
    ? "The query does not listen: start it with control=, a folder, to ask it for anything."
    : q.early ? "" : "There are no early results to ask for: early=sw.Early() would give some.";
  get("said").replaceChildren(...data.said.map(each => {
    const item = el("li", /^(refused|ignored)/.test(each.words || "") ? "refused" : "");
    item.append(el("time", "", each.at === null ? "" : words.clock(each.at, 0)), document.createTextNode((each.words || "").replace(/->/g, "\u2192")));  // "->" would be broken in two
    return item;
  }));
}
const CLASSES = ["s1", "s2", "s3"];
const EVENT_TIME = "event time (UTC)", PROCESSING_TIME = "processing time (UTC)";
function showFigures() {
  const d = data.decided || {}, kind = kindOf(data.query.contract);
  const without = data.decided === null && data.query.began ? "decisions are not written into a folder: start(decisions=)" : "nothing yet";
  const slacks = (d.slack || []).map((s, n) => ({ ...s, cls: CLASSES[n % 3],
    name: s.buckets > 1 ? `${s.operator}, ${s.buckets} buckets` : s.operator }));
  if (!slacks.length && data.held.slack.at.length)
    slacks.push({ name: "largest of a batch", cls: "s1", ...data.held.slack, mid: data.held.slack.mid.map(v => v / 1e6), low: null, high: null });
  figure(get("slack"), slacks, null, { y: words.duration, x: "time", axis: d.slack && d.slack.length ? EVENT_TIME : PROCESSING_TIME,
    label: "slack over time", nothing: without });
  const title = QUALITY[kind] ? QUALITY[kind][0] : "Quality";
  get("quality-title").textContent = title;
  const quality = d.quality || [];
  figure(get("quality"), quality.map((s, n) => ({ name: `measured${quality.length > 1 ? `, ${s.operator}` : ""}`, cls: CLASSES[n % 3], ...s.measured })),
    quality.length ? quality[0].target : null,
    { y: words.share, x: "time", axis: EVENT_TIME, label: `${title}, measured against its target`, near: kind !== "drop",
      nothing: QUALITY[kind] || data.decided === null ? without : "this contract has no target" });
  const latency = ["p50", "p99", "p95"].filter(name => data.latency[name]);  // dashes on a line that is the same show both
  figure(get("latency"), latency.map((name, n) => ({ name, cls: CLASSES[n], dashed: name === "p95", at: data.latency[name].at, mid: data.latency[name].mid })),
    null, { y: words.duration, x: "time", axis: PROCESSING_TIME, label: "latency of results over time" });
  showDelays();
  const early = d.early || [];
  figure(get("early"), early.slice(0, 3).map((s, n) => ({ name: s.value, cls: CLASSES[n], ...s.measured })), early.length ? early[0].target : null,
    { y: words.share, x: "time", axis: EVENT_TIME, near: true, most: 1, label: "accuracy of early results", target: "asked for",
      nothing: data.query.early ? "no window that was shown early is final yet" : "this query has no early results" });
  get("state-caption").textContent = `Rows held back, batch by batch; ${words.bytes(data.state_on_disk)} of state on disk, all versions that are kept.`;
  const held = data.held.buffered, written = data.held.state_bytes;
  const rows = held.mid.some(v => v > 0);
  figure(get("state"), rows ? [{ name: "rows held", cls: "s1", ...held }] : [{ name: "bytes of state written", cls: "s1", ...written }],
    null, { y: rows ? words.count : words.bytes, x: "time", axis: PROCESSING_TIME, label: "what is held" });
  if (!rows) get("state-caption").textContent = get("state-caption").textContent.replace("Rows held back", "No rows are held back; state written");
}
function describeDelays([name, shares]) {
  const most = data.delays.delay[shares.findIndex(v => v <= 0.01)];
  const order = `${name[0].toUpperCase()}${name.slice(1)} ${words.share(1 - shares[0])} came in order`;
  return most === undefined || most === 0 ? `${order}.` : `${order}, 99 % at most ${words.duration(most)} behind.`;
}
function showDelays() {
  const d = data.delays, floor = d.rows ? Math.max(1e-6, 0.5 / Math.max(1, d.rows.now, d.rows.before)) : 1e-6;
  const parts = d.delay ? [["now", d.now], [d.label, d.before]].filter(([, shares]) => shares && shares.length) : [];
  const bends = parts.map(([, shares]) => shares.findIndex(v => v < shares[0] * 0.97)).filter(n => n > 0);
  const begin = bends.length ? Math.max(1, Math.min(...bends) - 2) : 1;  // before that curves are level: nothing to see
  const line = (name, shares, cls, dashed) => {
    const some = (shares || []).map((v, n) => [d.delay[n], v]).slice(begin);
    const end = some.findIndex(([, v]) => v <= 0), kept = end < 0 ? some : some.slice(0, end + 1);
    return { name, cls, dashed, at: kept.map(p => p[0]), mid: kept.map(p => p[1]) };
  };
  const lines = parts.map(([name, shares], n) => line(name, shares, CLASSES[n], n === 1));
  get("delays-caption").textContent = ["The share of rows that came further behind than this.", ...parts.map(describeDelays)].join(" ");
  figure(get("delays"), lines.filter(s => s.mid.some(v => v > 0)), null,
    { y: words.share, x: "duration", axis: "delay", logY: true, floor, label: "share of rows with a longer delay", nothing: d.delay ? "all rows came in order" : "nothing yet" });
}
function showLate() {
  const late = data.late, reasons = get("reasons"), table = get("samples");
  if (!late) {
    const why = data.query.began ? "late rows are not written into a folder: start(late=)" : "nothing yet";
    reasons.replaceChildren(el("p", "caption", why));
    table.tHead.replaceChildren(); table.tBodies[0].replaceChildren();
    return;
  }
  const most = Math.max(1, ...late.counts.map(each => each.rows));
  reasons.replaceChildren(...(late.counts.length ? late.counts.map(each => {
    const row = el("div", "reason"), bar = el("meter");
    bar.max = most; bar.value = each.rows;
    bar.setAttribute("aria-label", `${each.rows} rows`);
    row.append(el("span", "", `${each.reason} (${each.stream})`), bar, el("span", "", words.count(each.rows)));
    return row;
  }) : [el("p", "caption", "none")]));
  const head = el("tr"), columns = late.samples.length ? late.columns : [];
  head.append(...columns.map(name => el("th", "", name)));
  table.tHead.replaceChildren(head);
  table.tBodies[0].replaceChildren(...late.samples.map(sample => {
    const row = el("tr");
    row.append(...columns.map(name => sample[name] == null ? el("td", "null", "null") : el("td", "", sample[name])));
    return row;
  }));
}
async function ask(what, details = {}) {
  get("answer").className = "";
  get("answer").textContent = "asking ...";
  try {
    const answer = await fetch(`/${what}?query=${get("query").value}`, { method: "POST",
      headers: { "Content-Type": "application/json", "X-Slackwater-Page": secret }, body: JSON.stringify(details) });
    const found = await answer.json();
    get("answer").className = answer.ok ? "" : "error";
    get("answer").textContent = answer.ok ? found.said : found.error;
    return answer.ok;
  } catch (error) {
    get("answer").className = "error";
    get("answer").textContent = "the dashboard does not answer";
    return false;
  }
}
get("contract").addEventListener("input", () => { edited = true; });
get("contract-form").addEventListener("submit", async event => {
  event.preventDefault();
  if (await ask("contract", { contract: get("contract").value })) edited = false;
});
get("prod").addEventListener("click", () => ask("prod"));
get("drain").addEventListener("click", () => {
  const button = get("drain");
  if (armed === null) {
    button.textContent = "Drain and stop?";
    button.classList.add("armed");
    armed = setTimeout(disarm, 6000);
  } else { disarm(); ask("drain"); }
});
function disarm() {
  clearTimeout(armed); armed = null;
  get("drain").textContent = "Drain";
  get("drain").classList.remove("armed");
}
get("query").addEventListener("change", () => { edited = false; get("answer").textContent = ""; load(); });
window.addEventListener("resize", () => { if (data) showFigures(); });
document.addEventListener("visibilitychange", () => { if (!document.hidden) load(); });
setInterval(() => { if (!document.hidden) load(); }, REFRESH);
load();
