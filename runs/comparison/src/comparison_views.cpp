#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <comparison/comparison.hpp>

#include "reasons.hpp"

namespace comparison {
namespace {

std::string shown(std::optional<double> value, int digits, double times = 1) {
    return value ? fmt::format("{:.{}f}", *value * times, digits) : "-";
}
std::string error_text(std::optional<double> apart) {
    if (!apart) return "";
    return std::abs(*apart) < 0.0005 ? "0.0 %" : fmt::format("{:+.1f} %", 100 * *apart);  // no "-0.0"
}
std::string share_text(std::optional<double> share) {
    return share ? fmt::format("{:.1f} %", 100 * *share) : "-";
}
std::string text_or_dash(const Row& row, const char* measure) {
    const std::string text = row.text(measure);
    return text.empty() ? "-" : text;
}

std::size_t name_width(const std::vector<Row>& rows) {
    std::size_t width = 8;
    for (const Row& row : rows) width = std::max(width, row.network.name.size());
    return std::min<std::size_t>(width, 24);
}

void speeds(std::string& text, const std::vector<Row>& rows, std::size_t width) {
    const auto out = std::back_inserter(text);
    fmt::format_to(out, "\n  {:<{}} {:>10} {:>10} {:>8} {:>10} {:>8} {:>11} {:>11} {:>8} {:>10} {:>10} {:>8}\n", "topology",
                   width, "tasks/s", "predicted", "error", "formulas", "error", "total ms", "predicted", "error", "start-up",
                   "predicted", "error");
    for (const Row& row : rows) {
        const auto rate = row.rate();
        const auto predicted = row.number("predicted_rate"), formula = row.number("formula_rate"),
                   total = row.number("total_us"), its_total = row.number("predicted_total_s"),
                   start = row.number("start_up_us"), its_start = row.number("predicted_start_up_s");
        const auto error = [](std::optional<double> seconds, std::optional<double> us) {
            return error_text(difference(seconds ? std::optional(*seconds * 1e6) : std::nullopt, us));
        };
        fmt::format_to(out, "  {:<{}} {:>10} {:>10} {:>8} {:>10} {:>8} {:>11} {:>11} {:>8} {:>10} {:>10} {:>8}\n",
                       row.network.name, width, shown(rate, 2) + (rate && !row.number("rate") ? "*" : ""), shown(predicted, 2),
                       error_text(difference(predicted, rate)), formula && *formula > 0 ? shown(formula, 2) : "-",
                       error_text(difference(formula, rate)), shown(total, 3, 1e-3), shown(its_total, 3, 1e3),
                       error(its_total, total), shown(start, 3, 1e-3), shown(its_start, 3, 1e3), error(its_start, start));
    }
    const bool any = std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.rate() && !row.number("rate"); });
    if (any) text += "  (*: no steady state; the rate is over all its time)\n";
}

void networks(std::string& text_, const std::vector<Row>& rows, std::size_t width) {
    const auto out = std::back_inserter(text_);
    fmt::format_to(out, "\n  {:<{}} {:>7} {:>7} {:>9} {:>6}  {:<13} {:>8}  {:<6} {:>8} {:>8}  {}\n", "topology", width,
                   "workers", "in use", "mean hops", "most", "busiest link", "busy", "node", "busy", "monitor", "limit");
    for (const Row& row : rows) {
        const auto node = row.number("busiest_node");
        fmt::format_to(out, "  {:<{}} {:>7} {:>7} {:>9} {:>6}  {:<13} {:>8}  {:<6} {:>8} {:>8}  {}\n", row.network.name, width,
                       shown(row.number("workers"), 0), share_text(row.number("workers_busy_share")),
                       shown(row.number("mean_hops"), 2), shown(row.number("most_hops"), 0), text_or_dash(row, "busiest_link"),
                       share_text(row.number("busiest_link_share")), node ? fmt::format("n{:.0f}", *node) : "-",
                       share_text(row.number("busiest_node_share")), share_text(row.number("monitor_share")),
                       text_or_dash(row, "limit"));
    }
}

// Lines of at most 128 columns; the first has the name.
void folded(std::string& text, const std::string& name, std::size_t width, const std::string& sentence) {
    constexpr std::size_t columns = 128;
    std::string line = fmt::format("  {:<{}}", name, width);
    const std::size_t indent = line.size();
    for (std::size_t at = 0; at < sentence.size();) {
        const std::size_t end = std::min(sentence.find(' ', at), sentence.size());
        const std::string word = sentence.substr(at, end - at);
        if (line.size() > indent && line.size() + 1 + word.size() > columns) {
            text += line + "\n";
            line = std::string(indent, ' ');
        }
        line += " " + word;
        at = end + 1;
    }
    text += line + "\n";
}

}  // namespace

std::string comparison_text(const std::string& title, const std::vector<Row>& rows) {
    const std::size_t width = name_width(rows);
    std::string text = title + "\n";
    speeds(text, rows, width);
    networks(text, rows, width);
    std::string reasons;
    for (const Row& row : rows) {
        if (row.runs == 0) folded(reasons, row.network.name, width, "has not run yet");
        if (row.failed > 0)
            folded(reasons, row.network.name, width,
                   fmt::format("{} of {} runs failed: {}", row.failed, row.runs, row.failure));
        for (const std::string& why : row.why) folded(reasons, row.network.name, width, why);
    }
    if (!reasons.empty()) text += fmt::format("\n  What lies more than {:.0f} % apart:\n", 100 * agreement) + reasons;
    return text;
}

std::string comparison_json(const Wanted& wanted, const std::string& study, const std::string& database,
                            const std::vector<Row>& rows) {
    nlohmann::ordered_json json = {{"schema", "magicwire.compare/1"},
                                   {"name", wanted.name},
                                   {"seeds", wanted.seeds},
                                   {"study", study},
                                   {"database", database},
                                   {"topologies", nlohmann::ordered_json::array()}};
    for (const Row& row : rows) {
        nlohmann::ordered_json one = {{"topology", row.network.name},
                                      {"machine", row.network.machine},
                                      {"runs", row.runs},
                                      {"failed", row.failed},
                                      {"measures", nlohmann::ordered_json::object()},
                                      {"why", row.why}};
        if (!row.failure.empty()) one["failure"] = row.failure;
        for (const auto& [measure, value] : row.numbers) one["measures"][measure] = value;
        for (const auto& [measure, value] : row.texts) one["measures"][measure] = value;
        json["topologies"].push_back(std::move(one));
    }
    return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace comparison
