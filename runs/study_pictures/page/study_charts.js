"use strict";
// The pictures of a study's page as SVG: curves with their spread, and a heat map. All text that comes from a study goes through
// esc(). Runs without a browser, too.
const StudyCharts = (() => {
  // Okabe and Ito; each curve also has a marker and dashes of its own.
  const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#b8a800"];
  const DASHES = ["", "7 4", "2 3", "9 3 2 3", "12 3"];
  const VIRIDIS = [[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]];
  const WIDTH = 720, HEIGHT = 420, LEFT = 86, RIGHT = 16, TOP = 14, BOTTOM = 52;

  const esc = (text) => String(text).replace(/[&<>"']/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" })[c]);
  const labelled = (name, unit) => (unit ? name + " (" + unit + ")" : name);

  function number(value) {
    if (value === 0) return "0";
    const size = Math.abs(value);
    if (size >= 1e6 || size < 1e-4) return value.toExponential(3).replace(/\.?0+e/, "e").replace("e+", "e");
    return String(Number(value.toPrecision(6)));
  }

  // {least, mean, median, most, count} of numbers.
  function spread(values) {
    const sorted = Float64Array.from(values).sort(), half = sorted.length >> 1;
    const median = sorted.length % 2 === 1 ? sorted[half] : sorted[half - 1] + (sorted[half] - sorted[half - 1]) / 2;
    let sum = 0;
    for (const value of sorted) sum += value;
    return { least: sorted[0], mean: sum / sorted.length, median, most: sorted[sorted.length - 1], count: sorted.length };
  }

  // Numbers of a measure by the values of one or two axes: Map of key(first, second) to spread.
  const key = (first, second) => first + "," + second;
  function cells(data, rows, first, second, measure) {
    const lists = new Map(), values = data.measures[measure].values;
    for (const row of rows) {
      const value = values[row];
      if (typeof value !== "number") continue;
      const at = key(data.axes[first].of[row], second < 0 ? -1 : data.axes[second].of[row]);
      if (!lists.has(at)) lists.set(at, []);
      lists.get(at).push(value);
    }
    return new Map([...lists].map(([at, list]) => [at, spread(list)]));
  }

  // The indices of an axis' values that the rows have: numbers rise, names keep the order of the study.
  function present(data, rows, axis) {
    const its = data.axes[axis], there = [...new Set(rows.map((row) => its.of[row]))].sort((a, b) => a - b);
    if (its.numbers) there.sort((a, b) => its.numbers[a] - its.numbers[b]);
    return there;
  }

  // Round numbers in the range, about `count` of them: 1, 2 or 5 times a power of ten. On a logarithmic axis powers of ten, with 2
  // and 5 where there are few.
  function ticks(least, most, count, logarithmic) {
    const list = [];
    if (logarithmic) {
      const low = Math.floor(Math.log10(least)), high = Math.ceil(Math.log10(most)), few = high - low <= 3;
      for (let power = low; power <= high; ++power)
        for (const step of few ? [1, 2, 5] : [1]) {
          const tick = step * 10 ** power;
          if (tick >= least * 0.999999 && tick <= most * 1.000001) list.push(tick);
        }
      const every = Math.ceil(list.length / (2 * count));
      return list.filter((_, i) => i % every === 0);
    }
    const rough = (most - least) / count, power = 10 ** Math.floor(Math.log10(rough));
    const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999999);
    for (let i = Math.ceil(least / step - 1e-9); i * step <= most + step * 1e-9; ++i) list.push(Number((i * step).toPrecision(12)));
    return list;
  }

  // Where a value stands between 0 and 1.
  function scale(least, most, logarithmic) {
    if (logarithmic) return (value) => Math.log(value / least) / Math.log(most / least);
    return (value) => (value - least) / (most - least);
  }
  function widened(least, most, logarithmic) {
    if (logarithmic) return least === most ? [least / 2, most * 2] : [least, most];
    const room = least === most ? Math.max(1e-9, Math.abs(least)) * 0.1 : (most - least) * 0.05;
    return [least >= 0 && least - room < 0 ? 0 : least - room, most + room];
  }

  function marker(index, x, y, colour) {
    const fill = index % 8 < 4 ? colour : "#fff", r = 4, at = (dx, dy) => (x + dx).toFixed(1) + "," + (y + dy).toFixed(1);
    const look = '" fill="' + fill + '" stroke="' + colour + '" stroke-width="1.5"/>';
    switch (index % 4) {
      case 0: return '<circle cx="' + x.toFixed(1) + '" cy="' + y.toFixed(1) + '" r="' + r + look;
      case 1: return '<rect x="' + (x - r).toFixed(1) + '" y="' + (y - r).toFixed(1) + '" width="8" height="8' + look;
      case 2: return '<polygon points="' + [at(0, -5), at(5, 4), at(-5, 4)].join(" ") + look;
      default: return '<polygon points="' + [at(0, -6), at(5, 0), at(0, 6), at(-5, 0)].join(" ") + look;
    }
  }

  const text = (x, y, content, more) => '<text x="' + x.toFixed(1) + '" y="' + y.toFixed(1) + '" ' + (more || "") + ">" + esc(content) + "</text>";
  const line = (x1, y1, x2, y2, more) => '<line x1="' + x1.toFixed(1) + '" y1="' + y1.toFixed(1) + '" x2="' + x2.toFixed(1) + '" y2="' + y2.toFixed(1) +
                                         '" ' + (more || 'stroke="#ddd"') + "/>";
  const shortened = (name, most) => (name.length > most ? name.slice(0, most - 1) + "\u2026" : name);

  function frame(width, height, parts, label) {
    return '<svg viewBox="0 0 ' + width + " " + height + '" role="img" aria-label="' + esc(label) + '">' + parts.join("") + "</svg>";
  }

  // Why a picture cannot be drawn; empty: it can.
  function curveProblem(data, rows, want) {
    if (rows.length === 0) return "No point is chosen.";
    if (want.logX && !data.axes[want.x].numbers) return "The values of " + data.axes[want.x].name + " are no numbers, so that axis cannot be logarithmic.";
    if (want.logX && present(data, rows, want.x).some((i) => data.axes[want.x].numbers[i] <= 0)) return "A logarithmic axis has no place for 0.";
    const groups = want.by < 0 ? 1 : present(data, rows, want.by).length;
    if (groups > 24) return groups + " curves cannot be told apart; choose fewer values of " + data.axes[want.by].name + ".";
    const all = [...cells(data, rows, want.x, want.by, want.y).values()];
    if (all.length === 0) return "No chosen point has a number for " + data.measures[want.y].name + ".";
    if (want.logY && all.some((cell) => cell.least <= 0)) return "A logarithmic axis has no place for values that are not above 0.";
    return "";
  }

  // Axes and grid: ticks along y, and along x ticks or names.
  function axesOf(view, axis, measure, xs, want) {
    const { x, y, xLeast, xMost, yLeast, yMost } = view, parts = [];
    for (const tick of ticks(yLeast, yMost, 6, want.logY))
      parts.push(line(LEFT, y(tick), WIDTH - RIGHT, y(tick)), text(LEFT - 7, y(tick) + 4, number(tick), 'text-anchor="end"'));
    const named = axis.numbers ? ticks(xLeast, xMost, 8, want.logX).map((tick) => [tick, number(tick)])
                               : xs.map((i, at) => [at, shortened(axis.values[i], Math.max(6, Math.floor(90 / xs.length)))]);
    const skip = Math.ceil(named.length / 24), middle = (TOP + HEIGHT - BOTTOM) / 2;
    named.forEach(([tick, name], i) => {
      parts.push(line(x(tick), TOP, x(tick), HEIGHT - BOTTOM));
      if (i % skip === 0) parts.push(text(x(tick), HEIGHT - BOTTOM + 17, name, 'text-anchor="middle"'));
    });
    parts.push(line(LEFT, TOP, LEFT, HEIGHT - BOTTOM, 'stroke="#444"'), line(LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, HEIGHT - BOTTOM, 'stroke="#444"'));
    parts.push(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 14, labelled(axis.name, axis.unit), 'text-anchor="middle"'));
    parts.push(text(16, middle, labelled(measure.name, measure.unit), 'text-anchor="middle" transform="rotate(-90 16 ' + middle.toFixed(1) + ')"'));
    return parts;
  }

  // A band where the axis has numbers, else a bar for each point; of `of` curves this is number `index`.
  function spreadOf(points, view, index, of) {
    const colour = COLOURS[index % COLOURS.length], y = view.y;
    const most = points.map((p) => p.at.toFixed(1) + "," + y(p.cell.most).toFixed(1)).join(" ");
    const least = [...points].reverse().map((p) => p.at.toFixed(1) + "," + y(p.cell.least).toFixed(1)).join(" ");
    if (points.every((p) => p.cell.least === p.cell.most)) return [];
    if (!view.numbers || points.length < 2)
      return points.map((p) => {
        const at = p.at + (view.numbers ? 0 : (index - (of - 1) / 2) * Math.min(7, 60 / of));
        return line(at, y(p.cell.least), at, y(p.cell.most), 'stroke="' + colour + '" stroke-width="1.5"');
      });
    const edge = 'fill="none" stroke="' + colour + '" stroke-width="0.7" stroke-dasharray="' + DASHES[index % DASHES.length] + '"';
    return ['<polygon fill="' + colour + '" fill-opacity="0.13" points="' + most + " " + least + '"/>',
            "<polyline " + edge + ' points="' + most + '"/>', "<polyline " + edge + ' points="' + least + '"/>'];
  }

  function curve(points, view, index, name, axis, want) {
    const colour = COLOURS[index % COLOURS.length], dash = DASHES[index % DASHES.length];
    const parts = ['<polyline fill="none" stroke="' + colour + '" stroke-width="2" stroke-dasharray="' + dash + '" points="' +
                   points.map((p) => p.at.toFixed(1) + "," + view.y(p.cell[want.middle]).toFixed(1)).join(" ") + '"/>'];
    for (const p of points)
      parts.push("<g>" + marker(index, p.at, view.y(p.cell[want.middle]), colour) + "<title>" +
                 esc((name ? name + ", " : "") + axis.name + "=" + axis.values[p.i] + ": " + number(p.cell[want.middle]) + " (" + number(p.cell.least) +
                     " to " + number(p.cell.most) + ", " + p.cell.count + (p.cell.count === 1 ? " point)" : " points)")) + "</title></g>");
    if (!name) return parts;
    const top = HEIGHT + 10 + 18 * index;
    parts.push(line(LEFT, top, LEFT + 34, top, 'stroke="' + colour + '" stroke-width="2" stroke-dasharray="' + dash + '"'), marker(index, LEFT + 17, top, colour),
               text(LEFT + 44, top + 4, shortened(name, 90)));
    return parts;
  }

  // want: {x, y, by, middle, logX, logY}, numbers of axes and measures; by -1: one curve.
  function curves(data, rows, want) {
    const problem = curveProblem(data, rows, want);
    if (problem) return "<p>" + esc(problem) + "</p>";
    const axis = data.axes[want.x], measure = data.measures[want.y], xs = present(data, rows, want.x);
    const groups = want.by < 0 ? [-1] : present(data, rows, want.by), all = cells(data, rows, want.x, want.by, want.y);
    const placeOf = new Map(xs.map((i, at) => [i, at])), along = (i) => (axis.numbers ? axis.numbers[i] : placeOf.get(i));
    const ends = [along(xs[0]), along(xs[xs.length - 1])];
    const [xLeast, xMost] = !axis.numbers ? [-0.5, xs.length - 0.5] : ends[0] < ends[1] ? ends : widened(...ends, want.logX);
    let least = Infinity, most = -Infinity;
    for (const cell of all.values()) [least, most] = [Math.min(least, cell.least), Math.max(most, cell.most)];
    const [yLeast, yMost] = widened(least, most, want.logY);
    const placeX = scale(xLeast, xMost, want.logX), placeY = scale(yLeast, yMost, want.logY);
    const view = { numbers: Boolean(axis.numbers), xLeast, xMost, yLeast, yMost,
                   x: (value) => LEFT + placeX(value) * (WIDTH - LEFT - RIGHT), y: (value) => HEIGHT - BOTTOM - placeY(value) * (HEIGHT - TOP - BOTTOM) };
    const height = HEIGHT + (want.by < 0 ? 0 : 8 + 18 * groups.length);
    const parts = ['<rect width="' + WIDTH + '" height="' + height + '" fill="#fff"/>', ...axesOf(view, axis, measure, xs, want)];
    const lists = groups.map((group) => xs.filter((i) => all.has(key(i, group))).map((i) => ({ i, at: view.x(along(i)), cell: all.get(key(i, group)) })));
    lists.forEach((points, index) => parts.push(...spreadOf(points, view, index, groups.length)));
    lists.forEach((points, index) =>
      parts.push(...curve(points, view, index, want.by < 0 ? "" : data.axes[want.by].name + "=" + data.axes[want.by].values[groups[index]], axis, want)));
    return frame(WIDTH, height, parts, measure.name + " over " + axis.name);
  }

  function colourAt(share) {
    const at = Math.min(0.999999, Math.max(0, share)) * (VIRIDIS.length - 1), i = Math.floor(at);
    return VIRIDIS[i].map((from, part) => Math.round(from + (VIRIDIS[i + 1][part] - from) * (at - i)));
  }

  // want: {x, y, measure, middle, log}.
  function heat(data, rows, want) {
    if (want.x === want.y) return "<p>Take two different axes.</p>";
    const xs = present(data, rows, want.x), ys = present(data, rows, want.y), all = cells(data, rows, want.x, want.y, want.measure);
    if (all.size === 0) return "<p>No chosen point has a number for " + esc(data.measures[want.measure].name) + ".</p>";
    if (xs.length > 200 || ys.length > 200) return "<p>" + xs.length + " x " + ys.length + " cells are too many; choose fewer values, at most 200 of an axis.</p>";
    let least = Infinity, most = -Infinity;
    for (const cell of all.values()) [least, most] = [Math.min(least, cell[want.middle]), Math.max(most, cell[want.middle])];
    if (want.log && least <= 0) return "<p>Logarithmic colours have no place for values that are not above 0.</p>";
    const place = least === most ? () => 0.5 : scale(least, most, want.log);
    const xAxis = data.axes[want.x], yAxis = data.axes[want.y], left = 24 + Math.min(160, 8 * Math.max(...ys.map((i) => yAxis.values[i].length)) + 12);
    const right = 96, wide = (WIDTH - left - right) / xs.length, high = Math.max(6, Math.min(44, 340 / ys.length));
    const bottom = TOP + high * ys.length, height = bottom + BOTTOM;
    const parts = ['<rect width="' + WIDTH + '" height="' + height.toFixed(0) + '" fill="#fff"/>'];
    const few = wide >= 34 && high >= 16;
    ys.forEach((yi, down) => {
      const top = bottom - high * (down + 1);
      if (high >= 12 || down % Math.ceil(12 / high) === 0) parts.push(text(left - 6, top + high / 2 + 4, shortened(yAxis.values[yi], 20), 'text-anchor="end"'));
      xs.forEach((xi, across) => {
        const cell = all.get(key(xi, yi));
        const told = xAxis.name + "=" + xAxis.values[xi] + ", " + yAxis.name + "=" + yAxis.values[yi] + ": ";
        const colour = cell ? colourAt(place(cell[want.middle])) : null;
        parts.push('<g><rect x="' + (left + wide * across).toFixed(2) + '" y="' + top.toFixed(2) + '" width="' + wide.toFixed(2) + '" height="' + high.toFixed(2) +
                   '" fill="' + (colour ? "rgb(" + colour.join(",") + ")" : "#fff") + '" stroke="#fff"/>' +
                   (few ? text(left + wide * (across + 0.5), top + high / 2 + 4, cell ? Number(cell[want.middle].toPrecision(wide > 52 ? 4 : 3)) : "\u2013",
                               'text-anchor="middle" style="fill:' + (colour && 0.299 * colour[0] + 0.587 * colour[1] + 0.114 * colour[2] < 130 ? "#fff" : "#000") + '"') : "") +
                   "<title>" + esc(told + (cell ? number(cell[want.middle]) + " (" + number(cell.least) + " to " + number(cell.most) + ")" : "no value")) + "</title></g>");
      });
    });
    const each = Math.ceil(xs.length / 24);
    xs.forEach((xi, across) => {
      if (across % each === 0)
        parts.push(text(left + wide * (across + 0.5), bottom + 16, shortened(xAxis.values[xi], Math.max(4, Math.floor((wide * each) / 8))), 'text-anchor="middle"'));
    });
    parts.push(text(left + (WIDTH - left - right) / 2, height - 14, labelled(xAxis.name, ""), 'text-anchor="middle"'));
    parts.push(text(14, TOP + (bottom - TOP) / 2, yAxis.name, 'text-anchor="middle" transform="rotate(-90 14 ' + (TOP + (bottom - TOP) / 2).toFixed(1) + ')"'));
    const steps = 40, tall = (bottom - TOP) / steps;
    for (let i = 0; i < steps; ++i)
      parts.push('<rect x="' + (WIDTH - right + 20) + '" y="' + (bottom - tall * (i + 1)).toFixed(2) + '" width="14" height="' + (tall + 0.5).toFixed(2) + '" fill="rgb(' +
                 colourAt((i + 0.5) / steps).join(",") + ')"/>');
    parts.push(text(WIDTH - right + 38, TOP + 10, number(most)), text(WIDTH - right + 38, bottom, number(least)));
    return frame(WIDTH, Math.ceil(height), parts, data.measures[want.measure].name + " by " + xAxis.name + " and " + yAxis.name);
  }

  return { esc, number, spread, cells, present, ticks, curves, heat, labelled };
})();
if (typeof module !== "undefined") module.exports = StudyCharts;
