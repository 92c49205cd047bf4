#include <comparison/comparison.hpp>

#include <algorithm>

#include <sweeps/groups.hpp>

#include "kept_measures.hpp"
#include "reasons.hpp"

namespace comparison {

const std::vector<KeptMeasure>& kept_measures() {
    static const std::vector<KeptMeasure> all{
        {"rate", "farm.rate.steady_per_s"},
        {"predicted_rate", "predicted.tasks_per_second"},
        {"formula_rate", "predicted.formula_tasks_per_second"},
        {"whole_rate", "farm.rate.whole_per_s"},
        {"start_up_us", "measured.start_up_us"},
        {"predicted_start_up_s", "predicted.start_up_s"},
        {"total_us", "measured.total_us"},
        {"predicted_total_s", "predicted.total_s"},
        {"wind_down_us", "farm.phases.wind_down_us"},
        {"post_process_us", "farm.phases.post_process_us"},
        {"mean_hops", "load.mean_hops"},
        {"most_hops", "load.most_hops"},
        {"busiest_link", "load.busiest_link"},
        {"busiest_link_share", "load.busiest_link_share"},
        {"busiest_node", "load.busiest_node"},
        {"busiest_node_share", "load.busiest_node_share"},
        {"workers", "load.workers"},
        {"workers_busy_share", "load.workers_busy_share"},
        {"task_us", "load.task_us"},
        {"steady_task_us", "load.steady_task_us"},
        {"monitor_share", "load.monitor_share"},
        {"monitor_byte_share", "load.monitor_byte_share"},
        {"limit", "farm.limit.kind"},
        {"limit_reason", "farm.limit.reason"},
        {"pilot_tasks", "predicted.pilot_tasks"},
        {"doubts", "predicted.doubts"},
        {"tasks", "tasks"},
        {"end", "end"},
        {"why_unfinished", "load.why_unfinished"},
    };
    return all;
}

std::optional<double> Row::number(const std::string& measure) const {
    const auto found = numbers.find(measure);
    return found == numbers.end() ? std::nullopt : std::optional(found->second);
}

std::string Row::text(const std::string& measure) const {
    const auto found = texts.find(measure);
    return found == texts.end() ? std::string() : found->second;
}

std::optional<double> Row::rate() const {
    const auto steady = number("rate");
    return steady ? steady : number("whole_rate");
}

namespace {

Row row_of(const sweeps::StoredStudy& stored, const Network& network, std::size_t machine) {
    Row row{network, 0, 0, {}, {}, {}, {}};
    std::map<std::string, std::vector<double>> values;
    for (const sweeps::PointRow& point : stored.rows) {
        if (point.axis_values.at(machine) != network.machine) continue;
        ++row.runs;
        if (!point.failure.empty()) {
            ++row.failed;
            if (row.failure.empty()) row.failure = point.failure;
            continue;
        }
        for (std::size_t i = 0; i < stored.measures.size() && i < point.values.size(); ++i) {
            if (point.values[i].is_text) row.texts.try_emplace(stored.measures[i], point.values[i].text);
            if (const auto number = sweeps::number_of(point, i)) values[stored.measures[i]].push_back(*number);
        }
    }
    for (const auto& [measure, list] : values) row.numbers[measure] = sweeps::spread_of(list).mean;
    row.why = reasons_of(row);
    return row;
}

}  // namespace

std::vector<Row> rows_of(const sweeps::StoredStudy& stored, const std::vector<Network>& networks) {
    const std::size_t machine = sweeps::axis_index(stored, "machine");
    std::vector<Row> rows;
    for (const Network& network : networks) rows.push_back(row_of(stored, network, machine));
    return rows;
}

}  // namespace comparison
