#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include <twin/overhead_bill.hpp>

namespace twin {
namespace {

using trace_record::Event;
using vocabulary::SimTime;

constexpr std::size_t rows_at_first = 6, names_at_most = 5;

std::string ms(SimTime t) {
    return fmt::format("{:.3f} ms", static_cast<double>(t.in_ps()) * 1e-9);
}

std::string plain_ms(SimTime t) {
    return fmt::format("{:.3f}", static_cast<double>(t.in_ps()) * 1e-9);
}

std::string item_text(const scenario::Scenario& scenario, const Event& e) {
    if (scenario.mpi) return fmt::format("message of rank {} to rank {}", e.subtask, e.task);
    return fmt::format("{} of task {}.{:04x}", e.is_result != 0 ? "result" : "task", e.task, e.subtask);
}

std::string step_text(const scenario::Scenario& scenario, const Event& e) {
    const bool sent = e.kind == trace_record::EventKind::Send;
    return fmt::format("{} the {} {} n{}", sent ? "sends" : "receives", item_text(scenario, e), sent ? "to" : "from", e.peer);
}

// The things that the spans are counted in.
std::string counted(const scenario::Scenario& scenario) {
    return scenario.mpi ? "rank" : scenario.halo ? "exchange" : "result";
}

std::string spans_text(const scenario::Scenario& scenario, const Overhead& o) {
    if (o.compared == 0)
        return fmt::format("  {} in both runs, so there is nothing to compare\n", scenario.mpi ? "program: no rank ended"
                                                                                  : scenario.halo
                                                                                      ? "halo: n0 completed no exchange"
                                                                                      : "farm: no result came back");
    const SimTime difference = o.difference(), rest = not_attributed(o);
    std::string text = fmt::format("  {}, to {} {} of {}   monitored {}   twin {}   slow-down {}\n  difference {} ps = {}",
                                   scenario.mpi    ? "MPI"
                                   : scenario.halo ? "halo"
                                                   : "farm",
                                   counted(scenario), o.compared, scenario.farm.tasks, ms(o.monitored.span), ms(o.twin.span),
                                   o.slow_down() ? fmt::format("{:.3f}", *o.slow_down()) : "not known: the twin took no time",
                                   difference.in_ps(), ms(difference));
    const std::string held = o.monitored.held + o.twin.held == SimTime()
                                 ? std::string()
                                 : fmt::format("  in both, until monitoring began on the manager: {}, twin {}\n",
                                               ms(o.monitored.held), ms(o.twin.held));
    if (difference == SimTime()) return text + "\n" + held;
    const double part = static_cast<double>(rest.in_ps()) / static_cast<double>(difference.in_ps());
    text += fmt::format("   charged to the monitor {}   not attributed {} ({:.0f} % of it)\n", ms(difference - rest), ms(rest),
                        part * 100);
    if (part < -0.5 || part > 0.5)
        text +=
            "  Most of the difference has no single cause: the critical paths of the two runs differ "
            "(docs/guide/overhead.md).\n";
    return text + held;
}

std::string results_text(const scenario::Scenario& scenario, const Overhead& o) {
    std::string text = fmt::format("  {:<30}  monitored {}   twin {}\n",
                                   scenario.mpi    ? "ranks that ended"
                                   : scenario.halo ? "exchanges that n0 completed"
                                                   : "results at the manager",
                                   o.monitored.results, o.twin.results);
    if (o.monitored.results != o.twin.results)
        text += fmt::format(
            "  The runs have different numbers of {0}s, so they did different work; the bill covers the {0}s that both have.\n",
            counted(scenario));
    return text;
}

BillLine sum_of(const BillTable& table, bool monitors) {
    BillLine sum;
    for (const BillLine& line : table.lines) {
        if (line.monitors != monitors) continue;
        for (std::size_t way = 0; way < bill_ways; ++way) sum.ways[way] += line.ways[way];
        sum.monitored += line.monitored;
        sum.twin += line.twin;
    }
    return sum;
}

void cause_row(std::string& text, const std::string& name, const BillLine& line) {
    fmt::format_to(std::back_inserter(text), "  {:<36}", name);
    for (const SimTime way : line.ways) fmt::format_to(std::back_inserter(text), " {:>11}", plain_ms(way));
    fmt::format_to(std::back_inserter(text), " {:>11} {:>11} {:>11}\n", plain_ms(line.monitored), plain_ms(line.twin),
                   plain_ms(line.difference()));
}

void cause_rows(std::string& text, const BillTable& table, bool monitors, const char* sum) {
    for (const BillLine& line : table.lines) {
        if (line.monitors == monitors) cause_row(text, line.name, line);
    }
    cause_row(text, sum, sum_of(table, monitors));
}

std::string cause_text(const Overhead& o) {
    const BillTable table = bill(o, BillBy::Cause);
    std::string text = fmt::format("\n  {:<36} {:>11} {:>11} {:>11} {:>11} {:>11} {:>11} {:>11}\n", "the critical path, in ms",
                                   "processor", "on links", "memory", "waited for", "monitored", "twin", "difference");
    cause_rows(text, table, true, "= charged to the monitor");
    text += "  not attributed: the program's own parts, on a path that goes another way\n";
    cause_rows(text, table, false, "= not attributed");
    BillLine all = sum_of(table, true);
    const BillLine own = sum_of(table, false);
    for (std::size_t way = 0; way < bill_ways; ++way) all.ways[way] += own.ways[way];
    all.monitored += own.monitored;
    all.twin += own.twin;
    cause_row(text, "= the spans and their difference", all);
    return text;
}

std::string table_text(const BillTable& table, std::size_t rows) {
    const auto row = [](const std::string& name, SimTime monitored, SimTime twin, SimTime of_monitor) {
        return fmt::format("  {:<36} {:>13} {:>13} {:>13} {:>13} {:>15}\n", name, plain_ms(monitored), plain_ms(twin),
                           plain_ms(monitored - twin), plain_ms(of_monitor), plain_ms(monitored - twin - of_monitor));
    };
    std::vector<const BillLine*> lines;
    for (const BillLine& line : table.lines) lines.push_back(&line);
    if (lines.size() > rows) {
        std::stable_sort(lines.begin(), lines.end(),
                         [](const BillLine* a, const BillLine* b) { return a->of_monitor > b->of_monitor; });
    }
    std::string text = fmt::format("\n  {:<36} {:>13} {:>13} {:>13} {:>13} {:>15}\n", table.title + ", in ms", "monitored",
                                   "twin", "difference", "of monitor", "not attributed");
    BillLine rest, sum;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        for (BillLine* into : {&sum, i < rows ? nullptr : &rest}) {
            if (into == nullptr) continue;
            into->monitored += lines[i]->monitored;
            into->twin += lines[i]->twin;
            into->of_monitor += lines[i]->of_monitor;
        }
        if (i < rows) text += row(lines[i]->name, lines[i]->monitored, lines[i]->twin, lines[i]->of_monitor);
    }
    if (lines.size() > rows)
        text +=
            row(fmt::format("{} others (--by {})", lines.size() - rows, table.key), rest.monitored, rest.twin, rest.of_monitor);
    return text + row("= the difference", sum.monitored, sum.twin, sum.of_monitor);
}

std::string work_text(const Overhead& o) {
    std::string text = fmt::format("\n  {:<42} {:>14} {:>18}\n", "work for the monitor, over all nodes", "time", "amount");
    const auto row = [&](const char* what, const std::string& time, const std::string& amount) {
        fmt::format_to(std::back_inserter(text), "  {:<42} {:>14} {:>18}\n", what, time, amount);
    };
    row("event generation (probes)", ms(o.monitored.probe), fmt::format("{} records", o.monitored.records));
    row("meter", ms(o.monitored.meter), fmt::format("{} dropped", o.monitored.dropped));
    row("buffer manager", ms(o.monitored.manager), fmt::format("{} messages", o.monitored.trace_messages));
    row("back ends", ms(o.monitored.backend), "");
    row("kernels, for the monitor's messages", ms(o.monitored.kernel), "");
    row("links, for the monitor's messages", ms(o.monitored.wire), fmt::format("{} bytes", o.monitored.wire_bytes));
    if (o.logged) row("links, for flowback's logs", "", fmt::format("{} bytes", o.monitored.log_messages_bytes));
    row("waiting for room in full buffers", ms(o.monitored.waited_for_room),
        fmt::format("{} waits", o.monitored.waits_for_room));
    row("memory: buffers and program", "", fmt::format("{} bytes", o.monitored.memory_bytes));
    fmt::format_to(std::back_inserter(text),
                   "  Nodes and links work at the same time, so these times do not add up to the difference. Not in them: {} "
                   "that\n  processes waited at their first probe until monitoring began.\n",
                   ms(o.monitored.suspended));
    return text;
}

std::string step_or_end_text(const scenario::Scenario& scenario, const std::optional<Event>& event) {
    return event ? step_text(scenario, *event) : "no more events";
}

std::string order_text(const scenario::Scenario& scenario, const Overhead& o) {
    if (!o.first_change) return "\n  Order: every node saw its events in the same order as without the monitor.\n";
    const OrderChange& c = *o.first_change;
    const Event& at = c.monitored ? *c.monitored : *c.twin;
    const bool other_number = !c.monitored || !c.twin;
    std::string text = fmt::format(
        "\n  Order: {} nodes saw another order or number of events. First at {:.3f} ms, node n{}, its event {}{}:\n    "
        "monitored  {}\n    twin       {}\n",
        o.nodes_changed, static_cast<double>(at.time_us) * 1e-3, c.node, c.seq, other_number ? ", other number of events" : "",
        step_or_end_text(scenario, c.monitored), step_or_end_text(scenario, c.twin));
    text += fmt::format("  Receives: {} of {} matched another send than in the twin", o.other_receives, o.receives);
    if (!o.first_other) return text + ".\n";
    const OtherReceive& first = *o.first_other;
    return text + fmt::format(".\n    first: n{}, receive {} from n{}: {}; twin: {}\n", first.monitored.node, first.number,
                              first.monitored.peer, item_text(scenario, first.monitored), item_text(scenario, first.twin));
}

std::string contents_text(const Overhead& o) {
    const std::size_t both = o.twin.contents.size() - o.only_twin.size();
    std::string text = fmt::format("  Results: of {} results and outputs that both runs have, {}", both,
                                   o.changed_contents.empty() ? "all are the same\n" : "");
    const auto names = [&](const char* what, const std::vector<std::string>& some) {
        if (some.empty()) return;
        text += fmt::format("{}: ", fmt::format(fmt::runtime(what), some.size()));
        for (std::size_t i = 0; i < std::min(names_at_most, some.size()); ++i) text += (i == 0 ? "" : ", ") + some[i];
        text += some.size() > names_at_most ? ", ...\n" : "\n";
    };
    names("{} are not the same", o.changed_contents);
    names("    only the monitored run has {}", o.only_monitored);
    names("    only the twin has {}", o.only_twin);
    return text;
}

std::string bill_text(const Overhead& o, std::optional<BillBy> by) {
    if (!o.has_time()) return {};
    if (by && *by != BillBy::Cause) return table_text(bill(o, *by), SIZE_MAX);
    std::string text = cause_text(o);
    if (by) return text;
    for (const BillBy other : {BillBy::Node, BillBy::Link, BillBy::Probe, BillBy::Class})
        text += table_text(bill(o, other), rows_at_first);
    return text;
}

}  // namespace

std::string overhead_text(const scenario::Scenario& scenario, const Overhead& o, std::optional<BillBy> by) {
    std::string text =
        o.logged ? fmt::format("Price of logs for flowback in {}: the same run with {} and without (seed {})\n", scenario.name,
                               scenario.monitor ? "monitor and logs" : "logs", scenario.seed)
                 : fmt::format("Price of monitoring {}: the same run with the monitor and with its probes off (seed {})\n",
                               scenario.name, scenario.seed);
    text += spans_text(scenario, o) + results_text(scenario, o) + bill_text(o, by) + work_text(o) + order_text(scenario, o) +
            contents_text(o);
    return text + fmt::format("  run hash     monitored {}   twin {}\n", o.monitored.run_hash, o.twin.run_hash);
}

}  // namespace twin
