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

double slowdown(const Overhead& o) {
    return o.twin.span.in_ps() == 0 ? 0
                                    : static_cast<double>(o.monitored.span.in_ps()) / static_cast<double>(o.twin.span.in_ps());
}

nlohmann::ordered_json event_json(const Event& e) {
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
    fmt::format_to(out, "  farm, first task to last step   monitored {}   twin {}   slow-down {:.3f}\n", ms(o.monitored.span),
                   ms(o.twin.span), slowdown(o));
    fmt::format_to(out, "  results at the manager          monitored {}   twin {}\n", o.monitored.results, o.twin.results);
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
    fmt::format_to(out, "  Nodes and links work at the same time, so these times do not add up to the difference of {}.\n",
                   ms(o.monitored.span - o.twin.span));
    fmt::format_to(out, "  Not in it: {} that processes waited at their first probe until monitoring began.\n",
                   ms(o.monitored.suspended));
    if (o.first_change) {
        const OrderChange& c = *o.first_change;
        fmt::format_to(out,
                       "\n  Order: {} nodes saw another order of events. First at {:.3f} ms, node n{}, its event {}:\n    "
                       "monitored  {}\n    twin       {}\n",
                       o.nodes_changed, static_cast<double>(c.monitored.time_us) * 1e-3, c.node, c.seq, step_text(c.monitored),
                       step_text(c.twin));
    } else {
        fmt::format_to(out, "\n  Order: every node saw its events in the same order as without the monitor.\n");
    }
    fmt::format_to(out, "  run hash     monitored {}   twin {}\n", o.monitored.run_hash, o.twin.run_hash);
    return text;
}

std::string overhead_json(const Scenario& scenario, const Overhead& o) {
    const auto run = [](const RunOutline& r) {
        return nlohmann::ordered_json{{"finished", r.finished},
                                      {"span_us", r.span.in_us()},
                                      {"results", r.results},
                                      {"events", r.events.size()},
                                      {"run_hash", r.run_hash}};
    };
    nlohmann::ordered_json json = {{"schema", "magicwire.overhead/1"},
                                   {"scenario", scenario.name},
                                   {"seed", scenario.seed},
                                   {"monitored", run(o.monitored)},
                                   {"twin", run(o.twin)},
                                   {"slow_down", slowdown(o)},
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
                                {"monitored", event_json(o.first_change->monitored)},
                                {"twin", event_json(o.first_change->twin)}};
    }
    return json.dump(2);
}

}  // namespace tmon_session
