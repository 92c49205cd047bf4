// The table of a study's page, the choice of points, and what a person does there (docs/guide/studies.md); needs StudyCharts.
const StudyPage = (() => {
  const ROW = 26;  // pixels, as the style has it
  const MOST_VALUES = 60;  // of an axis that can be chosen from a list
  const MOST_FAILURES = 200;  // listed below the table
  const { esc, number, curves, heat, labelled } = StudyCharts;

  // Columns of the table: point, axes, measures, failure. get(row): a number, a text or null.
  function columns(data) {
    const list = [{ name: "point", get: (row) => data.points[row] }];
    for (const axis of data.axes)
      list.push({ name: axis.name, text: !axis.numbers, get: (row) => axis.values[axis.of[row]],
                  order: axis.numbers ? (row) => axis.numbers[axis.of[row]] : null });
    for (const measure of data.measures)
      list.push({ name: labelled(measure.name, measure.unit), text: measure.values.some((value) => typeof value === "string"), get: (row) => measure.values[row] });
    return list;
  }

  // Rows in the order of a column; what has no value comes last in either direction.
  function sorted(rows, column, falling) {
    const of = column.order || column.get, sign = falling ? -1 : 1;
    return rows.map((row) => [of(row), row]).sort(([a, x], [b, y]) => {
      const none = (a === null || a === undefined) - (b === null || b === undefined);
      if (none !== 0) return none;
      if (a === b || a === null || a === undefined) return x - y;
      if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
      return (a < b ? -1 : 1) * sign;
    }).map(([, row]) => row);
  }

  // choice: {axes: [value's index or -1], text, failed}. Every word of the text must stand in the row.
  function chosen(data, choice) {
    const words = choice.text.toLowerCase().split(/\s+/).filter((word) => word !== ""), list = [];
    for (let row = 0; row < data.points.length; ++row) {
      if (choice.failed && !data.failures[row]) continue;
      if (choice.axes.some((value, axis) => value >= 0 && data.axes[axis].of[row] !== value)) continue;
      if (words.length > 0) {
        const all = [data.points[row], ...data.axes.map((axis) => axis.name + "=" + axis.values[axis.of[row]]),
                     ...data.measures.map((measure) => measure.name + "=" + measure.values[row]), data.failures[row] || ""].join(" ").toLowerCase();
        if (!words.every((word) => all.includes(word))) continue;
      }
      list.push(row);
    }
    return list;
  }

  const shown = (value) => (value === null || value === undefined ? "\u2013" : typeof value === "number" ? number(value) : value);

  // The rows of the table that are seen, and blank space in place of the others.
  function tableHtml(data, cols, widths, rows, sort, top, height) {
    const first = Math.max(0, Math.floor(top / ROW) - 10), last = Math.min(rows.length, first + Math.ceil(height / ROW) + 20);
    const head = cols.map((col, i) => '<th scope="col" tabindex="0" data-col="' + i + '"' + (col.text ? ' class="text"' : "") + (sort.column === i ? ' aria-sort="' + (sort.falling ? "descending" : "ascending") + '"' : "") +
                                      ' title="' + esc(col.name) + '">' + esc(col.name) + (sort.column === i ? (sort.falling ? " \u25bc" : " \u25b2") : "") + "</th>").join("");
    const body = rows.slice(first, last).map((row) => {
      const failure = data.failures[row], own = cols.slice(0, 1 + data.axes.length), rest = cols.slice(1 + data.axes.length);
      const cell = (col) => "<td" + (col.text ? ' class="text"' : "") + ' title="' + esc(shown(col.get(row))) + '">' + esc(shown(col.get(row))) + "</td>";
      return "<tr>" + own.map(cell).join("") +
             (failure ? '<td class="failed" colspan="' + Math.max(1, rest.length) + '" title="' + esc(failure) + '">failed: ' + esc(failure) + "</td>" : rest.map(cell).join("")) +
             '<td class="text"><button data-copy="' + row + '" title="' + esc(data.repeat[row]) + '">Copy</button></td></tr>';
    }).join("");
    const space = (count) => (count > 0 ? '<tr class="spacer"><td colspan="' + (cols.length + 1) + '" style="height:' + count * ROW + 'px"></td></tr>' : "");
    return '<table style="width:' + (widths.reduce((a, b) => a + b, 0) + 12) + 'ch"><colgroup>' + widths.map((width) => '<col style="width:' + width + 'ch">').join("") + '<col style="width:12ch"></colgroup><thead><tr>' +
           head + '<th class="text">repeat</th></tr></thead><tbody>' + space(first) + body + space(rows.length - last) + "</tbody></table>";
  }

  function widthsOf(cols, rows) {
    return cols.map((col) => {
      let most = col.name.length + 3;
      for (const row of rows) most = Math.max(most, String(shown(col.get(row))).length);
      return Math.min(40, most) + 3;
    });
  }

  const option = (value, name, selected) => '<option value="' + value + '"' + (selected ? " selected" : "") + ">" + esc(name) + "</option>";
  const select = (id, label, names, at) => "<label>" + esc(label) + ' <select id="' + id + '">' + names.map(([value, name]) => option(value, name, value === at)).join("") + "</select></label>";
  const check = (id, label, on) => '<label><input type="checkbox" id="' + id + '"' + (on ? " checked" : "") + "> " + esc(label) + "</label>";

  // First choices of the pictures: the axis with most numbers along, the first number as measure, the shortest other axis as curves.
  function beginnings(data) {
    const numeric = data.measures.map((measure, i) => i).filter((i) => data.measures[i].values.some((value) => typeof value === "number"));
    const axes = data.axes.map((axis, i) => i), many = (i) => data.axes[i].values.length;
    const rank = (i) => (many(i) > 1 ? 2 : 0) + (data.axes[i].numbers && data.axes[i].name !== "seed" ? 1 : 0);
    const x = [...axes].sort((a, b) => rank(b) - rank(a) || a - b)[0];
    const others = axes.filter((i) => i !== x && many(i) > 1 && data.axes[i].name !== "seed");
    const by = others.find((i) => many(i) <= 8);
    return { numeric, x, by: by === undefined ? -1 : by, y: others.length > 0 ? others[0] : axes.find((i) => i !== x) };
  }

  function copied(text, doc, nav) {
    const byHand = () => {
      const area = doc.createElement("textarea");
      area.value = text;
      doc.body.appendChild(area);
      area.select();
      const done = doc.execCommand("copy");
      area.remove();
      return done;
    };
    if (nav && nav.clipboard && nav.clipboard.writeText) return nav.clipboard.writeText(text).then(() => true, byHand);
    return Promise.resolve(byHand());
  }

  function failuresHtml(data) {
    const failed = Object.keys(data.failures).map(Number);
    if (failed.length === 0) return "<p>No point failed.</p>";
    const lines = failed.slice(0, MOST_FAILURES).map((row) => "<li>Point " + data.points[row] + ": " + esc(data.failures[row]) + "<br><code>" + esc(data.repeat[row]) +
                                                              '</code> <button data-copy="' + row + '">Copy</button></li>');
    const more = failed.length - MOST_FAILURES;
    return "<ol>" + lines.join("") + "</ol>" + (more > 0 ? "<p>" + more + " more are in the table; choose \u201cfailures only\u201d.</p>" : "");
  }

  // The bars above the pictures and the table.
  function putBars(data, put) {
    const begin = beginnings(data), axisNames = data.axes.map((axis, i) => [i, axis.name]), measureNames = begin.numeric.map((i) => [i, data.measures[i].name]);
    put("choice", '<label>Text <input id="text" type="search" placeholder="all of these words"></label>' +
        data.axes.map((axis, i) => (axis.values.length > MOST_VALUES ? "" : select("axis-" + i, axis.name, [[-1, "all"], ...axis.values.map((value, at) => [at, value])], -1))).join("") +
        check("failed", "failures only", false));
    const middles = [["mean", "mean"], ["median", "median"]];
    put("curve-bar", select("curve-y", "Curves of", measureNames, begin.numeric[0]) + select("curve-x", "over", axisNames, begin.x) +
        select("curve-by", "a curve for each", [[-1, "(one curve)"], ...axisNames], begin.by) + select("curve-middle", "middle", middles, "mean") +
        check("curve-log-x", "log x", false) + check("curve-log-y", "log y", false));
    put("heat-bar", data.axes.length < 2 ? "" : select("heat-measure", "Map of", measureNames, begin.numeric[0]) + select("heat-x", "across", axisNames, begin.x) +
        select("heat-y", "up", axisNames, begin.y) + select("heat-middle", "middle", middles, "mean") + check("heat-log", "log colours", false));
    return begin.numeric.length > 0;
  }

  // The rows that are chosen, and everything that shows them: {choose(), drawRows(), drawCurves(), drawHeat()}.
  function views(data, choice, sort, byId, put, hasNumbers) {
    const cols = columns(data), widths = widthsOf(cols, data.points.map((_, row) => row)), table = byId("table");
    const value = (id) => Number(byId(id).value), on = (id) => byId(id).checked;
    let rows = [];
    const drawRows = () => put("table", tableHtml(data, cols, widths, rows, sort, table.scrollTop, table.clientHeight || 620));
    const drawCurves = () => put("curves", !hasNumbers ? "<p>No measure has numbers.</p>" :
        curves(data, rows, { x: value("curve-x"), y: value("curve-y"), by: value("curve-by") === value("curve-x") ? -1 : value("curve-by"),
                             middle: byId("curve-middle").value, logX: on("curve-log-x"), logY: on("curve-log-y") }));
    const drawHeat = () => put("heat", data.axes.length < 2 || !hasNumbers ? "" :
        heat(data, rows, { x: value("heat-x"), y: value("heat-y"), measure: value("heat-measure"), middle: byId("heat-middle").value, log: on("heat-log") }));
    const choose = () => {
      rows = sorted(chosen(data, choice), cols[sort.column], sort.falling);
      byId("told").textContent = rows.length + " of " + data.points.length + " points";
      table.scrollTop = 0;
      drawRows();
    };
    return { choose, drawRows, drawCurves, drawHeat };
  }

  function start(doc, win) {
    const data = JSON.parse(doc.getElementById("data").textContent);
    const byId = (id) => doc.getElementById(id), put = (id, html) => { byId(id).innerHTML = html; };
    const failed = Object.keys(data.failures).length;
    doc.title = "Study " + data.name;
    byId("title").textContent = "Study " + data.name;
    byId("version").textContent = data.version;
    byId("subtitle").textContent = data.points.length + " of " + data.whole + " points" + (data.only ? " (" + data.only + ")" : "") + ", " + (failed === 0 ? "none failed" : failed + " failed");
    put("failures", failuresHtml(data));
    const choice = { axes: data.axes.map(() => -1), text: "", failed: false }, sort = { column: 0, falling: false };
    const { choose, drawRows, drawCurves, drawHeat } = views(data, choice, sort, byId, put, putBars(data, put));
    const all = () => { choose(); drawCurves(); drawHeat(); };

    let waiting = null;
    byId("text").addEventListener("input", (event) => {
      choice.text = event.target.value;
      win.clearTimeout(waiting);
      waiting = win.setTimeout(all, 150);
    });
    byId("failed").addEventListener("change", (event) => { choice.failed = event.target.checked; all(); });
    data.axes.forEach((axis, i) => {
      if (axis.values.length <= MOST_VALUES) byId("axis-" + i).addEventListener("change", (event) => { choice.axes[i] = Number(event.target.value); all(); });
    });
    byId("curve-bar").addEventListener("change", drawCurves);
    byId("heat-bar").addEventListener("change", drawHeat);
    const sortBy = (event) => {
      const head = event.target.closest("th[data-col]");
      if (!head) return false;
      const column = Number(head.dataset.col);
      sort.falling = sort.column === column && !sort.falling;
      sort.column = column;
      choose();
      return true;
    };
    const copy = (event) => {
      const button = event.target.closest("button[data-copy]");
      if (!button) return;
      const line = data.repeat[Number(button.dataset.copy)];
      copied(line, doc, win.navigator).then((done) => { byId("told").textContent = (done ? "Copied: " : "Copy by hand: ") + line; });
    };
    const table = byId("table");
    table.addEventListener("click", (event) => { if (!sortBy(event)) copy(event); });
    table.addEventListener("keydown", (event) => { if (event.key === "Enter") sortBy(event); });
    byId("failures").addEventListener("click", copy);
    table.addEventListener("scroll", drawRows);
    win.addEventListener("resize", drawRows);
    all();
  }

  return { start, columns, sorted, chosen, tableHtml, widthsOf, beginnings };
})();

if (typeof document !== "undefined") StudyPage.start(document, window);
if (typeof module !== "undefined") module.exports = StudyPage;
