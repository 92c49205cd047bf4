"use strict";
// The parts of the farm report's page that do not move: tree, curves, tables, figures, as HTML. All text that comes from a run goes
// through esc().
const FarmFigures = (() => {
  const esc = (text) => String(text).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
  const percent = (share) => (100 * share).toFixed(share < 0.1 ? 2 : 1) + " %";

  function time(us) {
    if (us === null || us === undefined) return "-";
    if (Math.abs(us) >= 1e6) return (us / 1e6).toFixed(3) + " s";
    if (Math.abs(us) >= 1e3) return (us / 1e3).toFixed(3) + " ms";
    return (Math.round(us * 1000) / 1000) + " \u00b5s";
  }

  // ---------------------------------------------------------------- tree

  // Where each node stands: leaves beside each other, a parent over the middle of its children. {node: {breadth, depth}} and extents.
  function place(report) {
    const children = new Map(report.nodes.map((node) => [node.node, []]));
    for (const node of report.nodes) if (node.parent !== null) children.get(node.parent).push(node.node);
    const places = new Map();
    let leaves = 0, depth = 0;
    // No recursion: a chain may have thousands of nodes.
    const stack = [{ node: 0, depth: 0, next: 0 }];
    while (stack.length > 0) {
      const top = stack[stack.length - 1], below = children.get(top.node);
      if (top.next < below.length) {
        stack.push({ node: below[top.next++], depth: top.depth + 1, next: 0 });
        continue;
      }
      stack.pop();
      depth = Math.max(depth, top.depth);
      const breadth = below.length === 0 ? leaves++ : (places.get(below[0]).breadth + places.get(below[below.length - 1]).breadth) / 2;
      places.set(top.node, { breadth, depth: top.depth });
    }
    return { places, leaves, depth };
  }

  function tree(report) {
    const { places, leaves, depth } = place(report);
    const lying = depth > leaves;  // a chain lies down
    const small = leaves > 20, wide = small ? 46 : 66, high = small ? 42 : 50, apart = small ? 6 : 14, levels = high + 34;
    const across = lying ? high + 20 : wide + apart, along = lying ? wide + 44 : levels;
    const x = (place) => 8 + (lying ? place.depth * along : place.breadth * across);
    const y = (place) => 8 + (lying ? place.breadth * across : place.depth * along);
    const width = 16 + (lying ? depth * along + wide : (leaves - 1) * across + wide);
    const height = 16 + (lying ? (leaves - 1) * across + high : depth * along + high);
    const parts = [];
    for (const link of report.links) {
      const a = places.get(link.parent), b = places.get(link.child);
      const share = Math.max(link.busy_down_share, link.busy_up_share);
      const from = lying ? [x(a) + wide, y(a) + high / 2] : [x(a) + wide / 2, y(a) + high];
      const to = lying ? [x(b), y(b) + high / 2] : [x(b) + wide / 2, y(b)];
      parts.push('<line x1="' + from[0] + '" y1="' + from[1] + '" x2="' + to[0] + '" y2="' + to[1] + '" stroke="#555" stroke-width="' +
                 (1 + 7 * share).toFixed(2) + '"><title>n' + link.parent + " - n" + link.child + ": " + link.tasks + " tasks, " +
                 link.results + " results, down " + percent(link.busy_down_share) + ", up " + percent(link.busy_up_share) +
                 " busy</title></line>");
      const middle = [from[0] + (to[0] - from[0]) * 0.62, from[1] + (to[1] - from[1]) * 0.62];
      const text = (100 * share).toFixed(share < 0.1 ? 1 : 0) + "%";
      parts.push('<text x="' + middle[0].toFixed(1) + '" y="' + (middle[1] + (lying ? -7 : 4)).toFixed(1) +
                 '" text-anchor="middle" font-size="' + (small ? 9 : 11) + '" paint-order="stroke" stroke="#fff" stroke-width="4">' + text +
                 "</text>");
    }
    for (const node of report.nodes) parts.push(treeNode(node, x(places.get(node.node)), y(places.get(node.node)), wide, high, small));
    return '<svg width="' + width + '" height="' + height + '" viewBox="0 0 ' + width + " " + height + '" role="img" aria-label="tree of the farm" font-family="system-ui, sans-serif">' +
           parts.join("") + "</svg>";
  }

  function treeNode(node, x, y, wide, high, small) {
    const share = Math.min(1, node.computing_share + node.high_share), size = small ? 10 : 12;
    const line = (text, at, bold) => '<text x="' + (x + wide / 2) + '" y="' + (y + at).toFixed(1) + '" text-anchor="middle" font-size="' +
      size + '"' + (bold ? ' font-weight="bold"' : "") + ' paint-order="stroke" stroke="#fff" stroke-width="2.5">' + text + "</text>";
    return "<g><title>n" + node.node + ": " + node.computed + " computed, computing " + percent(node.computing_share) + ", high priority " +
      percent(node.high_share) + (node.answers ? "" : "; does not answer") + "</title>" +
      '<rect x="' + x + '" y="' + y + '" width="' + wide + '" height="' + high + '" fill="#fff"/>' +
      '<rect x="' + x + '" y="' + (y + high * (1 - share)).toFixed(1) + '" width="' + wide + '" height="' + (high * share).toFixed(1) +
      '" fill="#9ccbe8"/>' +
      '<rect x="' + x + '" y="' + y + '" width="' + wide + '" height="' + high + '" rx="3" fill="none" stroke="' +
      (node.answers ? "#333" : "#d55e00") + '" stroke-width="' + (node.answers ? 1.2 : 3) + '"' + (node.answers ? "" : ' stroke-dasharray="5 3"') +
      "/>" + line("n" + node.node + (node.answers ? "" : " \u2715"), high * 0.29, true) + line((100 * share).toFixed(0) + " %", high * 0.58) +
      line(node.parent === null ? "manager" : (node.computed || "0") + (small ? "" : " done"), high * 0.87) + "</g>";
  }

  // ---------------------------------------------------------------- charts and tables

  function chart(title, values, bin, colour, bars) {
    const width = 420, height = 150, left = 46, bottom = 20, most = Math.max(...values, 0) || 1;
    const x = (i) => left + (i * (width - left - 6)) / values.length, y = (value) => 8 + (1 - value / most) * (height - bottom - 8);
    let body = "";
    if (bars) {
      const wide = Math.max(1, (width - left - 6) / values.length - 1);
      body = values.map((value, i) => '<rect x="' + x(i).toFixed(1) + '" y="' + y(value).toFixed(1) + '" width="' + wide.toFixed(1) +
                        '" height="' + (height - bottom - y(value)).toFixed(1) + '" fill="' + colour + '"/>').join("");
    } else {
      const points = values.map((value, i) => x(i).toFixed(1) + "," + y(value).toFixed(1) + " " + x(i + 1).toFixed(1) + "," + y(value).toFixed(1));
      body = '<polyline fill="none" stroke="' + colour + '" stroke-width="2" points="' + points.join(" ") + '"/>';
    }
    const number = (value) => (value >= 100 || Number.isInteger(value) ? value.toFixed(0) : value.toPrecision(3));
    return "<figure><figcaption>" + esc(title) + '</figcaption><svg viewBox="0 0 ' + width + " " + height +
      '" role="img" font-size="11" font-family="system-ui, sans-serif">' + body + '<path d="M' + left + ",8 V" + (height - bottom) + " H" +
      (width - 6) + '" fill="none" stroke="#444"/><text x="' + (left - 5) + '" y="17" text-anchor="end">' + number(most) +
      '</text><text x="' + (left - 5) + '" y="' + (height - bottom) + '" text-anchor="end">0</text><text x="' + left + '" y="' + (height - 5) +
      '">0</text><text x="' + (width - 6) + '" y="' + (height - 5) + '" text-anchor="end">' + time(bin * values.length) + "</text></svg></figure>";
  }

  function charts(report) {
    const over = report.over_time;
    if (over.results.length === 0) return "<p>No time passed between the first task and the last result.</p>";
    return chart("Results that came back, in each " + time(over.bin_us), over.results, over.bin_us, "#009e73", true) +
      chart("Workers that compute, split or join, of " + (report.nodes.length - 1), over.computing, over.bin_us, "#0072b2", false) +
      chart("Tasks that wait in the workers", over.queued, over.bin_us, "#d55e00", false);
  }

  // Columns: [head, key of the value or function, how it is shown].
  function nodeColumns(report) {
    const span = (report.phases.total_us || 0) - (report.phases.post_process_us || 0), divides = report.farm.degree > 1;
    const columns = [
      ["node", (n) => n.node, (v) => "n" + v], ["parent", (n) => (n.parent === null ? -1 : n.parent), (v) => (v < 0 ? "-" : "n" + v)],
      ["depth", (n) => n.depth, String], ["computed", (n) => n.computed, String]];
    if (report.predicted) columns.push(["predicted", (n) => n.predicted_tasks || 0, (v) => v.toFixed(1)]);
    if (divides) columns.push(["split", (n) => n.split, String], ["joined", (n) => n.joined, String]);
    columns.push(
      ["sent on", (n) => n.tasks_forwarded, String], ["passed up", (n) => n.results_forwarded, String],
      ["computing", (n) => n.computing_share, percent], ["high", (n) => n.high_share, percent],
      ["idle", (n) => 1 - n.computing_share - n.high_share, (v) => percent(Math.max(0, v))],
      ["steady use", (n) => n.steady_busy_share, percent],
      ["no work", (n) => (n.parent === null || !span ? -1 : n.waiting_for_work_us / span), (v) => (v < 0 ? "-" : percent(v))],
      ["queue", (n) => (n.parent === null ? -1 : n.mean_queue), (v) => (v < 0 ? "-" : v.toFixed(2))],
      ["longest", (n) => (n.parent === null ? -1 : n.longest_queue), (v) => (v < 0 ? "-" : String(v))],
      ["results waiting", (n) => n.mean_results, (v) => v.toFixed(2)],
      ["most", (n) => n.longest_results, (v) => String(v)],
      ["answers", (n) => (n.answers ? 1 : 0), (v) => (v ? "yes" : "no")]);
    return columns;
  }

  const linkColumns = [
    ["link", (l) => l.child, (v, l) => "n" + l.parent + " - n" + l.child], ["tasks", (l) => l.tasks, String], ["results", (l) => l.results, String],
    ["bytes down", (l) => l.bytes_down, String], ["bytes up", (l) => l.bytes_up, String], ["busy down", (l) => l.busy_down_share, percent],
    ["busy up", (l) => l.busy_up_share, percent], ["steady: down", (l) => l.steady_down_share, percent],
    ["steady: up", (l) => l.steady_up_share, percent]];

  // order: {column, falling}.
  function table(lines, columns, order) {
    const sorted = lines.map((line, i) => ({ line, i, key: columns[order.column][1](line) }));
    sorted.sort((a, b) => (a.key === b.key ? a.i - b.i : (a.key < b.key ? -1 : 1) * (order.falling ? -1 : 1)));
    const arrow = (i) => (i !== order.column ? "" : order.falling ? " \u25bc" : " \u25b2");
    const spoken = (i) => (i !== order.column ? "none" : order.falling ? "descending" : "ascending");
    return "<table><thead><tr>" + columns.map(([head], i) => '<th tabindex="0" data-column="' + i + '" aria-sort="' + spoken(i) + '">' + esc(head) +
      arrow(i) + "</th>").join("") + "</tr></thead><tbody>" + sorted.map(({ line }) => "<tr>" + columns.map(([, value, show]) => "<td>" +
      esc(show(value(line), line)) + "</td>").join("") + "</tr>").join("") + "</tbody></table>";
  }

  // ---------------------------------------------------------------- figures

  function tiles(report) {
    const phases = report.phases, predicted = report.predicted;
    const off = (error) => (error === null ? "" : ", " + (100 * Math.abs(error)).toFixed(1) + " % " + (error < 0 ? "less" : "more"));
    const beside = (text, error) => (predicted ? "predicted " + text + off(error) : "");
    const all = [
      ["tasks back", report.completed + " of " + report.farm.tasks, report.farm.policy + ", " + report.farm.buffers + " buffer(s) a node" +
        (report.farm.granularity > 1 ? ", " + report.farm.granularity + " tasks a message" : "")],
      ["steady rate", report.rate.steady_per_s === null ? "none" : report.rate.steady_per_s.toFixed(2) + " tasks/s",
        (report.rate.why_no_steady || "") + (predicted ? beside(predicted.steady_per_s.toFixed(2), predicted.steady_error) : "")],
      ["total", time(phases.total_us), (report.finished ? "first task until result_receiver() returned; " : "first task to last result; ") + report.rate.whole_per_s.toFixed(2) + " tasks/s" +
        (predicted ? "; " + beside(time(predicted.total_us), predicted.total_error) : "")],
      ["start-up", time(phases.start_up_us), (phases.never_began > 0 ? phases.never_began + " worker(s) never began " : "") +
        (predicted ? beside(time(predicted.start_up_us), predicted.start_up_error) : "")],
      ["steady state", time(phases.steady_us), ""], ["wind-down", time(phases.wind_down_us), ""]];
    if (phases.post_process_us > 0) all.push(["post-process", time(phases.post_process_us), "last result until result_receiver() returned"]);
    if (report.reissued.length > 0) all.push(["issued again", report.reissued.length + " tasks", report.reissued.slice(0, 6).map((again) =>
      again.task + " of n" + again.child).join(", ") + (report.reissued.length > 6 ? ", ..." : "")]);
    return all.map(([name, value, more]) => '<div class="tile"><span>' + esc(name) + "</span><b>" + esc(value) + "</b><span>" + esc(more) +
                   "</span></div>").join("");
  }

  function verdict(data) {
    let text = "";
    if (data.verdict) text += "<h2>Verdict of the monitor</h2><pre>" + esc(data.verdict) + "</pre>";
    if (data.losses.length > 0) text += "<p>Trace records lost: " + data.losses.map((loss) => "n" + loss.node + " " + esc(loss.text)).join("; ") + ".</p>";
    return text;
  }

  return { esc, percent, time, tree, place, charts, table, nodeColumns, linkColumns, tiles, verdict };
})();
if (typeof module !== "undefined") module.exports = FarmFigures;
