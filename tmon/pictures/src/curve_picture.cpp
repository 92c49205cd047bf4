#include <tmon_pictures/curve_picture.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>

#include <fmt/format.h>

#include <text/output_file.hpp>
#include <tmon_pictures/drawing_program.hpp>
#include <vocabulary/contract.hpp>
#include <vocabulary/source_position.hpp>

namespace tmon_pictures {
namespace {

using vocabulary::InputError;

// Okabe and Ito, "Color universal design" (2008); yellow last, since it is weak on white.
constexpr const char* colours[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442"};
constexpr int markers[] = {7, 5, 9, 13, 6, 4, 8, 12};  // gnuplot's: circle, square, triangle, diamond, filled, then empty
constexpr int dash_kinds = 5;

bool is_png(const std::string& path) {
    return std::filesystem::path(path).extension() == ".png";
}

// In double quotes gnuplot knows escapes, in single quotes only the quote itself.
std::string quoted(const std::string& text) {
    std::string result = "'";
    for (const char c : text) {
        if (c == '\'') result += '\'';
        if (static_cast<unsigned char>(c) >= ' ') result += c;
    }
    return result + "'";
}

std::string terminal(const std::string& path, std::size_t panels) {
    const std::size_t height = 120 + 420 * panels;
    return is_png(path) ? fmt::format("set terminal pngcairo noenhanced size 960,{} font 'sans,11'\n", height)
                        : fmt::format("set terminal svg noenhanced size 960,{} font 'sans,14' background '#ffffff'\n", height);
}

std::string axis_text(const Axis& axis, const char* name) {
    std::string text = fmt::format("set {}label {}\n", name, quoted(axis.label));
    text += fmt::format("{} logscale {}\n", axis.scale == Scale::Log ? "set" : "unset", name);
    if (axis.names.empty()) return text + fmt::format("set {}tics autofreq\nset autoscale {}\n", name, name);
    text += fmt::format("set {}tics (", name);
    for (std::size_t i = 0; i < axis.names.size(); ++i)
        text += fmt::format("{}{} {}", i == 0 ? "" : ", ", quoted(axis.names[i]), i);
    return text + fmt::format(")\nset {}range [-0.5:{}]\n", name, static_cast<double>(axis.names.size()) - 0.5);
}

void check_points(const CurvePicture& picture) {
    for (const Curve& curve : picture.curves)
        for (const CurvePoint& point : curve.points) {
            EXPECTS(std::isfinite(point.x) && std::isfinite(point.y), "curve_picture.finite");
            EXPECTS((picture.x.scale == Scale::Linear || point.x > 0) && (picture.y.scale == Scale::Linear || point.y > 0),
                    "curve_picture.log");
        }
}

std::string data_text(const CurvePicture& picture, std::size_t panel) {
    std::string text;
    for (std::size_t i = 0; i < picture.curves.size(); ++i) {
        text += fmt::format("$p{}c{} << END\n", panel, i);
        for (const CurvePoint& point : picture.curves[i].points) text += fmt::format("{:.9g} {:.9g}\n", point.x, point.y);
        if (picture.curves[i].points.empty()) text += "NaN NaN\n";
        text += "END\n";
    }
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
        text += (i == 0 ? "" : ", \\\n     ") + curve_text(picture.curves[i], panel, i);
    return text + "\n";
}

}  // namespace

Scale fitting_scale(const std::vector<double>& values) {
    if (values.empty()) return Scale::Linear;
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    return *least > 0 && *most >= 20 * *least ? Scale::Log : Scale::Linear;
}

void check_picture_kind(const std::string& path) {
    const std::string ending = std::filesystem::path(path).extension();
    if (ending != ".svg" && ending != ".png")
        throw InputError({path, 0, 0}, "this kind of picture cannot be drawn; use a name that ends with .svg or .png");
}

std::string gnuplot_text(const std::vector<CurvePicture>& panels, const std::string& path) {
    EXPECTS(!panels.empty(), "curve_picture.panels");
    std::string text = terminal(path, panels.size()) + "set output '{out}'\n";
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
    check_picture_kind(path);
    text::check_output_file(path, replace);
    // -d: no settings of the user's own.
    text::write_text_file(path,
                          drawn_by({"gnuplot", "gnuplot-nox", "take the figures without the picture"}, {"-d", "{in}"},
                                   gnuplot_text(panels, path), path),
                          replace);
}

}  // namespace tmon_pictures
