#include "gnuplot.hpp"

#include <filesystem>

#include <fmt/format.h>

#include <tmon_pictures/drawing_program.hpp>
#include <vocabulary/source_position.hpp>

namespace tmon_pictures {

// In double quotes gnuplot knows escapes, in single quotes only the quote itself.
std::string quoted(const std::string& text) {
    std::string result = "'";
    for (const char c : text) {
        if (c == '\'') result += '\'';
        if (static_cast<unsigned char>(c) >= ' ') result += c;
    }
    // This word stands for the picture's own file (drawing_program.hpp).
    for (auto at = result.find("{out}"); at != std::string::npos; at = result.find("{out}", at)) result.insert(at + 1, " ");
    return result + "'";
}

std::string terminal(const std::string& path, std::size_t width, std::size_t height) {
    return std::filesystem::path(path).extension() == ".png"
               ? fmt::format("set terminal pngcairo noenhanced size {},{} font 'sans,11'\n", width, height)
               : fmt::format("set terminal svg noenhanced size {},{} font 'sans,14' background '#ffffff'\n", width, height);
}

namespace {

// A label of a tic is a format for its number, so a percent sign is written twice.
std::string quoted_tic(std::string name) {
    for (auto at = name.find('%'); at != std::string::npos; at = name.find('%', at + 2)) name.insert(at, 1, '%');
    return tmon_pictures::quoted(name);
}

}  // namespace

std::string names_text(const std::vector<std::string>& names, const char* axis) {
    constexpr std::size_t room = 90;  // letters beside each other under a picture
    std::size_t letters = 0;
    for (const std::string& name : names) letters += name.size() + 2;
    std::string text = fmt::format("set {}tics {}(", axis, *axis == 'x' && letters > room ? "rotate by -35 " : "");
    for (std::size_t i = 0; i < names.size(); ++i) text += fmt::format("{}{} {}", i == 0 ? "" : ", ", quoted_tic(names[i]), i);
    return text + fmt::format(")\nset {}range [-0.5:{}]\n", axis, static_cast<double>(names.size()) - 0.5);
}

void check_picture_kind(const std::string& path) {
    const std::string ending = std::filesystem::path(path).extension();
    if (ending != ".svg" && ending != ".png")
        throw vocabulary::InputError({path, 0, 0},
                                     "this kind of picture cannot be drawn; use a name that ends with .svg or .png");
}

void draw_with_gnuplot(const std::string& path, text::Replace replace, const std::function<std::string()>& text) {
    check_picture_kind(path);
    text::check_output_file(path, replace);
    // -d: no settings of the user's own.
    text::write_text_file(
        path, drawn_by({"gnuplot", "gnuplot-nox", "take the figures without the picture"}, {"-d", "{in}"}, text(), path),
        replace);
}

}  // namespace tmon_pictures
