// Losses of a node in the form of summary.json and oracle.json.
#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include <tmon/task_view.hpp>
#include <tmon/thesis_files.hpp>

namespace tmon_session {

inline nlohmann::ordered_json losses_json(const std::vector<tmon::LossRange>& losses) {
    auto json = nlohmann::ordered_json::array();
    for (const tmon::LossRange& range : losses) {
        json.push_back({{"first_seq", range.first_seq},
                        {"last_seq", range.last_seq},
                        {"cause", tmon::loss_cause_name(range.cause)},
                        {"classes", tmon::classes_text(range.classes)}});
        if (range.until_us > 0) json.back().update({{"from_us", range.from_us}, {"until_us", range.until_us}});
    }
    return json;
}

}  // namespace tmon_session
