// Parts of gnuplot's language that all pictures share, and the program itself.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include <tmon_pictures/curve_picture.hpp>

namespace tmon_pictures {

std::string quoted(const std::string& text);
// The kind of picture by the ending of the path; size in pixels of an SVG.
std::string terminal(const std::string& path, std::size_t width, std::size_t height);
// Marks with `names[i]` at i, and a range with room for them. Long names are slanted along x.
std::string names_text(const std::vector<std::string>& names, const char* axis);
// `text`: what gnuplot reads. Throws as draw_curves().
void draw_with_gnuplot(const std::string& path, text::Replace replace, const std::function<std::string()>& text);

}  // namespace tmon_pictures
