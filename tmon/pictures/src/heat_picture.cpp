// The map of cells, as gnuplot reads it.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <tmon_pictures/curve_picture.hpp>
#include <vocabulary/contract.hpp>

#include "gnuplot.hpp"

namespace tmon_pictures {
namespace {

// Five stops of viridis (van der Walt and Smith, 2015).
constexpr const char* palette = "set palette defined (0 '#440154', 1 '#3b528b', 2 '#21918c', 3 '#5ec962', 4 '#fde725')\n";

struct Cell {
    std::size_t x = 0, y = 0;
    double value = 0;
};

std::vector<Cell> cells_of(const HeatPicture& picture) {
    std::vector<Cell> cells;
    for (std::size_t y = 0; y < picture.cells.size(); ++y) {
        EXPECTS(picture.cells[y].size() == picture.x.names.size(), "heat_picture.row");
        for (std::size_t x = 0; x < picture.cells[y].size(); ++x)
            if (const auto& value = picture.cells[y][x]) cells.push_back({x, y, *value});
    }
    return cells;
}

// A colour for one value alone needs a range, too.
Range colours_of(const std::vector<Cell>& cells, Scale scale) {
    const auto [least, most] =
        std::minmax_element(cells.begin(), cells.end(), [](const Cell& a, const Cell& b) { return a.value < b.value; });
    if (least->value < most->value) return {least->value, most->value};
    if (scale == Scale::Log) return {least->value / 2, least->value * 2};
    const double room = std::max(1.0, std::abs(least->value) / 2);
    return {least->value - room, least->value + room};
}

double place_in(const Range& range, double value, Scale scale) {
    if (scale == Scale::Log) return std::log(value / range.least) / std::log(range.most / range.least);
    return (value - range.least) / (range.most - range.least);
}

std::string numbers_text(const std::vector<Cell>& cells, const Range& range, Scale scale, bool bright) {
    constexpr double middle = 0.6;  // from here on black is easier to read
    std::string text;
    for (const Cell& cell : cells)
        if ((place_in(range, cell.value, scale) >= middle) == bright)
            text += fmt::format("{} {} {:.4g}\n", cell.x, cell.y, cell.value);
    return text;
}

}  // namespace

std::string heat_text(const HeatPicture& picture, const std::string& path) {
    EXPECTS(!picture.x.names.empty() && picture.cells.size() == picture.y.names.size() && !picture.cells.empty(),
            "heat_picture.names");
    const std::vector<Cell> cells = cells_of(picture);
    EXPECTS(!cells.empty(), "heat_picture.cells");
    const Range range = colours_of(cells, picture.scale);
    std::string text = terminal(path, 960, std::clamp<std::size_t>(220 + 34 * picture.y.names.size(), 360, 2400)) +
                       "set output '{out}'\n$cells << END\n";
    for (const Cell& cell : cells) {
        EXPECTS(std::isfinite(cell.value) && (picture.scale == Scale::Linear || cell.value > 0), "heat_picture.value");
        text += fmt::format("{} {} {:.9g}\n", cell.x, cell.y, cell.value);
    }
    text += "END\n";
    // gnuplot has no labels without a point.
    std::string labels;
    for (const bool bright : {false, true}) {
        const std::string numbers = cells.size() <= most_numbers ? numbers_text(cells, range, picture.scale, bright) : "";
        if (numbers.empty()) continue;
        text += fmt::format("${} << END\n{}END\n", bright ? "bright" : "dark", numbers);
        labels += fmt::format(", \\\n     ${} using 1:2:3 with labels textcolor rgb '{}'", bright ? "bright" : "dark",
                              bright ? "#000000" : "#ffffff");
    }
    text += fmt::format("set title {}\nset xlabel {}\nset ylabel {}\nset cblabel {}\n",
                        quoted(picture.note.empty() ? picture.title : picture.title + "  |  " + picture.note),
                        quoted(picture.x.label), quoted(picture.y.label), quoted(picture.label));
    text += names_text(picture.x.names, "x") + names_text(picture.y.names, "y") + palette;
    if (picture.scale == Scale::Log) text += "set logscale cb\n";
    text += fmt::format("set cbrange [{:.9g}:{:.9g}]\nunset key\n", range.least, range.most);
    text += "plot $cells using 1:2:(0.49):(0.49):3 with boxxyerror fillstyle solid noborder linecolor palette";
    return text + labels + "\nunset output\n";
}

void draw_heat(const HeatPicture& picture, const std::string& path, text::Replace replace) {
    draw_with_gnuplot(path, replace, [&] { return heat_text(picture, path); });
}

}  // namespace tmon_pictures
