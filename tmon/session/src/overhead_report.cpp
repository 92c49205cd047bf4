#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <tmon_session/overhead.hpp>

namespace tmon_session {
namespace {

using trace_record::Event;
using vocabulary::SimTime;

std::string ms(SimTime t) {
    return fmt::format("{:.3f} ms", static_cast<double>(t.in_ps()) * 1e-9);
}

std::string step_text(const Event& e) {
    return fmt::format("{} {} of task {}.{:04x} {} n{}", e.kind == trace_record::EventKind::Send ? "sends the" : "receives the",
                       e.is_result != 0 ? "result" : "task", e.task, e.subtask,
                       e.kind == trace_record::EventKind::Send ? "to" : "from", e.peer);
}

// Nothing when the runs have no work in common.
std::optional<double> slowdown(const Overhead& o) {
    if (o.compared == 0 || o.twin.span.in_ps() == 0) return {};
    return static_cast<double>(o.monitored.span.in_ps()) / static_cast<double>(o.twin.span.in_ps());
}

std::string spans_text(const Scenario& scenario, const Overhead& o) {
    const auto slow_down = slowdown(o);
    if (!slow_down) return "  farm: no result came back in both runs, so there is nothing to compare\n";
    return fmt::format("  farm, to result {} of {}   monitored {}   twin {}   slow-down {:.3f}\n", o.compared,
                       scenario.farm.tasks, ms(o.monitored.span), ms(o.twin.span), *slow_down);
}

std::string results_text(const Overhead& o) {
    std::string text =
        fmt::format("  results at the manager          monitored {}   twin {}\n", o.monitored.results, o.twin.results);
    if (o.monitored.results != o.twin.results)
        text +=
            "  The runs have different numbers of results, so they did different work; the bill is that of the whole run.\n";
    return text;
}

std::string no_sum_text(const Overhead& o) {
    const char* same_time = "  Nodes and links work at the same time, so these times do not add up to ";
    if (!slowdown(o)) return fmt::format("{}a loss of time.\n", same_time);
    return fmt::format("{}the difference of {}.\n", same_time, ms(o.monitored.span - o.twin.span));
}

bool other_number(const OrderChange& change) {
    return !change.monitored || !change.twin;
}

std::string step_or_end_text(const std::optional<Event>& event) {
    return event ? step_text(*event) : "no more events";
}

std::string order_text(const Overhead& o) {
    if (!o.first_change) return "\n  Order: every node saw its events in the same order as without the monitor.\n";
    const OrderChange& c = *o.first_change;
    const Event& at = c.monitored ? *c.monitored : *c.twin;
    return fmt::format(
        "\n  Order: {} nodes saw another order or number of events. First at {:.3f} ms, node n{}, its event {}{}:\n    "
        "monitored  {}\n    twin       {}\n",
        o.nodes_changed, static_cast<double>(at.time_us) * 1e-3, c.node, c.seq,
        other_number(c) ? ", other number of events" : "", step_or_end_text(c.monitored), step_or_end_text(c.twin));
}

nlohmann::ordered_json event_json(const std::optional<Event>& event) {
    if (!event) return nullptr;
    const Event& e = *event;
    return {{"kind", e.kind == trace_record::EventKind::Send ? "send" : "recv"},
            {"peer", e.peer},
            {"task", e.task},
            {"subtask", fmt::format("{:04x}", e.subtask)},
            {"result", e.is_result != 0},
            {"true_time_us", e.time_us}};
}

}  // namespace

std::string overhead_text(const Scenario& scenario, const Overhead& o) {
    std::string text;
    const auto out = std::back_inserter(text);
    fmt::format_to(out, "Price of watching {}: the same run with the monitor and with its probes off (seed {})\n",
                   scenario.name, scenario.seed);
    text += spans_text(scenario, o) + results_text(o);
    fmt::format_to(out, "\n  {:<42} {:>14} {:>14}\n", "the bill, over all nodes", "time", "amount");
    const auto row = [&](const char* what, const std::string& time, const std::string& amount) {
        fmt::format_to(out, "  {:<42} {:>14} {:>14}\n", what, time, amount);
    };
    row("event generation (probes)", ms(o.monitored.probe), fmt::format("{} records", o.monitored.records));
    row("meter", ms(o.monitored.meter), fmt::format("{} dropped", o.monitored.dropped));
    row("buffer manager", ms(o.monitored.manager), fmt::format("{} messages", o.monitored.trace_messages));
    row("kernels, for the monitor's messages", ms(o.monitored.kernel), "");
    row("links, for the monitor's messages", ms(o.monitored.wire), fmt::format("{} bytes", o.monitored.wire_bytes));
    row("memory: buffers and program", "", fmt::format("{} bytes", o.monitored.memory_bytes));
    text += no_sum_text(o);
    fmt::format_to(out, "  Not in it: {} that processes waited at their first probe until monitoring began.\n",
                   ms(o.monitored.suspended));
    text += order_text(o);
    fmt::format_to(out, "  run hash     monitored {}   twin {}\n", o.monitored.run_hash, o.twin.run_hash);
    return text;
}

std::string overhead_json(const Scenario& scenario, const Overhead& o) {
    const auto slow_down = slowdown(o);
    const auto run = [&](const RunOutline& r) {
        return nlohmann::ordered_json{{"finished", r.finished},
                                      {"span_us", slow_down ? nlohmann::ordered_json(r.span.in_us()) : nullptr},
                                      {"results", r.results},
                                      {"events", r.events.size()},
                                      {"run_hash", r.run_hash}};
    };
    nlohmann::ordered_json json = {{"schema", "magicwire.overhead/1"},
                                   {"scenario", scenario.name},
                                   {"seed", scenario.seed},
                                   {"monitored", run(o.monitored)},
                                   {"twin", run(o.twin)},
                                   {"compared_results", o.compared},
                                   {"slow_down", slow_down ? nlohmann::ordered_json(*slow_down) : nullptr},
                                   {"bill",
                                    {{"probe_us", o.monitored.probe.in_us()},
                                     {"meter_us", o.monitored.meter.in_us()},
                                     {"manager_us", o.monitored.manager.in_us()},
                                     {"kernel_us", o.monitored.kernel.in_us()},
                                     {"link_us", o.monitored.wire.in_us()},
                                     {"link_bytes", o.monitored.wire_bytes},
                                     {"memory_bytes", o.monitored.memory_bytes},
                                     {"records", o.monitored.records},
                                     {"dropped", o.monitored.dropped},
                                     {"messages", o.monitored.trace_messages},
                                     {"suspended_us", o.monitored.suspended.in_us()}}},
                                   {"nodes_with_other_order", o.nodes_changed}};
    json["first_change"] = nullptr;
    if (o.first_change) {
        json["first_change"] = {{"node", o.first_change->node},
                                {"seq", o.first_change->seq},
                                {"what", other_number(*o.first_change) ? "other number of events" : "other order"},
                                {"monitored", event_json(o.first_change->monitored)},
                                {"twin", event_json(o.first_change->twin)}};
    }
    return json.dump(2);
}

}  // namespace tmon_session
