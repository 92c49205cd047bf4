// Losses of a node in the form of summary.json and oracle.json.
#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include <tmon_streams/task_view.hpp>
#include <tmon_streams/thesis_files.hpp>

namespace outcome {

inline nlohmann::ordered_json losses_json(const std::vector<trace_record::LossRange>& losses) {
    auto json = nlohmann::ordered_json::array();
    for (const trace_record::LossRange& range : losses) {
        json.push_back({{"first_seq", range.first_seq},
                        {"last_seq", range.last_seq},
                        {"cause", trace_record::loss_cause_name(range.cause)},
                        {"classes", trace_record::classes_text(range.classes)}});
        if (range.until_us > 0) json.back().update({{"from_us", range.from_us}, {"until_us", range.until_us}});
    }
    return json;
}

}  // namespace outcome
