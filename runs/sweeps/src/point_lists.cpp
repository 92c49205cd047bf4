#include <sweeps/point_lists.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>

#include <fmt/format.h>

#include <vocabulary/errors.hpp>

namespace sweeps {

std::string list_text(const std::vector<std::size_t>& points) {
    std::string text;
    for (std::size_t i = 0; i < points.size();) {
        std::size_t end = i + 1;
        while (end < points.size() && points[end] == points[end - 1] + 1) ++end;
        if (i > 0) text += ',';
        text += std::to_string(points[i] + 1);
        if (end > i + 1) text += '-' + std::to_string(points[end - 1] + 1);
        i = end;
    }
    return text;
}

std::vector<std::size_t> points_of_list(const std::string& text) {
    std::vector<std::size_t> points;
    const char *at = text.data(), *const end = at + text.size();
    const auto number = [&] {
        std::size_t value = 0;
        const auto [after, error] = std::from_chars(at, end, value);
        if (error != std::errc() || value == 0) throw vocabulary::RequestError("'" + text + "' is no list of points");
        at = after;
        return value - 1;
    };
    while (at != end) {
        const std::size_t first = number();
        const bool is_range = at != end && *at == '-';
        if (is_range) ++at;
        const std::size_t last = is_range ? number() : first;
        for (std::size_t point = first; point <= last; ++point) points.push_back(point);
        if (at != end && *at++ != ',') throw vocabulary::RequestError("'" + text + "' is no list of points");
    }
    return points;
}

namespace {

constexpr int line_bytes = 12;

}  // namespace

UnderWay::UnderWay(const std::string& path, std::size_t at_once)
    : path_(path), file_(open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666)), slots_(at_once) {
    if (file_ < 0) vocabulary::throw_file_error(path, errno, std::string("cannot be written: ") + std::strerror(errno));
}

UnderWay::~UnderWay() {
    if (file_ < 0) return;
    if (ftruncate(file_, 0) != 0) unlink(path_.c_str());
    close(file_);
}

void UnderWay::begins(std::size_t point) {
    const auto slot = static_cast<std::size_t>(std::find(slots_.begin(), slots_.end(), std::nullopt) - slots_.begin());
    if (slot == slots_.size()) slots_.emplace_back();
    slots_[slot] = point;
    write(slot);
}

void UnderWay::ended(std::size_t point) {
    const auto slot = static_cast<std::size_t>(std::find(slots_.begin(), slots_.end(), std::optional(point)) - slots_.begin());
    if (slot == slots_.size()) return;
    slots_[slot].reset();
    write(slot);
}

void UnderWay::write(std::size_t slot) {
    const std::string line = fmt::format("{:>{}}\n", slots_[slot] ? *slots_[slot] + 1 : 0, line_bytes - 1);
    if (pwrite(file_, line.data(), line.size(), static_cast<off_t>(slot * line_bytes)) != line_bytes)
        vocabulary::throw_file_error(path_, errno, std::string("cannot be written: ") + std::strerror(errno));
}

void UnderWay::done() {
    unlink(path_.c_str());
    close(file_);
    file_ = -1;
}

std::optional<std::vector<std::size_t>> UnderWay::left(const std::string& path) {
    std::ifstream file(path);
    if (!file) return std::nullopt;
    std::vector<std::size_t> points;
    for (std::size_t number = 0; file >> number;)
        if (number > 0) points.push_back(number - 1);
    return points;
}

}  // namespace sweeps
