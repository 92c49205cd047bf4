#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <twin/overhead_bill.hpp>

namespace twin {
namespace {

using nlohmann::ordered_json;
using trace_record::Event;

ordered_json event_json(const std::optional<Event>& event) {
    if (!event) return nullptr;
    const Event& e = *event;
    return {{"kind", e.kind == trace_record::EventKind::Send ? "send" : "recv"},
            {"peer", e.peer},
            {"task", e.task},
            {"subtask", fmt::format("{:04x}", e.subtask)},
            {"result", e.is_result != 0},
            {"true_time_us", e.time_us}};
}

ordered_json run_json(const RunOutline& run, bool compared) {
    return {{"finished", run.finished},    {"span_ps", compared ? ordered_json(run.span.in_ps()) : nullptr},
            {"held_ps", run.held.in_ps()}, {"results", run.results},
            {"events", run.events.size()}, {"run_hash", run.run_hash}};
}

ordered_json line_json(const BillLine& line, bool by_cause) {
    ordered_json json = {{"name", line.name},
                         {"monitored_ps", line.monitored.in_ps()},
                         {"twin_ps", line.twin.in_ps()},
                         {"difference_ps", line.difference().in_ps()},
                         {"of_monitor_ps", line.of_monitor.in_ps()}};
    if (by_cause) {
        json["of_monitor"] = line.monitors;
        json["processor_ps"] = line.ways[0].in_ps();
        json["link_ps"] = line.ways[1].in_ps();
        json["memory_ps"] = line.ways[2].in_ps();
        json["waiting_ps"] = line.ways[3].in_ps();
    }
    return json;
}

ordered_json bill_json(const Overhead& o) {
    ordered_json json = ordered_json::object();
    for (const BillTable& table : bill(o)) {
        ordered_json lines = ordered_json::array();
        for (const BillLine& line : table.lines) lines.push_back(line_json(line, table.key == "cause"));
        json[table.key] = std::move(lines);
    }
    return json;
}

ordered_json work_json(const RunOutline& run) {
    return {{"probe_us", run.probe.in_us()},
            {"meter_us", run.meter.in_us()},
            {"manager_us", run.manager.in_us()},
            {"backend_us", run.backend.in_us()},
            {"kernel_us", run.kernel.in_us()},
            {"link_us", run.wire.in_us()},
            {"link_bytes", run.wire_bytes},
            {"log_link_bytes", run.log_messages_bytes},
            {"memory_bytes", run.memory_bytes},
            {"records", run.records},
            {"dropped", run.dropped},
            {"messages", run.trace_messages},
            {"suspended_us", run.suspended.in_us()},
            {"waited_for_room_us", run.waited_for_room.in_us()},
            {"waits_for_room", run.waits_for_room}};
}

ordered_json order_json(const Overhead& o) {
    ordered_json json = {{"nodes_with_other_order", o.nodes_changed}, {"first_change", nullptr}};
    if (o.first_change) {
        const bool other_number = !o.first_change->monitored || !o.first_change->twin;
        json["first_change"] = {{"node", o.first_change->node},
                                {"seq", o.first_change->seq},
                                {"what", other_number ? "other number of events" : "other order"},
                                {"monitored", event_json(o.first_change->monitored)},
                                {"twin", event_json(o.first_change->twin)}};
    }
    json["receives"] = o.receives;
    json["other_receives"] = o.other_receives;
    json["first_other_receive"] = nullptr;
    if (o.first_other) {
        json["first_other_receive"] = {{"node", o.first_other->monitored.node},
                                       {"number", o.first_other->number},
                                       {"monitored", event_json(o.first_other->monitored)},
                                       {"twin", event_json(o.first_other->twin)}};
    }
    return json;
}

}  // namespace

std::string overhead_json(const scenario::Scenario& scenario, const Overhead& o) {
    ordered_json json = {{"schema", "magicwire.overhead/2"},
                         {"scenario", scenario.name},
                         {"seed", scenario.seed},
                         {"monitored", run_json(o.monitored, o.compared > 0)},
                         {"twin", run_json(o.twin, o.compared > 0)},
                         {"compared_results", o.compared},
                         {"slow_down", o.slow_down() ? ordered_json(*o.slow_down()) : nullptr},
                         {"difference_ps", o.compared > 0 ? ordered_json(o.difference().in_ps()) : nullptr},
                         {"not_attributed_ps", o.compared > 0 ? ordered_json(not_attributed(o).in_ps()) : nullptr},
                         {"bill", bill_json(o)},
                         {"work", work_json(o.monitored)},
                         {"order", order_json(o)},
                         {"changed_contents", o.changed_contents},
                         {"only_monitored", o.only_monitored},
                         {"only_twin", o.only_twin}};
    return json.dump(2);
}

}  // namespace twin
