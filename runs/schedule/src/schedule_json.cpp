#include <nlohmann/json.hpp>

#include <schedule/schedule.hpp>

namespace schedule {
namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json exposure_json(const TraceExposure& e) {
    Json json{{"records_made", e.made}, {"lost_for_want_of_room", e.lost}, {"kept_by_host", e.kept}, {"mean_exposed", e.mean}};
    json["crash_of"] = Json::array();
    for (const NodeExposure& node : e.nodes)
        json["crash_of"].push_back({{"node", node.node},
                                    {"worst_records", node.worst},
                                    {"worst_at_ps", node.worst_at.in_ps()},
                                    {"mean_records", node.mean}});
    json["calls"] = {{"calls", e.calls.calls},
                     {"safe_at_begin", e.calls.safe_at_begin},
                     {"worst_at_begin", e.calls.worst_at_begin},
                     {"safe_at_end", e.calls.safe_at_end},
                     {"worst_at_end", e.calls.worst_at_end}};
    json["shortest_stay_ps"] = e.shortest_stay ? Json(e.shortest_stay->in_ps()) : Json(nullptr);
    json["longest_stay_ps"] = e.longest_stay ? Json(e.longest_stay->in_ps()) : Json(nullptr);
    return json;
}

Json trial_json(const MonitorTrial& trial) {
    Json json{{"unload", trial.plan.setting_text()}, {"events", trial.plan.classes_text()}};
    if (!trial.failure.empty()) {
        json["failure"] = trial.failure;
        return json;
    }
    json["slow_down_percent"] = or_null(trial.slow_down_percent);
    json["unrecorded"] = trial.unrecorded;
    json["results"] = trial.results;
    json["results_compared"] = trial.common.results;
    json["did_other_work"] = trial.common.parted;
    json["cut"] = trial.cut;
    json["on_nodes_that_died"] = trial.cut ? Json(nullptr) : Json(trial.taken_along());
    json["fault_at_us"] = trial.strike_us > 0 ? Json(trial.strike_us) : Json(nullptr);
    json["fault_named_for_certain"] = trial.certain;
    json["trace"] = exposure_json(trial.exposure);
    return json;
}

Json series_json(const char* schema, const TrialSeries& series) {
    Json json{{"schema", schema},
              {"scenario", series.scenario},
              {"seed", series.seed},
              {"tasks", series.tasks},
              {"cut_after_results", series.cut_after == 0 ? Json(nullptr) : Json(series.cut_after)},
              {"buffer_records", series.buffer},
              {"records_in_message", series.in_message},
              {"interrupted", series.interrupted}};
    json["fill"] = Json::array();
    for (const NodeFill& fill : series.fill)
        json["fill"].push_back({{"node", fill.node},
                                {"records", fill.records},
                                {"records_per_ms", fill.per_ms},
                                {"full_after_ms", fill.full_after_ms},
                                {"predicted_records_per_ms", or_null(fill.predicted_per_ms)},
                                {"predicted_full_after_ms", or_null(fill.predicted_full_after_ms)}});
    const FillForecast& forecast = series.forecast;
    json["prediction"] = {{"refused", forecast.refused.empty() ? Json(nullptr) : Json(forecast.refused)},
                          {"caveats", forecast.caveats},
                          {"left_out", forecast.left_out},
                          {"first_bound", forecast.predicted_bound ? Json(*forecast.predicted_bound) : Json(nullptr)},
                          {"first_bound_from_twin", forecast.measured_bound}};
    json["trials"] = Json::array();
    for (const MonitorTrial& trial : series.trials) json["trials"].push_back(trial_json(trial));
    return json;
}

const char* outcome_name(LossProof::Outcome outcome) {
    switch (outcome) {
        case LossProof::Outcome::Proven:
            return "proven";
        case LossProof::Outcome::WithoutLoss:
            return "a way without loss";
        case LossProof::Outcome::TooManyWays:
            return "too many ways";
        case LossProof::Outcome::TooLong:
            return "a way too long";
        case LossProof::Outcome::Failed:
            return "failed";
        case LossProof::Outcome::Interrupted:
            return "interrupted";
    }
    return "";
}

Json text_or_null(const std::string& text) {
    return text.empty() ? Json(nullptr) : Json(text);
}

Json exclusion_json(const Exclusion& excluded) {
    return {{"buffer_records", excluded.buffer},
            {"changing", excluded.changing},
            {"sure", excluded.proof.every_sequence_loses() ? "certain" : "unknown"},
            {"tried", excluded.tried},
            {"failed", excluded.failed},
            {"first_failure", text_or_null(excluded.first_failure)},
            {"all_constant", excluded.all_constant},
            {"least_lost", excluded.least_lost},
            {"proof", outcome_name(excluded.proof.outcome)},
            {"proof_failure", text_or_null(excluded.proof.failure)},
            {"ways_followed", excluded.proof.followed}};
}

Json number_or_null(const std::optional<std::size_t>& number) {
    return number ? Json(*number) : Json(nullptr);
}

}  // namespace

