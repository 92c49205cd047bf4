// The look at a farm under way as text and as JSON.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <tmon_detrek/growing_analysis.hpp>
#include "detrek_json.hpp"

namespace tmon_detrek {

namespace {

constexpr std::size_t most_listed = 8;

std::string first_of(const std::vector<std::string>& words) {
    std::string text;
    for (std::size_t i = 0; i < std::min(words.size(), most_listed); ++i) text += (i > 0 ? ", " : "") + words[i];
    if (words.size() > most_listed) text += fmt::format(" and {} more", words.size() - most_listed);
    return text;
}

std::string part_text(const SoFar::Part& part, const farm_spec::FarmSpec& spec) {
    const std::string id = spec.divides() ? " " + subtask_text(part.subtask, spec) : "";
    return fmt::format("{}{}{}", part.task, id, part.passed_on ? " (passed on)" : "");
}

std::string worker_text(const SoFar::Worker& worker, const farm_spec::FarmSpec& spec) {
    if (worker.records == 0) return worker.owes ? "no record has come, and one is overdue" : "no record has come";
    std::vector<std::string> parts;
    for (const SoFar::Part& part : worker.holds) parts.push_back(part_text(part, spec));
    std::string text = fmt::format("got {}, gave back {}", worker.got, worker.gave);
    text += parts.empty() ? "; holds nothing" : "; holds " + first_of(parts);
    if (worker.owes) text += "; a record is overdue";
    return text;
}

}  // namespace

std::string so_far_text(const SoFar& so_far, const farm_spec::FarmSpec& spec) {
    fmt::memory_buffer out;
    const auto to = std::back_inserter(out);
    const bool bundles = spec.granularity > 1;
    std::vector<std::string> awaited;
    for (const std::uint32_t task : so_far.awaited) awaited.push_back(spec.task_text(task));
    fmt::format_to(to, "master    sent {} of {} {}, {} came back{}\n", so_far.sent,
                   (spec.tasks + spec.granularity - 1) / spec.granularity, bundles ? "bundles" : "tasks", so_far.back,
                   awaited.empty() ? "" : "; waits for " + first_of(awaited));
    for (const SoFar::Worker& worker : so_far.workers)
        fmt::format_to(to, "{:<9} {}\n", fmt::format("n{}", worker.node), worker_text(worker, spec));
    fmt::format_to(to, "\n{}\n", so_far.verdict.sentence);
    return fmt::to_string(out);
}

std::string so_far_json(const SoFar& so_far, const farm_spec::FarmSpec& spec) {
    nlohmann::ordered_json json = {{"schema", "magicwire.so_far/1"},
                                   {"records", so_far.records},
                                   {"master", {{"sent", so_far.sent}, {"back", so_far.back}, {"awaited", so_far.awaited}}},
                                   {"workers", nlohmann::ordered_json::array()},
                                   {"late", nlohmann::ordered_json::array()}};
    for (const SoFar::Worker& worker : so_far.workers) {
        nlohmann::ordered_json holds = nlohmann::ordered_json::array();
        for (const SoFar::Part& part : worker.holds)
            holds.push_back(
                {{"task", part.task}, {"subtask", subtask_text(part.subtask, spec)}, {"passed_on", part.passed_on}});
        json["workers"].push_back({{"node", worker.node},
                                   {"records", worker.records},
                                   {"last_us", worker.last_us},
                                   {"got", worker.got},
                                   {"gave", worker.gave},
                                   {"holds", std::move(holds)},
                                   {"owes", worker.owes},
                                   {"ended", worker.ended}});
    }
    for (const FaultRow& row : so_far.late) json["late"].push_back(row_json(row, spec));
    json["verdict"] = verdict_json(so_far.verdict, spec);
    return json.dump(2) + "\n";
}

}  // namespace tmon_detrek
