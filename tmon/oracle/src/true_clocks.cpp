#include <tmon_oracle/true_clocks.hpp>

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include <text/json_depth.hpp>
#include <text/output_file.hpp>
#include <vocabulary/source_position.hpp>

namespace tmon_oracle {
namespace {

using vocabulary::InputError;

constexpr double most_us = 1e15;  // 31 years
constexpr double most_drift_ppm = 1e5;

[[noreturn]] void fail(const std::string& oracle, const std::string& message) {
    throw InputError({oracle, 0, 0}, message + "; record the run again, or do without this file");
}

// One entry of "nodes".
class Entry {
public:
    Entry(const std::string& oracle, std::size_t index, const nlohmann::json& json)
        : oracle_(oracle), name_("entry " + std::to_string(index) + " of \"nodes\""), json_(json) {
        if (!json.is_object() || !json.contains("node") || !json["node"].is_number_unsigned())
            fail(oracle_, name_ + " has no number \"node\"");
    }

    std::uint64_t node() const { return json_["node"].get<std::uint64_t>(); }
    TrueClock clock() const {
        const auto found = json_.find("clock");
        if (found == json_.end() || found->is_null()) return {};
        if (!found->is_object()) fail(oracle_, "\"clock\" of " + name_ + " is no object");
        const nlohmann::json& began = number(*found, "began_clock_us", most_us);
        if (!began.is_number_unsigned()) impossible("began_clock_us");
        return {true, number(*found, "offset_us", most_us).get<double>(),
                number(*found, "drift_ppm", most_drift_ppm).get<double>(), began.get<std::uint64_t>()};
    }
    [[noreturn]] void again() const { fail(oracle_, name_ + " has a \"node\" that an entry before it has"); }

private:
    const nlohmann::json& number(const nlohmann::json& clock, const char* key, double most) const {
        const auto found = clock.find(key);
        if (found == clock.end()) fail(oracle_, "\"clock\" of " + name_ + " has no number \"" + key + "\"");
        if (!found->is_number() || std::abs(found->get<double>()) > most) impossible(key);
        return *found;
    }
    [[noreturn]] void impossible(const char* key) const {
        fail(oracle_, "\"clock\" of " + name_ + " has no possible number \"" + key + "\"");
    }

    const std::string& oracle_;
    const std::string name_;
    const nlohmann::json& json_;
};

nlohmann::json nodes_of(const std::string& oracle) {
    const std::string content = text::read_text_file(oracle, "the oracle.json of the run");
    const nlohmann::json json =
        text::nests_too_deep(content) ? nlohmann::json() : nlohmann::json::parse(content, nullptr, false);
    const auto is = [&](const char* key) { return json.is_object() && json.contains(key); };
    if (!is("schema") || json["schema"] != "magicwire.oracle/1")
        throw InputError({oracle, 0, 0}, "is no oracle.json of magicwire; 'magicwire run SCENARIO --out FOLDER' writes one");
    if (!is("nodes") || !json["nodes"].is_array()) fail(oracle, "has no list \"nodes\"");
    return json["nodes"];
}

}  // namespace

std::vector<TrueClock> read_true_clocks(const std::string& oracle, std::uint16_t nodes) {
    const nlohmann::json list = nodes_of(oracle);
    std::vector<TrueClock> clocks(nodes);
    std::vector<bool> seen(nodes);
    for (std::size_t i = 0; i < list.size(); ++i) {
        const Entry entry(oracle, i, list[i]);
        const TrueClock clock = entry.clock();
        if (entry.node() >= nodes) continue;
        if (seen[entry.node()]) entry.again();
        seen[entry.node()] = true;
        clocks[entry.node()] = clock;
    }
    return clocks;
}

tmon_streams::MainClock read_true_time(const std::string& oracle, std::uint16_t nodes) {
    const auto clocks = read_true_clocks(oracle, nodes);
    if (std::none_of(clocks.begin(), clocks.end(), [](const TrueClock& clock) { return clock.known; }))
        throw InputError({oracle, 0, 0}, "says nothing of the nodes' clocks; record the run again, or leave --oracle out");
    return [clocks](const trace_record::Event& event) {
        return static_cast<std::int64_t>(std::llround(clocks[event.node].true_us(event.time_us) * 1e3));
    };
}

}  // namespace tmon_oracle