std::string schedule_json(const Schedule& schedule, const std::string& command, const ScheduleCheck* check) {
    Json json = series_json("magicwire.schedule/1", schedule.series);
    json["limit_percent"] = schedule.limit_percent;
    json["chosen"] = number_or_null(schedule.chosen);
    json["cheapest"] = number_or_null(schedule.cheapest);
    if (schedule.chosen) {
        const MonitorTrial& trial = schedule.series.trials[*schedule.chosen];
        json["expected"] = {{"sure", trial.cut ? "likely" : "certain"},
                            {"slow_down_percent", or_null(trial.slow_down_percent)},
                            {"lost_for_want_of_room", trial.expected_lost(schedule.series.tasks)},
                            {"missing", trial.expected_missing(schedule.series.tasks)}};
        json["command"] = command;
    }
    if (check != nullptr)
        json["run"] = {{"slow_down_percent", or_null(check->slow_down_percent)},
                       {"results_compared", check->common.results},
                       {"did_other_work", check->common.parted},
                       {"records", check->records},
                       {"lost_for_want_of_room", check->lost},
                       {"on_nodes_that_died", check->taken_along ? Json(*check->taken_along) : Json(nullptr)},
                       {"limit_kept", check->limit_known() ? Json(check->limit_kept) : Json(nullptr)},
                       {"loss_as_expected", check->loss_as_expected},
                       {"verdict_as_expected", check->verdict_as_expected},
                       {"verdict", check->verdict}};
    return json.dump(2);
}

std::string no_loss_json(const NoLoss& answer, const std::string& command) {
    Json json = series_json("magicwire.no_loss/1", answer.series);
    json["without_overflow"] = number_or_null(answer.without_overflow);
    json["least_exposed"] = number_or_null(answer.least_exposed);
    json["least_lossy"] = number_or_null(answer.least_lossy);
    json["least_buffer"] = number_or_null(answer.least_buffer);
    if (answer.least_buffer) {
        json["with_least_buffer"] = trial_json(*answer.with_least_buffer);
        if (answer.one_less) json["lost_with_one_record_less"] = answer.one_less->least_lost;
    }
    json["largest_buffer_that_does_not_help"] = answer.largest_tried > 0 ? Json(answer.largest_tried) : Json(nullptr);
    json["search_ended_at"] = nullptr;
    if (answer.unknown)
        json["search_ended_at"] = {{"buffer_records", answer.unknown->buffer}, {"failure", answer.unknown->failure}};
    json["excluded"] = answer.excluded ? exclusion_json(*answer.excluded) : Json(nullptr);
    json["one_record_less"] = answer.one_less ? exclusion_json(*answer.one_less) : Json(nullptr);
    json["crash_at_any_time"] = {{"exists", false}, {"sure", "certain"}};
    if (!command.empty()) json["command"] = command;
    return json.dump(2);
}

}  // namespace schedule
