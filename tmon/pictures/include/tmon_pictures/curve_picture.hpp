// Curves in a picture (SVG or PNG), drawn by the program gnuplot (package gnuplot-nox). The same curves give the same bytes
// with the same gnuplot. Curves differ by colour (Okabe and Ito's eight, which colour-blind readers can distinguish), by
// marker and by dashes, so that print without colour is enough.
//
//   tmon_pictures::CurvePicture picture;
//   picture.title = "Slow-down of mandelbrot";
//   picture.x = {"grain (ms)", tmon_pictures::Scale::Log};
//   picture.y = {"slow-down (%)"};
//   picture.curves = {{"events [task]", {{0.1, 21.0}, {1.0, 4.2}, {10.0, 0.6}}}};
//   tmon_pictures::draw_curves({picture}, "grain.svg", text::Replace::No);
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <text/output_file.hpp>

namespace tmon_pictures {

struct Range {
    double least = 0, most = 0;
};

struct CurvePoint {
    double x = 0, y = 0;            // finite; greater than 0 on an axis that is Scale::Log
    std::optional<Range> spread{};  // of y; likewise. Drawn as a band, and as a bar where the axis has names
};

enum class CurveStyle { LineAndMarkers, Line, Markers };

struct Curve {
    std::string name;                // in the key; empty: not in the key
    std::vector<CurvePoint> points;  // joined in this order; none: the curve is only in the key
    CurveStyle style = CurveStyle::LineAndMarkers;
};

enum class Scale { Linear, Log };

struct Axis {
    std::string label;  // with the unit: "grain (ms)"
    Scale scale = Scale::Linear;
    std::vector<std::string> names{};  // labels instead of numbers: names[i] at i
};

struct CurvePicture {
    std::string title;
    Axis x, y;
    std::vector<Curve> curves;
    std::string note{};  // one line under the title: seed, scenario, what to see
};

// A map of cells with a colour for each value, from dark (least) to bright (most). The colours are those of viridis, which
// colour-blind readers and print without colour keep in order. Up to `most_numbers` cells also show their numbers.
struct HeatPicture {
    std::string title, note{};
    Axis x, y;                                              // with names; the scale does not matter
    std::string label;                                      // of the values, with the unit
    Scale scale = Scale::Linear;                            // of the colours
    std::vector<std::vector<std::optional<double>>> cells;  // [y][x], finite; greater than 0 with Scale::Log; empty: no value
};
inline constexpr std::size_t most_numbers = 400;

// Logarithmic when all values are greater than 0 and the largest is at least 20 times the smallest.
Scale fitting_scale(const std::vector<double>& values);

// The ending of the name, .svg or .png, selects the kind of picture. Throws vocabulary::InputError for another one.
void check_picture_kind(const std::string& path);

// `panels`: at least one, drawn one above the other, each with its own axes. Throws vocabulary::InputError as
// check_picture_kind() and check_output_file() do, and when gnuplot is missing or fails. Cost: a process, tenths of a second.
void draw_curves(const std::vector<CurvePicture>& panels, const std::string& path, text::Replace replace);

void draw_heat(const HeatPicture& picture, const std::string& path, text::Replace replace);  // throws likewise

// The input for gnuplot; "{out}" stands for the file it writes. For users who want to draw the picture themselves.
std::string gnuplot_text(const std::vector<CurvePicture>& panels, const std::string& path);
std::string heat_text(const HeatPicture& picture, const std::string& path);

}  // namespace tmon_pictures
