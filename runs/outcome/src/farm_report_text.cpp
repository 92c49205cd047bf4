#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <sstream>

#include <fmt/format.h>

#include <outcome/farm_report_views.hpp>

#include <text/time_text.hpp>

namespace outcome {

using vocabulary::SimTime;

namespace {

constexpr std::size_t rows_at_most = 16, again_at_most = 8;

double percent(SimTime part, SimTime whole) {
    return whole > SimTime() ? 100 * part.in_seconds() / whole.in_seconds() : 0;
}

// "; predicted 12.3, achieved 1.2 % more"
std::string beside(const std::string& predicted, double achieved, double said) {
    if (said <= 0) return "; predicted " + predicted;
    const double off = 100 * (achieved / said - 1);
    return fmt::format("; predicted {}, achieved {:.1f} % {}", predicted, std::abs(off), off < 0 ? "less" : "more");
}
SimTime seconds(double value) {
    return SimTime::ps(static_cast<std::int64_t>(value * 1e12));
}

// A line with a name before it, broken where it would be wider than the rest.
std::string folded(const char* name, const std::string& sentence) {
    constexpr std::size_t indent = 15, widest = 128;
    std::string text = fmt::format("  {:<13}", name), word;
    std::size_t column = indent;
    std::istringstream words(sentence);
    for (bool first = true; words >> word; first = false) {
        const bool breaks = !first && column + 1 + word.size() > widest;
        text += first ? "" : breaks ? "\n" + std::string(indent, ' ') : " ";
        column = breaks ? indent + word.size() : column + word.size() + (first ? 0 : 1);
        text += word;
    }
    return text + "\n";
}

std::string head(const oracle::FarmReport& report) {
    const farm_spec::FarmSpec& config = report.config;
    std::string text =
        fmt::format("Farm report of {} on {}\n  farm         {} nodes, {}, {} buffer{} a node", report.scenario, report.machine,
                    report.nodes.size(), farm_spec::policy_name(config.policy), config.buffers, config.buffers == 1 ? "" : "s");
    if (config.divides()) text += fmt::format(", tasks divided by {} at most {} times", config.degree, config.depth);
    if (config.granularity > 1) text += fmt::format(", {} tasks a message", config.granularity);
    if (config.survives) text += ", survives";
    return text + fmt::format("\n  tasks        {} of {} came back\n", report.completed, config.tasks);
}

std::string phases_text(const oracle::FarmReport& report) {
    const oracle::FarmReport::Phases& phases = report.phases;
    std::string text;
    const auto out = std::back_inserter(text);
    const SimTime total = phases.returned - phases.first_task, start_up = phases.last_first - phases.first_task;
    fmt::format_to(out, "  total        {} from the first task {}{}\n", text::time_text(total),
                   report.finished ? "until result_receiver() had returned" : "to the last result",
                   report.prediction && report.finished ? beside(text::time_text(seconds(report.prediction->total_s)),
                                                                 total.in_seconds(), report.prediction->total_s)
                                                        : "");
    fmt::format_to(out, "  start-up     {} until the last worker began{}{}\n", text::time_text(start_up),
                   phases.never_began > 0 ? fmt::format(" ({} never did)", phases.never_began) : "",
                   report.prediction ? beside(text::time_text(seconds(report.prediction->start_up_s)), start_up.in_seconds(),
                                              report.prediction->start_up_s)
                                     : "");
    if (phases.steady())
        fmt::format_to(out, "  steady       {} until the last task left the manager\n",
                       text::time_text(phases.last_task - phases.last_first));
    fmt::format_to(out, "  wind-down    {} from then to the last result\n",
                   text::time_text(std::max(phases.last_result, phases.last_task) - phases.last_task));
    if (phases.returned > phases.last_result)
        fmt::format_to(out, "  post-process {} from then until result_receiver() had returned\n",
                       text::time_text(phases.returned - phases.last_result));
    return text;
}

std::string rate_text(const oracle::FarmReport& report) {
    std::string text;
    const auto out = std::back_inserter(text);
    if (report.rate.steady) {
        fmt::format_to(out, "  rate         {:.2f} tasks/s steadily{}\n", *report.rate.steady,
                       report.prediction ? beside(fmt::format("{:.2f}", report.prediction->tasks_per_second),
                                                  *report.rate.steady, report.prediction->tasks_per_second)
                                         : "");
    } else {
        fmt::format_to(out, "  rate         no steady rate: {}{}\n", report.rate.no_steady,
                       report.prediction ? fmt::format("; predicted {:.2f} tasks/s", report.prediction->tasks_per_second) : "");
    }
    fmt::format_to(out, "               {:.2f} tasks/s over the whole time\n", report.rate.whole);
    text += folded("limit", report.limit.reason);
    if (report.prediction) {
        text += folded("", fmt::format("predicted: n{}, {}", report.prediction->critical_node.value(),
                                       report.prediction->critical_reason));
    }
    if (report.reissued.empty()) return text;
    fmt::format_to(out, "  reissued     {}:", report.reissued.size());
    for (std::size_t i = 0; i < std::min(again_at_most, report.reissued.size()); ++i) {
        const oracle::FarmReport::Reissued& again = report.reissued[i];
        fmt::format_to(out, "{} {} by n{} for n{}", i == 0 ? "" : ",", again.task, again.node.value(), again.child.value());
    }
    return text + (report.reissued.size() > again_at_most ? ", ...\n" : "\n");
}

// Which rows are shown, in their own order when all are.
template <class Rows, class Key>
std::vector<std::size_t> shown(const Rows& rows, bool top, Key key) {
    std::vector<std::size_t> order(rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (!top || rows.size() <= rows_at_most) return order;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(rows[a]) > key(rows[b]); });
    order.resize(rows_at_most);
    return order;
}

std::string nodes_text(const oracle::FarmReport& report, bool top) {
    std::string text =
        fmt::format("\n  {:<6} {:>6} {:>8} {:>6} {:>6} {:>8} {:>8} {:>8} {:>6} {:>6} {:>8} {:>7} {:>7} {:>7} {:>7}\n", "node",
                    "parent", "computed", "split", "joined", "tasks on", "results", "compute%", "high%", "idle%", "no work%",
                    "queue", "longest", "waiting", "most");
    const auto out = std::back_inserter(text);
    const SimTime span = report.phases.last_result - report.phases.first_task;
    const auto rows = shown(report.nodes, top, [](const oracle::FarmReport::Node& node) { return node.computing + node.high; });
    for (const std::size_t row : rows) {
        const oracle::FarmReport::Node& node = report.nodes[row];
        fmt::format_to(out, "  {:<6} {:>6} {:>8} {:>6} {:>6} {:>8} {:>8} {:>8.2f} {:>6.2f} {:>6.2f}",
                       fmt::format("n{}", node.node.value()), node.parent ? fmt::format("n{}", node.parent->value()) : "-",
                       node.computed, node.split, node.joined, node.tasks_forwarded, node.results_forwarded,
                       percent(node.computing, report.window), percent(node.high, report.window),
                       percent(node.idle, report.window));
        if (node.parent) {
            fmt::format_to(out, " {:>8.2f} {:>7.2f} {:>7}", percent(node.waiting_for_work, span), node.mean_queue,
                           node.longest_queue);
        } else {
            fmt::format_to(out, " {:>8} {:>7} {:>7}", "-", "-", "-");
        }
        fmt::format_to(out, " {:>7.2f} {:>7}{}\n", node.mean_results, node.longest_results, node.answers ? "" : "  silent");
    }
    text +=
        "  (tasks on: sent on to children; results: passed up for others; high: messages, managers, splitting, joining; no "
        "work:\n"
        "   nothing begun and nothing waiting; queue: mean of tasks waiting; waiting, most: the same of results";
    if (rows.size() < report.nodes.size())
        text += fmt::format("; the {} busiest of {}, --totals all shows each", rows.size(), report.nodes.size());
    return text + ")\n";
}

std::string links_text(const oracle::FarmReport& report, bool top) {
    std::string text = fmt::format("\n  {:<14} {:>9} {:>9} {:>13} {:>13} {:>7} {:>7}\n", "link", "tasks", "results",
                                   "bytes down", "bytes up", "down%", "up%");
    const auto rows =
        shown(report.links, top, [](const oracle::FarmReport::Link& link) { return link.busy_down + link.busy_up; });
    for (const std::size_t row : rows) {
        const oracle::FarmReport::Link& link = report.links[row];
        fmt::format_to(std::back_inserter(text), "  {:<14} {:>9} {:>9} {:>13} {:>13} {:>7.2f} {:>7.2f}\n",
                       fmt::format("n{} - n{}", link.parent.value(), link.child.value()), link.tasks, link.results,
                       link.bytes_down, link.bytes_up, percent(link.busy_down, report.window),
                       percent(link.busy_up, report.window));
    }
    text += report.virtual_branches.empty() ? "  (bytes of tasks and results; busy with the farm's messages"
                                            : "  (bytes of tasks and results; no times: branches go over the network";
    if (rows.size() < report.links.size())
        text += fmt::format("; the {} busiest of {}, --totals all shows each", rows.size(), report.links.size());
    return text + ")\n";
}

}  // namespace

std::string farm_report_text(const oracle::FarmReport& report, Totals totals) {
    std::string text = head(report);
    if (!report.phases.began) return text + "  No task ever left the manager.\n";
    text += phases_text(report) + rate_text(report);
    if (totals == Totals::None) return text;
    const bool top = totals == Totals::Top || (totals == Totals::Automatic && report.nodes.size() > rows_at_most);
    return text + nodes_text(report, top) + links_text(report, top);
}

}  // namespace outcome
