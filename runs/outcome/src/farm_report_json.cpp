#include <cmath>

#include <nlohmann/json.hpp>

#include <outcome/farm_report_views.hpp>

namespace outcome {

using nlohmann::ordered_json;
using vocabulary::SimTime;

namespace {

// Figures of a report, not data to compute with: digits below a millionth are noise and would only lengthen it.
double rounded(double value) {
    return std::round(value * 1e6) / 1e6;
}
double share(SimTime part, SimTime whole) {
    return whole > SimTime() ? rounded(part.in_seconds() / whole.in_seconds()) : 0;
}
ordered_json rounded(const std::vector<double>& values) {
    auto json = ordered_json::array();
    for (const double value : values) json.push_back(std::round(value * 1e3) / 1e3);
    return json;
}
template <class T>
ordered_json or_null(const std::optional<T>& value) {
    return value ? ordered_json(*value) : ordered_json(nullptr);
}
ordered_json or_null(const std::optional<vocabulary::NodeId>& node) {
    return node ? ordered_json(node->value()) : ordered_json(nullptr);
}

ordered_json node_line(const oracle::FarmReport& report, const oracle::FarmReport::Node& node) {
    ordered_json json = {{"node", node.node.value()},
                         {"parent", or_null(node.parent)},
                         {"depth", node.depth},
                         {"answers", node.answers},
                         {"computed", node.computed},
                         {"split", node.split},
                         {"joined", node.joined},
                         {"tasks_forwarded", node.tasks_forwarded},
                         {"results_forwarded", node.results_forwarded},
                         {"computing_us", node.computing.in_us()},
                         {"high_us", node.high.in_us()},
                         {"idle_us", node.idle.in_us()},
                         {"computing_share", share(node.computing, report.window)},
                         {"high_share", share(node.high, report.window)},
                         {"steady_busy_share", rounded(node.steady_busy)},
                         {"steady_high_share", rounded(node.steady_high)},
                         {"mean_results", rounded(node.mean_results)},
                         {"longest_results", node.longest_results},
                         {"most_result_bytes", node.most_result_bytes},
                         {"predicted_tasks", or_null(node.predicted_tasks)}};
    if (!node.parent) return json;  // the manager's queue of tasks is not seen
    json["waiting_for_work_us"] = node.waiting_for_work.in_us();
    json["mean_queue"] = rounded(node.mean_queue);
    json["longest_queue"] = node.longest_queue;
    if (!node.queue.empty()) json["queue"] = rounded(node.queue);
    return json;
}

ordered_json link_line(const oracle::FarmReport& report, const oracle::FarmReport::Link& link) {
    return {{"parent", link.parent.value()},
            {"child", link.child.value()},
            {"tasks", link.tasks},
            {"results", link.results},
            {"bytes_down", link.bytes_down},
            {"bytes_up", link.bytes_up},
            {"busy_down_us", link.busy_down.in_us()},
            {"busy_up_us", link.busy_up.in_us()},
            {"busy_down_share", share(link.busy_down, report.window)},
            {"busy_up_share", share(link.busy_up, report.window)},
            {"steady_down_share", rounded(link.steady_down)},
            {"steady_up_share", rounded(link.steady_up)}};
}

// All null when no task ever left the manager.
ordered_json phases_json(const oracle::FarmReport& report) {
    const oracle::FarmReport::Phases& phases = report.phases;
    const auto when = [&](bool there, SimTime time) {
        return phases.began && there ? ordered_json(time.in_us()) : ordered_json(nullptr);
    };
    return {{"first_task_us", when(true, phases.first_task)},
            {"start_up_us", when(true, phases.last_first - phases.first_task)},
            {"steady_us", when(phases.steady(), phases.last_task - phases.last_first)},
            {"wind_down_us", when(true, phases.last_result - std::min(phases.last_task, phases.last_result))},
            {"post_process_us", when(report.finished, phases.returned - phases.last_result)},
            {"total_us", when(true, phases.returned - phases.first_task)},
            {"end_us", when(true, phases.end)},
            {"never_began", phases.began ? ordered_json(phases.never_began) : ordered_json(nullptr)}};
}

ordered_json rate_json(const oracle::FarmReport& report) {
    ordered_json json = {{"steady_per_s", nullptr}, {"whole_per_s", rounded(report.rate.whole)}};
    if (!report.rate.steady) {
        json["why_no_steady"] = report.phases.began ? report.rate.no_steady : "no task left the manager";
        return json;
    }
    json["steady_per_s"] = rounded(*report.rate.steady);
    json["from_us"] = report.rate.from.in_us();
    json["to_us"] = report.rate.to.in_us();
    return json;
}

// Errors are achieved by predicted, less one.
ordered_json prediction_json(const oracle::FarmReport& report) {
    if (!report.prediction) return nullptr;
    const farm_model::Prediction& predicted = *report.prediction;
    const auto error = [](bool known, double achieved, double said) {
        return known && said > 0 ? ordered_json(rounded(achieved / said - 1)) : ordered_json(nullptr);
    };
    const oracle::FarmReport::Phases& phases = report.phases;
    return {{"steady_per_s", rounded(predicted.tasks_per_second)},
            {"steady_error", error(report.rate.steady.has_value(), report.rate.steady.value_or(0), predicted.tasks_per_second)},
            {"start_up_us", std::llround(predicted.start_up_s * 1e6)},
            {"start_up_error", error(phases.began, (phases.last_first - phases.first_task).in_seconds(), predicted.start_up_s)},
            {"total_us", std::llround(predicted.total_s * 1e6)},
            {"total_error", error(report.finished, (phases.returned - phases.first_task).in_seconds(), predicted.total_s)},
            {"critical_node", predicted.critical_node.value()},
            {"critical_reason", predicted.critical_reason}};
}

ordered_json config_json(const farm_spec::FarmSpec& config) {
    static constexpr const char* trees[] = {"", "chain", "binary", "ternary", "given"};
    return {{"tree", trees[static_cast<std::size_t>(config.tree)]},
            {"nodes", config.members().size()},
            {"tasks", config.tasks},
            {"degree", config.degree},
            {"depth", config.depth},
            {"buffers", config.buffers},
            {"granularity", config.granularity},
            {"policy", farm_spec::policy_name(config.policy)},
            {"survives", config.survives}};
}

}  // namespace

ordered_json farm_report_json(const oracle::FarmReport& report) {
    ordered_json json = {{"schema", "magicwire.farm_report/1"},
                         {"scenario", report.scenario},
                         {"machine", report.machine},
                         {"seed", report.seed},
                         {"run_hash", report.run_hash},
                         {"farm", config_json(report.config)},
                         {"finished", report.finished},
                         {"completed", report.completed},
                         {"phases", phases_json(report)},
                         {"rate", rate_json(report)},
                         {"limit",
                          {{"kind", oracle::limit_name(report.limit.kind)},
                           {"node", or_null(report.limit.node)},
                           {"share", rounded(report.limit.share)},
                           {"reason", report.limit.reason}}},
                         {"predicted", prediction_json(report)},
                         {"window_us", report.window.in_us()},
                         {"nodes", ordered_json::array()},
                         {"links", ordered_json::array()}};
    for (const oracle::FarmReport::Node& node : report.nodes) json["nodes"].push_back(node_line(report, node));
    for (const oracle::FarmReport::Link& link : report.links) json["links"].push_back(link_line(report, link));
    const oracle::FarmReport::OverTime& over = report.over_time;
    json["over_time"] = {{"bin_us", rounded(over.bin.in_seconds() * 1e6)},
                         {"results", over.results},
                         {"computing", rounded(over.computing)},
                         {"queued", rounded(over.queued)}};
    json["reissued"] = ordered_json::array();
    for (const oracle::FarmReport::Reissued& again : report.reissued) {
        json["reissued"].push_back(
            {{"node", again.node.value()}, {"child", again.child.value()}, {"task", again.task}, {"subtask", again.subtask}});
    }
    return json;
}

}  // namespace outcome
