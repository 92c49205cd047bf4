// Runs the page of a farm report without a browser: its own JavaScript, with stubs for document, window and canvas that count what
// is drawn. Prints what came of it as JSON; ends with an error when the page's code throws.
//
//   node farm_page_run.js PAGE.html
"use strict";
const fs = require("fs"), vm = require("vm");

const html = fs.readFileSync(process.argv[2], "utf8");
const between = (begin, end) => html.slice(html.indexOf(begin) + begin.length, html.indexOf(end, html.indexOf(begin)));
const data = between('<script type="application/json" id="data">', "</script>");
const script = html.slice(html.lastIndexOf("<script>") + 8, html.lastIndexOf("</script>"));

let drawn = {}, texts = [];
const context = new Proxy({}, {
  get: (target, name) => {
    if (name in target) return target[name];
    if (name === "measureText") return (text) => ({ width: 7 * text.length });
    return (...values) => {
      drawn[name] = (drawn[name] || 0) + 1;
      if (name === "fillText") texts.push(values[0]);
      for (const value of values) if (typeof value === "number" && !Number.isFinite(value)) throw new Error(name + " of " + values);
    };
  },
  set: (target, name, value) => { target[name] = value; return true; },
});

const elements = new Map();
const known = new Set([...html.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]));
function element(id) {
  if (!known.has(id)) throw new Error("the page has no element " + id);
  if (!elements.has(id)) {
    const listeners = {};
    elements.set(id, { id, innerHTML: "", textContent: id === "data" ? data : "", style: {}, clientWidth: 1200, scrollTop: 0, listeners,
                       addEventListener: (name, act) => { listeners[name] = act; }, getContext: () => context });
  }
  return elements.get(id);
}
const windowListeners = {};
const window = { devicePixelRatio: 2, addEventListener: (name, act) => { windowListeners[name] = act; } };
vm.runInNewContext(script, { document: { getElementById: element }, window, console });

const redraw = (act) => { drawn = {}; texts = []; act(); return { drawn: { ...drawn }, texts: [...texts] }; };
const event = (more) => ({ offsetX: 600, offsetY: 70, preventDefault: () => {}, target: { dataset: {} }, ...more });
const click = (id) => redraw(() => element(id).listeners.click(event()));
const first = { drawn: { ...drawn }, texts: [...texts] };
const zoomed = click("zoom-in");
for (const id of ["zoom-in", "later", "earlier", "zoom-out"]) click(id);
const canvas = element("timeline").listeners;
canvas.wheel(event({ ctrlKey: true, deltaY: -1 }));
canvas.pointerdown(event());
canvas.pointermove(event({ offsetX: 500 }));
windowListeners.pointerup();
canvas.keydown(event({ key: "+" }));
const all = click("all");
const told = [];
for (let y = 45; y < 300; y += 13) {
  for (let x = 60; x < 1200; x += 40) {
    canvas.pointermove(event({ offsetX: x, offsetY: y }));
    told.push(element("told").textContent);
  }
}
windowListeners.resize();
element("rows").scrollTop = 20;
element("rows").listeners.scroll();
const firstColumn = (id) => [...element(id).innerHTML.matchAll(/<tr><td>([^<]*)/g)].map((match) => match[1]);
const nodes = firstColumn("nodes");
element("nodes").listeners.click(event({ target: { dataset: { column: "3" } } }));
const sorted = [...element("nodes").innerHTML.matchAll(/<tr>(.*?)<\/tr>/g)].slice(1).map((match) => Number([...match[1].matchAll(/<td>([^<]*)/g)][3][1]));

console.log(JSON.stringify({
  first, zoomed: zoomed.drawn, all: all.texts, told: [...new Set(told)], nodes, sorted, links: firstColumn("links"),
  tree: [...element("tree").innerHTML.matchAll(/font-weight="bold"[^>]*>n(\d+)/g)].map((match) => Number(match[1])),
  charts: (element("charts").innerHTML.match(/<figure>/g) || []).length, limit: element("limit").textContent,
  tiles: element("tiles").innerHTML, legend: element("legend").innerHTML, verdict: element("verdict").innerHTML,
  note: element("timeline-note").textContent,
}));
