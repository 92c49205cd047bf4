#include "shell/to_cut.hpp"

#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cli {

using vocabulary::SimTime;

namespace {

// Lines may hold any sign, so their length comes first.
std::string changes_to_text(const std::vector<ShellChange>& changes) {
    std::string text = fmt::format("{}\n", changes.size());
    for (const ShellChange& one : changes)
        text += fmt::format("{} {} {} {}\n", one.at.in_ps(), one.until.in_ps(), one.line.size(), one.line);
    return text;
}

std::vector<ShellChange> changes_from(std::istringstream& stream) {
    std::size_t count = 0, length = 0;
    std::int64_t at = 0, until = 0;
    stream >> count;
    std::vector<ShellChange> changes(count);
    for (ShellChange& one : changes) {
        stream >> at >> until >> length;
        stream.ignore();
        one.at = SimTime::ps(at);
        one.until = SimTime::ps(until);
        one.line.resize(length);
        stream.read(one.line.data(), static_cast<std::streamsize>(length));
    }
    return changes;
}

std::string changes_line(const char* what, const std::vector<std::string>& lines) {
    return lines.empty() ? std::string() : fmt::format("  {}: {}\n", what, fmt::join(lines, "; "));
}

std::vector<std::string> change_lines(std::vector<ShellChange>::const_iterator begin,
                                      std::vector<ShellChange>::const_iterator end) {
    std::vector<std::string> lines;
    for (auto one = begin; one != end; ++one) lines.push_back(one->line);
    return lines;
}

}  // namespace

std::string ToCut::text() const {
    std::string text = fmt::format("{} {}\n{}\n{}\n", number, stopped_at.in_ps(), predicate, nodes.size());
    for (const Part& part : nodes)
        text += fmt::format("{} {} {} {} {} {}\n", part.count, part.known, part.hash, part.named ? 1 : 0, part.makers.size(),
                            fmt::join(part.makers, " "));
    return text + changes_to_text(changes) + changes_to_text(later);
}

ToCut ToCut::of(const std::string& text) {
    ToCut made;
    std::istringstream stream(text);
    std::int64_t ps = 0;
    std::size_t nodes = 0, makers = 0;
    stream >> made.number >> ps;
    made.stopped_at = SimTime::ps(ps);
    stream.ignore();
    std::getline(stream, made.predicate);
    stream >> nodes;
    made.nodes.resize(nodes);
    for (Part& part : made.nodes) {
        stream >> part.count >> part.known >> part.hash >> part.named >> makers;
        part.makers.resize(makers);
        for (std::uint32_t& maker : part.makers) stream >> maker;
    }
    made.changes = changes_from(stream);
    made.later = changes_from(stream);
    return made;
}

std::vector<std::uint32_t> ToCut::acts() const {
    std::vector<std::uint32_t> acts;
    for (std::size_t node = 0; node < nodes.size(); ++node)
        acts.push_back(goes_on(node) ? ~std::uint32_t{0} : nodes[node].count);
    return acts;
}

std::string ToCut::changes_text() const {
    const auto reached = changes.begin() + static_cast<std::ptrdiff_t>(next);
    return changes_line("typed behind the snapshot, and made again here", change_lines(changes.begin(), reached)) +
           changes_line("but not as before", refused) +
           changes_line("left out, since the nodes came to the cut before", change_lines(reached, changes.end())) +
           changes_line("left out, since it was typed behind the breakpoint", change_lines(later.begin(), later.end()));
}

}  // namespace cli
