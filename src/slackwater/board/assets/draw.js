"use strict";
// Figures as SVG. All text goes in as text: nothing of the data is ever read as markup.
const SVG = "http://www.w3.org/2000/svg";
function make(tag, attributes = {}, text = null) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (text !== null) made.textContent = text;
  return made;
}
function el(tag, className = "", text = null) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== null) made.textContent = text;
  return made;
}
const words = {
  duration(s) {
    if (s === 0) return "0";
    const a = Math.abs(s);
    if (a < 0.001) return `${+(s * 1e6).toPrecision(2)} µs`;
    if (a < 1) return `${+(s * 1e3).toPrecision(3)} ms`;
    if (a < 120) return `${+s.toPrecision(3)} s`;
    if (a < 7200) return `${+(s / 60).toPrecision(3)} min`;
    return `${+(s / 3600).toPrecision(3)} h`;
  },
  share(v) { return `${+(100 * v).toPrecision(3)} %`; },
  count(v) {
    const a = Math.abs(v);
    if (a >= 1e9) return `${+(v / 1e9).toPrecision(3)} G`;
    if (a >= 1e6) return `${+(v / 1e6).toPrecision(3)} M`;
    if (a >= 1e4) return `${+(v / 1e3).toPrecision(3)} k`;
    return `${+v.toPrecision(4)}`;
  },
  bytes(v) {
    for (const [size, unit] of [[1e9, "GB"], [1e6, "MB"], [1e3, "kB"]])
      if (v >= size) return `${+(v / size).toPrecision(3)} ${unit}`;
    return `${v} B`;
  },
  clock(ms, span) {
    const d = new Date(ms), two = n => String(n).padStart(2, "0");
    const time = `${two(d.getUTCHours())}:${two(d.getUTCMinutes())}`;
    if (span > 36 * 3600e3) return `${two(d.getUTCMonth() + 1)}-${two(d.getUTCDate())} ${time}`;
    return span > 20 * 60e3 ? time : `${time}:${two(d.getUTCSeconds())}`;
  },
};
function niceTicks(low, high, count) {
  const step0 = (high - low) / Math.max(count, 1), power = 10 ** Math.floor(Math.log10(step0));
  const step = [1, 2, 2.5, 5, 10].map(n => n * power).find(s => s >= step0 * 0.999) || power * 10;
  const ticks = [];
  for (let t = Math.ceil(low / step - 1e-9) * step; t <= high + step * 1e-9; t += step) ticks.push(+t.toPrecision(12));
  return ticks;
}
function logTicks(low, high, most = 6) {
  const ticks = [];
  for (let p = Math.ceil(Math.log10(low) - 1e-9); p <= Math.log10(high) + 1e-9; p++) ticks.push(10 ** p);
  const every = Math.ceil(ticks.length / most);
  return ticks.filter((_, n) => n % every === 0);
}
function scale(low, high, from, to, log) {
  const f = log ? Math.log10 : v => v;
  const a = f(low), b = f(high);
  return v => from + (to - from) * ((f(v) - a) / ((b - a) || 1));
}
// series: [{name, cls, at, mid, low?, high?, dashed?}], target: {at, value} or null,
// how: {y: format, x: "time" | "duration", axis: what x is, log, logY, floor, label}
function figure(place, series, target, how) {
  const shown = series.filter(s => s.at.length);
  place.replaceChildren();
  if (!shown.length) { place.append(el("p", "nothing", how.nothing || "nothing yet")); return; }
  const width = Math.max(place.clientWidth, 240), bottom = how.axis ? 38 : 22, height = 168 + bottom, left = 56, right = 10, top = 8;
  const targets = target && target.at.length ? target : null;
  let xs = shown.flatMap(s => s.at), ys = shown.flatMap(s => [...s.mid, ...(s.high || []), ...(s.low || [])]);
  if (targets) ys = ys.concat(targets.value);
  let [x0, x1] = [Math.min(...xs), Math.max(...xs)];
  if (x0 === x1) { x0 -= how.x === "time" ? 1000 : x0 / 2; x1 += how.x === "time" ? 1000 : x1; }
  let y1 = Math.max(...ys), y0 = how.logY ? how.floor : Math.min(0, ...ys);
  if (how.near) { y0 = Math.min(...ys); const pad = (y1 - y0) * 0.12 || Math.abs(y1) * 0.05 || 0.05; y0 = Math.max(0, y0 - pad); y1 = y1 + pad; }
  if (how.most !== undefined) y1 = Math.min(y1, how.most);
  if (y1 <= y0) y1 = y0 + (how.logY ? y0 * 9 : 1);
  if (!how.logY && !how.near) y1 += (y1 - y0) * 0.06;
  const X = scale(x0, x1, left, width - right, how.x !== "time"), Y = scale(y0, y1, height - bottom, top, how.logY);
  const svg = make("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": how.label });
  for (const t of how.logY ? logTicks(y0, y1) : niceTicks(y0, y1, 4)) {
    svg.append(make("line", { class: "grid", x1: left, x2: width - right, y1: Y(t), y2: Y(t) }));
    svg.append(make("text", { x: left - 6, y: Y(t) + 4, "text-anchor": "end" }, how.y(t)));
  }
  for (const t of how.x === "time" ? timeTicks(x0, x1, width) : logTicks(x0, x1, Math.max(2, Math.floor(width / 85)))) {
    const anchor = X(t) > width - 34 ? "end" : X(t) < left + 20 ? "start" : "middle";
    svg.append(make("text", { x: X(t), y: height - bottom + 17, "text-anchor": anchor },
      how.x === "time" ? words.clock(t, x1 - x0) : words.duration(t)));
  }
  if (how.axis) svg.append(make("text", { class: "axis", x: (left + width - right) / 2, y: height - 4, "text-anchor": "middle" }, how.axis));
  const low = v => how.logY ? Math.max(v, how.floor) : v;
  const point = (x, y) => `${X(x).toFixed(1)},${Y(low(y)).toFixed(1)}`;
  for (const s of shown) {
    if (s.high && s.high.some((v, n) => v > s.low[n]))
      svg.append(make("polygon", { class: `band ${s.cls}`,
        points: [...s.at.map((x, n) => point(x, s.high[n])), ...s.at.map((x, n) => point(x, s.low[n])).reverse()].join(" ") }));
    svg.append(make("polyline", { class: `line ${s.cls}${s.dashed ? " dashed" : ""}`, "fill": "none",
      points: s.at.map((x, n) => point(x, s.mid[n])).join(" ") }));
    if (s.at.length === 1) svg.append(make("circle", { class: s.cls, cx: X(s.at[0]), cy: Y(low(s.mid[0])), r: 3 }));
  }
  if (targets) {
    const steps = [];
    targets.at.forEach((x, n) => { if (n) steps.push(point(x, targets.value[n - 1])); steps.push(point(x, targets.value[n])); });
    if (targets.at.length === 1) steps.unshift(point(x0, targets.value[0]), point(x1, targets.value[0]));
    svg.append(make("polyline", { class: "target", points: steps.join(" ") }));
  }
  const legend = el("div", "legend");
  for (const s of shown) { const item = el("span"); item.append(el("i", s.cls), document.createTextNode(s.name)); legend.append(item); }
  if (targets) { const item = el("span"); item.append(el("i", "st"), document.createTextNode(how.target || "target")); legend.append(item); }
  place.append(legend, svg);
  hover(place, svg, shown, how, { X, x0, x1, width, height, bottom, top });
}
function timeTicks(x0, x1, width) {
  const wanted = Math.max(2, Math.floor(width / 110)), span = x1 - x0;
  const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400].map(s => s * 1e3);
  const step = steps.find(s => span / s <= wanted) || 86400e3 * Math.ceil(span / 86400e3 / wanted);
  const ticks = [];
  for (let t = Math.ceil(x0 / step) * step; t <= x1; t += step) ticks.push(t);
  return ticks.length ? ticks : [x0];
}
function hover(place, svg, series, how, box) {
  const tip = el("div", "tip"), cross = make("line", { class: "cross", y1: box.top, y2: box.height - box.bottom, x1: -9, x2: -9 });
  tip.hidden = true;
  svg.append(cross);
  place.append(tip);
  svg.addEventListener("pointermove", event => {
    const at = event.clientX - svg.getBoundingClientRect().left;
    const near = s => s.at.reduce((best, x, n) => Math.abs(box.X(x) - at) < Math.abs(box.X(s.at[best]) - at) ? n : best, 0);
    const places = series.map(near), x = series[0].at[places[0]];
    cross.setAttribute("x1", box.X(x)); cross.setAttribute("x2", box.X(x));
    tip.replaceChildren(el("div", "", how.x === "time" ? words.clock(x, 0) : words.duration(x)),
      ...series.map((s, n) => el("div", "", `${s.name}: ${how.y(s.mid[places[n]])}`)));
    tip.hidden = false;
    tip.style.left = `${Math.max(0, Math.min(box.X(x) + 10, box.width - tip.offsetWidth - 4))}px`;
  });
  svg.addEventListener("pointerleave", () => { tip.hidden = true; cross.setAttribute("x1", -9); cross.setAttribute("x2", -9); });
}
