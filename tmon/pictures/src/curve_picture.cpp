#include <tmon_pictures/curve_picture.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include <vocabulary/contract.hpp>

#include "gnuplot.hpp"

namespace tmon_pictures {
namespace {

// Okabe and Ito, "Color universal design" (2008); yellow last, since it is weak on white.
constexpr const char* colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442"};
constexpr int markers[] = {7, 5, 9, 13, 6, 4, 8, 12};  // gnuplot's: circle, square, triangle, diamond, filled, then empty
constexpr int dash_kinds = 5;

std::string axis_text(const Axis& axis, const char* name) {
    std::string text = fmt::format("set {}label {}\n", name, quoted(axis.label));
    text += fmt::format("{} logscale {}\n", axis.scale == Scale::Log ? "set" : "unset", name);
    if (axis.names.empty()) return text + fmt::format("set {}tics autofreq\nset autoscale {}\n", name, name);
    return text + names_text(axis.names, name);
}

void check_points(const CurvePicture& picture) {
    for (const Curve& curve : picture.curves)
        for (const CurvePoint& point : curve.points) {
            EXPECTS(std::isfinite(point.x) && std::isfinite(point.y), "curve_picture.finite");
            const double least = point.spread ? std::min(point.y, point.spread->least) : point.y;
            EXPECTS((picture.x.scale == Scale::Linear || point.x > 0) && (picture.y.scale == Scale::Linear || least > 0),
                    "curve_picture.log");
        }
}

std::string data_text(const CurvePicture& picture, std::size_t panel) {
    std::string text;
    for (std::size_t i = 0; i < picture.curves.size(); ++i) {
        text += fmt::format("$p{}c{} << END\n", panel, i);
        for (const CurvePoint& point : picture.curves[i].points) {
            const Range range = point.spread.value_or(Range{point.y, point.y});
            text += fmt::format("{:.9g} {:.9g} {:.9g} {:.9g}\n", point.x, point.y, range.least, range.most);
        }
        if (picture.curves[i].points.empty()) text += "NaN NaN\n";
        text += "END\n";
    }
    return text;
}

// Band or bars behind the curve itself; empty when no point has a spread.
std::string spread_text(const CurvePicture& picture, std::size_t panel, std::size_t index) {
    const std::vector<CurvePoint>& points = picture.curves[index].points;
    if (std::none_of(points.begin(), points.end(), [](const CurvePoint& point) { return point.spread.has_value(); })) return {};
    const char* colour = colours[index % std::size(colours)];
    if (!picture.x.names.empty() || points.size() == 1)
        return fmt::format(
            "$p{}c{} using 1:2:3:4 with yerrorbars linecolor rgb '{}' linewidth 1.5 pointtype 0 notitle, \\\n     ", panel,
            index, colour);
    // The band's edges have the curve's dashes, so that bands over each other can be told apart.
    std::string text = fmt::format(
        "$p{0}c{1} using 1:3:4 with filledcurves linecolor rgb '{2}' fillstyle transparent solid 0.15 noborder notitle, \\\n   "
        "  ",
        panel, index, colour);
    for (const int column : {3, 4})
        text += fmt::format("$p{}c{} using 1:{} with lines linecolor rgb '{}' linewidth 0.7 dashtype {} notitle, \\\n     ",
                            panel, index, column, colour, 1 + static_cast<int>(index) % dash_kinds);
    return text;
}

std::string curve_text(const Curve& curve, std::size_t panel, std::size_t index) {
    const bool line = curve.style != CurveStyle::Markers, marker = curve.style != CurveStyle::Line;
    std::string text = fmt::format("$p{}c{} using 1:2 with {} linecolor rgb '{}'", panel, index,
                                   line && marker ? "linespoints"
                                   : line         ? "lines"
                                                  : "points",
                                   colours[index % std::size(colours)]);
    if (line) text += fmt::format(" linewidth 2 dashtype {}", 1 + static_cast<int>(index) % dash_kinds);
    if (marker) text += fmt::format(" pointtype {} pointsize 0.9", markers[index % std::size(markers)]);
    return text + (curve.name.empty() ? std::string(" notitle") : " title " + quoted(curve.name));
}

std::string panel_text(const CurvePicture& picture, std::size_t panel) {
    std::string text =
        fmt::format("set title {}\n", quoted(picture.note.empty() ? picture.title : picture.title + "  |  " + picture.note));
    text += axis_text(picture.x, "x") + axis_text(picture.y, "y");
    // Axes of curves without a point have no range that gnuplot could find.
    const bool any =
        std::any_of(picture.curves.begin(), picture.curves.end(), [](const Curve& c) { return !c.points.empty(); });
    if (!any) text += "set xrange [0.1:1]\nset yrange [0.1:1]\n";
    text += "plot ";
    for (std::size_t i = 0; i < picture.curves.size(); ++i)
        text += (i == 0 ? "" : ", \\\n     ") + spread_text(picture, panel, i) + curve_text(picture.curves[i], panel, i);
    return text + "\n";
}

}  // namespace

Scale fitting_scale(const std::vector<double>& values) {
    if (values.empty()) return Scale::Linear;
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    return *least > 0 && *most >= 20 * *least ? Scale::Log : Scale::Linear;
}

std::string gnuplot_text(const std::vector<CurvePicture>& panels, const std::string& path) {
    EXPECTS(!panels.empty(), "curve_picture.panels");
    std::string text = terminal(path, 960, 120 + 420 * panels.size()) + "set output '{out}'\n";
    for (std::size_t i = 0; i < panels.size(); ++i) {
        EXPECTS(!panels[i].curves.empty(), "curve_picture.curves");
        check_points(panels[i]);
        text += data_text(panels[i], i);
    }
    text += "set key above left\nset grid\n";
    if (panels.size() > 1) text += fmt::format("set multiplot layout {},1\n", panels.size());
    for (std::size_t i = 0; i < panels.size(); ++i) text += panel_text(panels[i], i);
    return text + (panels.size() > 1 ? "unset multiplot\n" : "") + "unset output\n";
}

void draw_curves(const std::vector<CurvePicture>& panels, const std::string& path, text::Replace replace) {
    draw_with_gnuplot(path, replace, [&] { return gnuplot_text(panels, path); });
}

}  // namespace tmon_pictures
