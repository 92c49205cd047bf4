#include "final_report.hpp"

#include <charconv>
#include <string_view>

namespace session {
namespace {

constexpr std::string_view title = "***** Final Report*****", last_line = "Results taken = ", node_line = "Node ";
constexpr std::string_view last_line_of_halo = "Checksum = ";

// The number between `before` and `after`, when the line is exactly that.
std::optional<std::uint64_t> number_in(std::string_view line, std::string_view before, std::string_view after = {}) {
    if (!line.starts_with(before) || !line.ends_with(after) || line.size() <= before.size() + after.size()) return std::nullopt;
    line.remove_prefix(before.size());
    line.remove_suffix(after.size());
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value);
    if (error != std::errc() || end != line.data() + line.size()) return std::nullopt;
    return value;
}

}  // namespace

FinalReport::FinalReport(std::size_t nodes, std::size_t members, std::uint32_t tasks, bool counts_all, Of of)
    : nodes_(nodes), members_(members), tasks_(tasks), counts_all_(counts_all), of_(of) {}

void FinalReport::was_none() {
    begun_ = complete_ = false;
    results_.reset();
    lines_.clear();
}

void FinalReport::printed(const std::string& text) {
    for (const char c : text) {
        if (complete_) was_none();
        if (c == '\n') {
            line(open_);
            open_.clear();
        } else {
            open_ += c;
        }
    }
}

void FinalReport::line(const std::string& text) {
    if (text == title) {
        lines_.erase(lines_.begin(), lines_.empty() ? lines_.end() : std::prev(lines_.end()));
        begun_ = true;
    } else if (!begun_) {
        lines_.clear();  // only the line before the title is needed of the program's output
    }
    lines_.push_back(text);
    if (!begun_ || !text.starts_with(of_ == Of::Farm ? last_line : last_line_of_halo)) return;
    complete_ = true;
    const auto taken = number_in(text, last_line);
    if (taken && *taken <= tasks_ && fits(*taken)) results_ = static_cast<std::uint32_t>(*taken);
}

// The program may have printed something before the first line without ending it.
bool FinalReport::fits(std::uint64_t taken) const {
    constexpr std::size_t head = 7;
    if (lines_.size() != head + nodes_ + 1) return false;
    const std::size_t time = lines_[0].rfind("Execution time = ");
    if (time == std::string::npos || !number_in(std::string_view(lines_[0]).substr(time), "Execution time = ", " microseconds"))
        return false;
    const bool known = lines_[2].starts_with("Configuration : ") && number_in(lines_[3], "Total Nodes = ") == members_ &&
                       number_in(lines_[4], "Granularity = ") && number_in(lines_[5], "Total Buffers = ") &&
                       lines_[6] == "Task Distribution:";
    if (!known) return false;
    std::uint64_t computed = 0;
    for (std::size_t i = 0; i < nodes_; ++i) {
        const std::string before = std::string(node_line) + std::to_string(i) + "   ";
        const auto tasks = number_in(lines_[head + i], before, " Tasks");
        if (!tasks) return false;
        computed += *tasks;
    }
    return !counts_all_ || computed >= taken;
}

}  // namespace session
