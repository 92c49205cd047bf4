#include "detrek_json.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <tmon_streams/thesis_files.hpp>
#include <tmon_streams/trace_store.hpp>
#include "frontier_events.hpp"

namespace tmon_detrek {

namespace {

using Json = nlohmann::ordered_json;

std::string event_id(const Event& event) {
    return fmt::format("n{}:{}", event.node, event.seq);
}

Json place_json(const StopPlace& place, const farm_spec::FarmSpec& spec) {
    return {{"task", place.task},
            {"subtask", subtask_text(place.subtask, spec)},
            {"node", place.node},
            {"process", std::string(process_name(place.process))}};
}

Json contradiction_json(const Finding& finding, const farm_spec::FarmSpec& spec) {
    const Event& event = finding.event;
    return {{"kind", contradiction_name(finding.kind)},
            {"text", contradiction_text(finding.kind)},
            {"node", finding.node},
            {"seq", event.seq},
            {"message", event.kind == EventKind::Send ? "sent" : "received"},
            {"peer", event.peer},
            {"what", event.is_result != 0 ? "result" : "task"},
            {"task", event.task},
            {"subtask", subtask_text(event.subtask, spec)}};
}

Json lost_json(const Event& event, const farm_spec::FarmSpec& spec) {
    return {{"node", event.node}, {"message", event.kind == EventKind::Send ? "sent" : "received"},
            {"peer", event.peer}, {"what", event.is_result != 0 ? "result" : "task"},
            {"task", event.task}, {"subtask", subtask_text(event.subtask, spec)}};
}

// The records of silent nodes were never numbered at the host.
Json counter_json(const CounterHistory& history, const tmon_streams::Trace& trace, const farm_spec::FarmSpec& spec) {
    Json json = {{"text", history.text}};
    json["task"] = history.task ? Json(*history.task) : Json(nullptr);
    json["process"] = history.process;
    json["places"] = Json::array();
    for (std::size_t i = 0; i < history.nodes.size(); ++i)
        json["places"].push_back({{"subtask", subtask_text(history.subtasks[i], spec)}, {"node", history.nodes[i]}});
    json["records"] = Json::array();
    for (const Event& event : history.records) {
        Json one = lost_json(event, spec);
        if (trace.streams[event.node].state == tmon_streams::StreamState::Finished) one["seq"] = event.seq;
        json["records"].push_back(std::move(one));
    }
    json["unlisted"] = history.unlisted;
    return json;
}

// How the lost records bear on the answer.
void add_histories(Json& json, const tmon_streams::Trace& trace, const Analysis& analysis, const std::vector<Event>& rests) {
    const farm_spec::FarmSpec& spec = analysis.graphs.spec();
    json["rests_on"] = Json::array();
    for (const Event& event : rests) json["rests_on"].push_back(event_id(event));
    if (analysis.verdict.histories) json["histories"] = *analysis.verdict.histories;
    json["counter_histories"] = Json::array();
    for (const CounterHistory& each : analysis.verdict.counter_histories)
        json["counter_histories"].push_back(counter_json(each, trace, spec));
    json["deciding"] = Json::array();
    for (const Event& event : analysis.verdict.deciding) json["deciding"].push_back(lost_json(event, spec));
}

}  // namespace

Json verdict_json(const Verdict& verdict, const farm_spec::FarmSpec& spec) {
    Json json = {
        {"kind", verdict_kind_name(verdict.kind)}, {"sentence", verdict.sentence}, {"finished_below", verdict.finished_below}};
    if (verdict.bundles_back_below) json["bundles_back_below"] = *verdict.bundles_back_below;
    if (verdict.reported) json["reported"] = true;
    json["task"] = verdict.task ? Json(*verdict.task) : Json(nullptr);
    if (verdict.task && spec.granularity > 1) json["last_task"] = std::min(*verdict.task + spec.granularity, spec.tasks) - 1;
    if (verdict.taken) json["taken"] = *verdict.taken;
    json["process"] = verdict.process;
    json["places"] = Json::array();
    for (std::size_t i = 0; i < verdict.nodes.size(); ++i) {
        json["places"].push_back({{"subtask", subtask_text(verdict.subtasks[i], spec)}, {"node", verdict.nodes[i]}});
        if (i < verdict.processes.size()) json["places"].back()["process"] = verdict.processes[i];
    }
    json["silent"] = verdict.silent;
    if (!verdict.fell_silent.empty()) json["fell_silent"] = verdict.fell_silent;
    json["behind"] = verdict.behind;
    json["arrival_seen"] = verdict.arrival_seen;
    json["in_process"] = verdict.in_process;
    json["depends_on"] = verdict.depends_on;
    if (!verdict.inferred.empty()) {
        json["inferred"] = Json::array();
        for (const auto& each : verdict.inferred) json["inferred"].push_back({{"node", each.node}, {"records", each.records}});
    }
    json["also_possible"] = Json::array();
    for (const PossiblePlace& place : verdict.also_possible) {
        Json one = {{"task", place.task ? Json(*place.task) : Json(nullptr)}};
        if (place.task && spec.granularity > 1) one["last_task"] = std::min(*place.task + spec.granularity, spec.tasks) - 1;
        one["subtask"] = subtask_text(place.subtask, spec);
        one["node"] = place.node ? Json(*place.node) : Json(nullptr);
        one["process"] = place.process;
        json["also_possible"].push_back(std::move(one));
    }
    if (verdict.contradiction) json["contradiction"] = contradiction_json(*verdict.contradiction, spec);
    if (verdict.dropped_by) json["dropped_by"] = *verdict.dropped_by;
    json["other_primary"] = Json::array();
    for (const StopPlace& place : verdict.other_primary) json["other_primary"].push_back(place_json(place, spec));
    if (!verdict.model.empty()) json.update({{"model", verdict.model}, {"unit", verdict.unit}});
    json["assumptions"] = verdict.assumptions.empty() ? tmon_models::model_of(spec).assumes : verdict.assumptions;
    return json;
}

Json row_json(const FaultRow& row, const farm_spec::FarmSpec& spec) {
    return {{"error", std::string(stop_kind_name(row.kind))},
            {"task", row.task},
            {"subtask", subtask_text(row.subtask, spec)},
            {"node", row.node},
            {"process", std::string(row_process(row))}};
}

namespace {

Json rows_json(const tmon_streams::Trace& tasks, const Analysis& analysis) {
    Json rows = Json::array();
    const std::vector<FaultRow> printed = analysis.printed_rows();
    if (printed.empty()) return rows;
    const auto events = frontier_events(tasks, analysis.graphs.tree(), printed);
    for (std::size_t i = 0; i < printed.size(); ++i) {
        rows.push_back(row_json(printed[i], analysis.graphs.spec()));
        rows.back()["event"] = events[i] ? Json(event_id(*events[i])) : Json(nullptr);
    }
    return rows;
}

Json streams_json(const tmon_streams::Trace& trace) {
    Json streams = Json::array();
    for (const tmon_streams::Stream& stream : trace.streams) {
        Json losses = Json::array();
        for (const LossRange& range : stream.losses) {
            losses.push_back({{"first_seq", range.first_seq},
                              {"last_seq", range.last_seq},
                              {"cause", std::string(loss_cause_name(range.cause))},
                              {"classes", classes_text(range.classes)}});
            if (range.until_us > 0) losses.back().update({{"from_us", range.from_us}, {"until_us", range.until_us}});
        }
        streams.push_back({{"node", stream.node},
                           {"state", std::string(tmon_streams::stream_state_name(stream.state))},
                           {"events", stream.size()},
                           {"losses", std::move(losses)}});
    }
    return streams;
}

}  // namespace

std::string detrek_json(const tmon_streams::Trace& trace, const tmon_streams::Trace& tasks, const Analysis& analysis,
                        const std::vector<Event>& rests, int exit_code) {
    const auto unmatched = analysis.graphs.unmatched();
    Json json = {{"schema", "magicwire.detrek/1"}};
    json["exit_code"] = exit_code;
    json["verdict"] = verdict_json(analysis.verdict, analysis.graphs.spec());
    add_histories(json["verdict"], tasks, analysis, rests);
    json["failures"] = rows_json(tasks, analysis);
    json["statistics"] = {{"events", analysis.graphs.events()},
                          {"graphs", analysis.graphs.tasks_with_events()},
                          {"unmatched_sends", unmatched.sends},
                          {"unmatched_receives", unmatched.receives},
                          {"contradictions", analysis.graphs.findings() + trace.suspect_records}};
    json["session"] = tmon_streams::session_end_name(trace.session);
    json["losses_known"] = trace.losses_known;
    json["dropped_messages"] = trace.dropped_messages;
    json["streams"] = streams_json(trace);
    return json.dump(2) + "\n";
}

}  // namespace tmon_detrek
