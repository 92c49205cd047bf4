#include <scenario/fault_entry.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>
#include <string_view>

#include <scenario/fault_plan_check.hpp>
#include <vocabulary/source_position.hpp>

#include "given.hpp"
#include "scenario_parts.hpp"

namespace scenario {
namespace {

using topologies::Fault;
using vocabulary::SimTime;

// "cut n0.1 - n1.0 for 2ms" -> "{cut: n0.1 - n1.0, for: 2ms}"
std::string plan_entry(const std::string& text) {
    if (text.starts_with('{')) return text;
    static const std::array<std::string_view, 10> keys = {"at",  "when", "on",     "rate", "until",
                                                          "for", "size", "factor", "to",   "direction"};
    std::istringstream words(text);
    std::string word, entry;
    bool target = false;
    words >> entry;
    entry += ":";
    while (words >> word) {
        const bool key = target && std::find(keys.begin(), keys.end(), word) != keys.end();
        entry += key ? ", " + word + ":" : " " + word;
        target = true;
    }
    return "{" + entry + "}";
}

// "on" is no key of "{cut: n0.1 - n1.0, direction: both}".
bool has_key(const std::string& entry, const std::string& key) {
    for (std::size_t at = entry.find(key + ":"); at != std::string::npos; at = entry.find(key + ":", at + 1)) {
        if (at == 0 || std::isalnum(static_cast<unsigned char>(entry[at - 1])) == 0) return true;
    }
    return false;
}

// `list`: as a plan has it.
std::vector<Fault> faults_of(const Scenario& scenario, const std::string& list) {
    const topologies::FaultPlan plan = topologies::parse_fault_plan("version: 1\nfaults: " + list, "fault", scenario.machine);
    check_fault_plan(plan, scenario.farm, !scenario.best_tree);
    return plan.faults;
}
Fault read_entry(const Scenario& scenario, const std::string& entry) {
    return faults_of(scenario, "\n  - " + entry).at(0);
}

}  // namespace

Fault fault_of(const Scenario& scenario, const std::string& text, SimTime now) {
    if (text.find_first_not_of(" \t{}[]") == std::string::npos)
        throw vocabulary::InputError({"fault", 0, 0}, "the fault is empty; write a verb and its target, as in 'die n5'");
    std::string entry = plan_entry(text);
    const auto has = [&](const std::string& key) { return has_key(entry, key); };
    const bool at_once = !has("at") && !has("when") && !has("on") && !has("rate") && !has("memory") && entry.back() == '}';
    if (at_once) entry.insert(entry.size() - 1, ", at: 0us");
    Fault fault = read_entry(scenario, entry);
    if (at_once) fault.at = now;
    return fault;
}

Scenario with_faults(const Scenario& scenario, const std::vector<Fault>& faults, std::uint64_t seed) {
    Scenario changed = scenario;
    if (!changed.faults) changed.faults = topologies::FaultPlan{.seed = seed, .faults = {}};
    changed.faults->faults.insert(changed.faults->faults.end(), faults.begin(), faults.end());
    return changed;
}

void put_fault(Scenario& scenario, const Given& given) {
    try {
        const std::string text = given.text();
        const bool is_list = text.starts_with('[') && text.find_first_not_of(" \t[]{},") != std::string::npos;
        scenario =
            with_faults(scenario, is_list ? faults_of(scenario, text) : std::vector{fault_of(scenario, text, SimTime())}, 1);
    } catch (const vocabulary::InputError& error) {
        given.fail(error.message());
    }
}

}  // namespace scenario
