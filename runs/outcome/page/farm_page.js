"use strict";
// The timeline of the farm report's page and what a person does there (docs/guide/farms.md); needs FarmFigures. Can be run without
// a browser; in one, start() is called at the end. Colours are those of Okabe and Ito; each kind of work has a pattern or a shape as well.
const FarmPage = (() => {
  const PROCESSES = [
    { name: "data_generator()", colour: "#cc79a7", ink: "#000", pattern: "none" },
    { name: "computing", colour: "#0072b2", ink: "#fff", pattern: "none" },
    { name: "result_receiver()", colour: "#f0e442", ink: "#000", pattern: "none" },
    { name: "splitting", colour: "#e69f00", ink: "#000", pattern: "falling" },
    { name: "joining", colour: "#009e73", ink: "#fff", pattern: "rising" },
  ];
  const TASK = { name: "a task is sent on", colour: "#d55e00" };
  const RESULT = { name: "a result is sent up", colour: "#000000" };
  const GUTTER = 58, HEAD = 40;

  const { esc, time, tree, charts, table, nodeColumns, linkColumns, tiles, verdict } = FarmFigures;

  // ---------------------------------------------------------------- data

  // Rows of the timeline: [{node, work: [{process, task, subtask, begin, end, ended}], moves: [{time, result, task, peer}]}], times in ns.
  function unpack(timeline) {
    return timeline.rows.map((row) => {
      const work = [], moves = [];
      for (let i = 0, begin = 0; i < (row.work || []).length; i += 5) {
        const [process, task, subtask, gap, length] = row.work.slice(i, i + 5);
        begin += gap;
        work.push({ process, task, subtask, begin, end: begin + Math.abs(length), ended: length >= 0 });
      }
      for (let i = 0, when = 0; i < (row.moves || []).length; i += 4) {
        const [gap, result, task, peer] = row.moves.slice(i, i + 4);
        when += gap;
        moves.push({ time: when, result: result === 1, task, peer });
      }
      return { node: row.node, work, moves, bins: row.bins || null, divided: row.divided || null };
    });
  }

  const taskName = (work) => work.task + (work.subtask ? "/" + work.subtask.toString(16).padStart(4, "0") : "");

  // First index whose key is at least `value`.
  function lowerBound(list, value, key) {
    let low = 0, high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (key(list[middle]) < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  // ---------------------------------------------------------------- timeline

  const rowHeight = (count) => (count <= 40 ? 26 : count <= 200 ? 18 : 14);

  function hatch(context, x, y, width, height, pattern) {
    if (pattern === "none" || width < 5) return;
    context.save();
    context.beginPath();
    context.rect(x, y, width, height);
    context.clip();
    context.strokeStyle = "rgba(0,0,0,0.45)";
    context.lineWidth = 1;
    context.beginPath();
    const slope = pattern === "falling" ? 1 : -1;
    for (let at = x - height; at < x + width + height; at += 6) {
      context.moveTo(at, slope > 0 ? y : y + height);
      context.lineTo(at + height, slope > 0 ? y + height : y);
    }
    context.stroke();
    context.restore();
  }

  function label(context, text, x, y, width, height, ink, back) {
    const wide = context.measureText(text).width;
    if (wide + 4 > width) return;
    const middle = x + width / 2;
    if (back) {
      context.fillStyle = back;
      context.fillRect(middle - wide / 2 - 2, y + 2, wide + 4, height - 4);
    }
    context.fillStyle = ink;
    context.fillText(text, middle - wide / 2, y + height / 2 + 4);
  }

  function drawWork(context, view, row, top, height) {
    const x = (when) => GUTTER + ((when - view.from) / (view.to - view.from)) * (view.width - GUTTER);
    let reached = -1;
    for (const work of row.work) {
      if (work.end < view.from || work.begin > view.to) continue;
      const left = Math.max(GUTTER, x(work.begin)), right = Math.min(view.width, x(work.end));
      if (right - left < 1 && right <= reached) continue;  // several in one pixel
      const width = Math.max(1, right - left);
      reached = left + width;
      const kind = PROCESSES[work.process];
      context.fillStyle = kind.colour;
      context.fillRect(left, top, width, height);
      hatch(context, left, top, width, height, kind.pattern);
      if (width > 3) {
        context.strokeStyle = work.ended ? "#fff" : "#000";
        context.setLineDash(work.ended ? [] : [3, 3]);
        context.strokeRect(left + 0.5, top + 0.5, width - 1, height - 1);
        context.setLineDash([]);
      }
      if (width > 12) label(context, taskName(work), left, top, width, height, kind.ink, kind.pattern === "none" ? null : kind.colour);
    }
  }

  // Triangles: down for a task, up for a result.
  function drawMoves(context, view, row, bottom) {
    const scale = (view.width - GUTTER) / (view.to - view.from);
    let last = { true: -10, false: -10 };
    const first = lowerBound(row.moves, view.from, (move) => move.time);
    for (let i = first; i < row.moves.length && row.moves[i].time <= view.to; ++i) {
      const move = row.moves[i], at = GUTTER + (move.time - view.from) * scale;
      if (at - last[move.result] < 2) continue;
      last[move.result] = at;
      context.fillStyle = (move.result ? RESULT : TASK).colour;
      context.beginPath();
      context.moveTo(at - 3, bottom - (move.result ? 0 : 5));
      context.lineTo(at + 3, bottom - (move.result ? 0 : 5));
      context.lineTo(at, bottom - (move.result ? 5 : 0));
      context.fill();
    }
  }

  // Height is the share of the bin in which the node computed; hatched on top: split or joined.
  function drawBins(context, view, row, top, height, bin) {
    const scale = (view.width - GUTTER) / (view.to - view.from);
    const first = Math.max(0, Math.floor(view.from / bin));
    for (let i = first; i < row.bins.length && i * bin < view.to; ++i) {
      const left = Math.max(GUTTER, GUTTER + (i * bin - view.from) * scale);
      const width = Math.min(view.width, GUTTER + ((i + 1) * bin - view.from) * scale) - left;
      const computed = (row.bins[i] / 100) * height;
      context.fillStyle = PROCESSES[1].colour;
      context.fillRect(left, top + height - computed, Math.max(1, width), computed);
      if (!row.divided || !row.divided[i]) continue;
      const divided = (row.divided[i] / 100) * height;
      context.fillStyle = PROCESSES[3].colour;
      context.fillRect(left, top + height - computed - divided, Math.max(1, width), divided);
    }
  }

  // 1, 2 or 5 times a power of ten.
  function niceStep(least) {
    const power = Math.pow(10, Math.floor(Math.log10(Math.max(least, 1))));
    return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least);
  }

  function drawAxis(context, view, phases) {
    const scale = (view.width - GUTTER) / (view.to - view.from);
    context.fillStyle = "#fff";
    context.fillRect(0, 0, view.width, HEAD);
    const bands = [["start-up", 0, phases.start], ["steady state", phases.start, phases.stop], ["wind-down", phases.stop, phases.end]];
    bands.forEach(([name, from, to], i) => {
      if (!(to > from)) return;
      const left = Math.max(GUTTER, GUTTER + (from - view.from) * scale);
      const right = Math.min(view.width, GUTTER + (to - view.from) * scale);
      if (right <= left) return;
      context.fillStyle = ["#e4e4e0", "#cfe3f1", "#e4e4e0"][i];
      context.fillRect(left, 2, right - left, 15);
      context.strokeStyle = "#888";
      context.strokeRect(left + 0.5, 2.5, right - left - 1, 14);
      label(context, name, left, 2, right - left, 15, "#000", null);
    });
    const step = niceStep(((view.to - view.from) / (view.width - GUTTER)) * 110);
    context.strokeStyle = "#dcdcdc";
    context.fillStyle = "#404040";
    for (let at = Math.ceil(view.from / step) * step; at <= view.to; at += step) {
      const x = GUTTER + (at - view.from) * scale;
      context.fillRect(x, HEAD - 6, 1, 6);
      const text = time(at / 1000);
      context.fillText(text, Math.min(x + 3, view.width - context.measureText(text).width - 2), HEAD - 9);
    }
    context.fillText("node", 6, HEAD - 9);
    context.fillRect(0, HEAD - 0.5, view.width, 1);
  }

  // view: {from, to} in ns, {width, height} in pixels, {scroll} pixels above the first row that is seen.
  function drawTimeline(context, view, rows, phases, bin) {
    const height = rowHeight(rows.length);
    context.fillStyle = "#fff";
    context.fillRect(0, 0, view.width, view.height);
    context.font = (height > 20 ? 12 : 11) + 'px system-ui, "DejaVu Sans", sans-serif';
    context.lineWidth = 1;
    const first = Math.max(0, Math.floor(view.scroll / height));
    for (let i = first; i < rows.length; ++i) {
      const top = HEAD + i * height - view.scroll;
      if (top > view.height) break;
      if (i % 2 === 1) {
        context.fillStyle = "#f6f6f4";
        context.fillRect(0, top, view.width, height);
      }
      if (rows[i].bins) drawBins(context, view, rows[i], top + 1, height - 2, bin);
      else drawWork(context, view, rows[i], top + 2, rows[i].moves.length > 0 && height > 20 ? height - 9 : height - 4);
      drawMoves(context, view, rows[i], top + height - 1);
      context.fillStyle = i % 2 === 1 ? "#f6f6f4" : "#fff";
      context.fillRect(0, top, GUTTER - 1, height);
      context.fillStyle = "#000";
      context.fillText("n" + rows[i].node, 6, top + height / 2 + 4);
    }
    drawAxis(context, view, phases);
    context.fillStyle = "#888";
    context.fillRect(GUTTER - 1, 0, 1, view.height);
  }

  // The thing under a point, as a sentence.
  function under(view, rows, bin, x, y) {
    const row = rows[Math.floor((y - HEAD + view.scroll) / rowHeight(rows.length))];
    if (!row || x < GUTTER || y < HEAD) return "";
    const when = view.from + ((x - GUTTER) / (view.width - GUTTER)) * (view.to - view.from);
    const slack = (view.to - view.from) / (view.width - GUTTER);
    const head = "n" + row.node + " at " + time(Math.round(when) / 1000) + ": ";
    if (row.bins) {
      const i = Math.floor(when / bin);
      if (!(i in row.bins)) return head + "-";
      return head + "computed " + row.bins[i] + " % of this bin" + (row.divided ? ", split or joined " + row.divided[i] + " %" : "");
    }
    const said = [];
    for (const work of row.work) {
      if (work.begin > when + slack || work.end < when - slack) continue;
      said.push(PROCESSES[work.process].name + " task " + taskName(work) + ", " + time((work.end - work.begin) / 1000) +
                (work.ended ? "" : ", never ended"));
      if (said.length > 3) break;
    }
    for (let i = lowerBound(row.moves, when - 3 * slack, (move) => move.time); i < row.moves.length; ++i) {
      if (row.moves[i].time > when + 3 * slack || said.length > 5) break;
      said.push((row.moves[i].result ? "result " : "task ") + row.moves[i].task + " to n" + row.moves[i].peer);
    }
    return head + (said.length > 0 ? said.join("; ") : "nothing begun");
  }

  function phasesOf(report) {
    const phases = report.phases, ns = (us) => 1000 * (us || 0);
    const start = phases.steady_us === null ? 0 : ns(phases.start_up_us);
    const stop = phases.steady_us === null ? 0 : start + ns(phases.steady_us);
    return { start, stop, end: phases.steady_us === null ? 0 : ns(phases.total_us - (phases.post_process_us || 0)) };
  }

  // The kinds that occur.
  function legend(timeline, rows, report) {
    const divides = report.farm.degree > 1;
    const binned = timeline.kind === "bins", seen = new Set();
    let unended = false;
    for (const row of rows) {
      for (const work of row.work) {
        seen.add(work.process);
        unended = unended || !work.ended;
      }
    }
    const box = (kind) => '<span class="key"><svg width="26" height="14"><rect width="26" height="14" fill="' + kind.colour + '"/>' +
      (kind.pattern === "none" ? "" : [-6, 2, 10, 18].map((at) => '<path stroke="#000" stroke-opacity=".55" d="M' +
        (kind.pattern === "falling" ? at + ",0 L" + (at + 14) + ",14" : at + ",14 L" + (at + 14) + ",0") + '"/>').join("")) +
      "</svg>" + esc(binned && kind === PROCESSES[3] ? "splitting and joining" : kind.name) + "</span>";
    const mark = (kind, points) => '<span class="key"><svg width="14" height="14"><polygon points="' + points + '" fill="' + kind.colour +
      '"/></svg>' + esc(kind.name) + "</span>";
    const shown = PROCESSES.filter((kind, i) => (binned ? i === 1 || (divides && i === 3) : seen.has(i)));
    let text = shown.map(box).join("");
    if (timeline.moves) text += mark(TASK, "2,4 12,4 7,11") + mark(RESULT, "2,11 12,11 7,4");
    if (unended) text += '<span class="key"><svg width="26" height="14"><rect x="1" y="1" width="24" height="12" fill="#0072b2" stroke="#000" ' +
      'stroke-dasharray="3 3"/></svg>never ended</span>';
    return text;
  }

  // ---------------------------------------------------------------- a browser

  function start(doc, win) {
    const data = JSON.parse(doc.getElementById("data").textContent), report = data.report;
    const fill = (id, html) => { doc.getElementById(id).innerHTML = html; };
    const say = (id, text) => { doc.getElementById(id).textContent = text; };
    say("title", "Farm report: " + report.scenario + " on " + report.machine);
    say("subtitle", report.nodes.length + " nodes, " + report.farm.tasks + " tasks" + (report.farm.degree > 1 ? ", divided by " + report.farm.degree +
        " at most " + report.farm.depth + " times" : "") + ", seed " + report.seed + (report.finished ? "" : "; the farm did not finish"));
    fill("tiles", tiles(report));
    say("limit", "What limited the rate: " + report.limit.reason + "." + (report.predicted ? " Predicted: n" + report.predicted.critical_node + ", " +
        report.predicted.critical_reason + "." : ""));
    fill("verdict", verdict(data));
    const rows = data.timeline.rows ? unpack(data.timeline) : [];
    fill("legend", legend(data.timeline, rows, report));
    say("timeline-note", data.timeline.note);
    const place = doc.getElementById("tree");
    place.innerHTML = tree(report);
    const root = FarmFigures.place(report);
    if (root.depth <= root.leaves) place.scrollLeft = (place.scrollWidth - place.clientWidth) * (root.places.get(0).breadth / Math.max(1, root.leaves - 1));
    doc.getElementById("fit").addEventListener("click", () => { place.className = place.className === "wide" ? "wide fitted" : "wide"; });
    fill("charts", charts(report));
    say("version", data.version);
    say("repeat", data.repeat);
    say("hash", report.run_hash);
    sortable(doc, "nodes", report.nodes, nodeColumns(report));
    sortable(doc, "links", report.links, linkColumns);
    if (data.timeline.end > 0) watchTimeline(doc, win, data, rows);
  }

  function sortable(doc, id, lines, columns) {
    const order = { column: 0, falling: false }, place = doc.getElementById(id);
    const show = () => { place.innerHTML = table(lines, columns, order); };
    const choose = (event) => {
      const column = Number(event.target.dataset.column);
      if (event.target.dataset.column === undefined || (event.key && event.key !== "Enter" && event.key !== " ")) return;
      order.falling = order.column === column ? !order.falling : column > 1;
      order.column = column;
      show();
    };
    place.addEventListener("click", choose);
    place.addEventListener("keydown", choose);
    show();
  }

  function watchTimeline(doc, win, data, rows) {
    const canvas = doc.getElementById("timeline"), frame = doc.getElementById("rows"), context = canvas.getContext("2d");
    const phases = phasesOf(data.report), bin = data.timeline.bin, end = data.timeline.end, least = Math.min(1000, end);
    const full = HEAD + rows.length * rowHeight(rows.length) + 2;
    const view = { from: 0, to: end, width: 0, height: Math.min(full, 656), scroll: 0 };
    const draw = () => {
      const scale = win.devicePixelRatio || 1;
      view.width = frame.clientWidth;
      view.scroll = frame.scrollTop;
      canvas.width = Math.round(view.width * scale);
      canvas.height = Math.round(view.height * scale);
      canvas.style.width = view.width + "px";
      canvas.style.height = view.height + "px";
      context.setTransform(scale, 0, 0, scale, 0, 0);
      drawTimeline(context, view, rows, phases, bin);
    };
    const look = (from, to) => {
      const length = Math.min(end, Math.max(least, to - from));
      view.from = Math.min(Math.max(0, from), end - length);
      view.to = view.from + length;
      draw();
    };
    const zoom = (factor, at) => look(at - (at - view.from) * factor, at + (view.to - at) * factor);
    const middle = () => (view.from + view.to) / 2, shift = (part) => look(view.from + part * (view.to - view.from), view.to + part * (view.to - view.from));
    const timeAt = (x) => view.from + (Math.max(0, x - GUTTER) / (view.width - GUTTER)) * (view.to - view.from);
    const acts = { "zoom-in": () => zoom(0.5, middle()), "zoom-out": () => zoom(2, middle()), earlier: () => shift(-0.4), later: () => shift(0.4),
                   all: () => look(0, end) };
    const keys = { "+": "zoom-in", "-": "zoom-out", ArrowLeft: "earlier", ArrowRight: "later", 0: "all" };
    for (const id of Object.keys(acts)) doc.getElementById(id).addEventListener("click", acts[id]);
    canvas.addEventListener("keydown", (event) => { if (keys[event.key]) acts[keys[event.key]](); });
    canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      zoom(event.deltaY < 0 ? 0.8 : 1.25, timeAt(event.offsetX));
    }, { passive: false });
    let held = null;
    canvas.addEventListener("pointerdown", (event) => { held = { x: event.offsetX, from: view.from, to: view.to }; });
    win.addEventListener("pointerup", () => { held = null; });
    canvas.addEventListener("pointermove", (event) => {
      if (held) {
        const moved = ((held.x - event.offsetX) / (view.width - GUTTER)) * (held.to - held.from);
        return look(held.from + moved, held.to + moved);
      }
      doc.getElementById("told").textContent = under(view, rows, bin, event.offsetX, event.offsetY);
    });
    doc.getElementById("spacer").style.height = Math.max(0, full - view.height) + "px";
    frame.addEventListener("scroll", draw);
    win.addEventListener("resize", draw);
    draw();
  }

  return { start, unpack, drawTimeline, under, legend, phasesOf, niceStep };
})();

if (typeof document !== "undefined") FarmPage.start(document, window);
if (typeof module !== "undefined") module.exports = FarmPage;
