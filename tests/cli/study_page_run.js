// Runs the page of a study without a browser: its own JavaScript, with stubs for document and window. Prints what came of it as JSON;
// ends with an error when the page's code throws.
//
//   node study_page_run.js PAGE.html
"use strict";
const fs = require("fs"), vm = require("vm");

const html = fs.readFileSync(process.argv[2], "utf8");
const between = (begin, end) => html.slice(html.indexOf(begin) + begin.length, html.indexOf(end, html.indexOf(begin)));
const data = between('<script type="application/json" id="data">', "</script>");
const script = html.slice(html.lastIndexOf("<script>") + 8, html.lastIndexOf("</script>"));

// Elements come from the page's HTML, and from what its code writes; a select has the value of its selected option.
const elements = new Map();
function element(id) {
  if (elements.has(id)) return elements.get(id);
  const all = [html, ...[...elements.values()].map((one) => one.innerHTML)].join("\n");
  if (!all.includes(' id="' + id + '"')) return null;
  const options = (all.split('<select id="' + id + '">')[1] || "").split("</select>")[0];
  const chosen = options.match(/<option value="([^"]*)" selected/) || options.match(/<option value="([^"]*)"/);
  const listeners = {};
  const made = { id, innerHTML: "", textContent: id === "data" ? data : "", value: chosen ? chosen[1] : "", checked: false, scrollTop: 0, clientHeight: 620,
                 listeners, addEventListener: (name, act) => { listeners[name] = act; } };
  elements.set(id, made);
  return made;
}
const copied = [];
const window = { addEventListener: () => {}, setTimeout: (act) => act(), clearTimeout: () => {}, navigator: { clipboard: { writeText: (text) => { copied.push(text); return Promise.resolve(); } } } };
const document = { getElementById: element, title: "" };
vm.runInNewContext(script, { document, window, console });

const numbers = () => [...element("table").innerHTML.matchAll(/<tr><td title="(\d+)">/g)].map((match) => Number(match[1]));
const click = (target) => element("table").listeners.click({ target: { closest: (what) => (what.startsWith(target.tag) ? { dataset: target.dataset } : null) } });
const change = (id, value, more) => element(id).listeners.change({ target: { value, ...more } });
const shown = { told: element("told").textContent, rows: numbers(), table: element("table").innerHTML, curves: element("curves").innerHTML, heat: element("heat").innerHTML,
                failures: element("failures").innerHTML, title: document.title, subtitle: element("subtitle").textContent };
click({ tag: "th", dataset: { col: "0" } });
const falling = numbers();
click({ tag: "th", dataset: { col: "0" } });
change("axis-0", "1");
const second = { told: element("told").textContent, rows: numbers(), curves: element("curves").innerHTML };
change("axis-0", "-1");
element("text").listeners.input({ target: { value: "no such word" } });
const none = { told: element("told").textContent, curves: element("curves").innerHTML };
element("text").listeners.input({ target: { value: "" } });
element("curve-log-x").checked = true;
element("curve-bar").listeners.change();
const logarithmic = element("curves").innerHTML;
element("table").scrollTop = 26 * 1000;
element("table").listeners.scroll();
const scrolled = numbers();
click({ tag: "button", dataset: { copy: "0" } });
setTimeout(() => console.log(JSON.stringify({ shown, falling, second, none, logarithmic, scrolled, copied })), 0);
