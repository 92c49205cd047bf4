#include <topologies/fault_plan.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include <topologies/machine_checks.hpp>
#include <topologies/strict_yaml.hpp>
#include <vocabulary/nearest_name.hpp>

#include "fault_parts.hpp"
#include "quantity.hpp"

namespace topologies {
namespace {

using vocabulary::InputError;

std::vector<std::string> verb_names() {
    std::vector<std::string> names;
    for (const FaultVerbInfo& verb : fault_verbs()) names.emplace_back(verb.name);
    return names;
}

class FaultReader {
public:
    explicit FaultReader(const MachineDescription& machine) : machine_(machine), parts_(machine) {}

    Fault read(const YamlValue& entry) {
        const FaultVerbInfo& info = verb_of(entry);
        entry.only_keys(keys_of(info));
        fault_ = {};
        fault_.verb = info.verb;
        fault_.where = entry.where();
        target(info, entry.at(std::string(info.name)));
        own_key(info, entry);
        if (info.rate != FaultRate::None) {
            moment(info, entry);
            end(entry);
        }
        return fault_;
    }

private:
    static const FaultVerbInfo& verb_of(const YamlValue& entry) {
        const FaultVerbInfo* found = nullptr;
        for (const auto& [key, value] : entry.entries()) {
            for (const FaultVerbInfo& verb : fault_verbs()) {
                if (verb.name != key) continue;
                if (found != nullptr)
                    throw InputError(entry.where_key(key),
                                     fmt::format("'{}' and '{}' are two verbs, but a fault has one; write "
                                                 "two entries",
                                                 found->name, verb.name));
                found = &verb;
            }
        }
        if (found != nullptr) return *found;
        const auto keys = entry.entries();
        if (keys.empty()) entry.fail("a fault without a verb; write one of 'magicwire faults'");
        const std::string hint = vocabulary::did_you_mean(keys.front().first, verb_names());
        throw InputError(entry.where_key(keys.front().first),
                         fmt::format("unknown verb '{}'{}", keys.front().first,
                                     hint.empty() ? fmt::format("; the verbs are {}", fmt::join(verb_names(), ", ")) : hint));
    }

    void target(const FaultVerbInfo& info, const YamlValue& value) {
        fault_.target = value.text();
        const auto take = [&](const CableOfLink& cable) {
            fault_.wire = cable.wire;
            fault_.along = cable.along;
        };
        switch (info.target) {
            case FaultTarget::Node:
                fault_.node = parts_.node(value);
                return;
            case FaultTarget::Link:
                take(parts_.link(value));
                return;
            case FaultTarget::Way:
                fault_.way = parts_.way(value);
                take(parts_.cable_of(fault_.way, value));
                fault_.direction = FaultDirection::Forward;
                return;
        }
    }

    void own_key(const FaultVerbInfo& info, const YamlValue& entry) {
        if (info.target == FaultTarget::Link) {
            if (const auto value = entry.find("direction")) {
                const std::string word = value->one_of({"both", "forward", "backward"});
                fault_.direction = word == "both"      ? FaultDirection::Both
                                   : word == "forward" ? FaultDirection::Forward
                                                       : FaultDirection::Backward;
            }
        } else if (info.verb == FaultVerb::Slow) {
            const YamlValue value = entry.at("factor");
            fault_.factor = value.number();
            if (fault_.factor < 1 || fault_.factor > most_slowness)
                value.fail(fmt::format("'factor' is '{}', but a slow node takes 1 to {} times as long; write such a number",
                                       value.text(), most_slowness));
        } else if (info.verb == FaultVerb::Miswire) {
            const YamlValue value = entry.at("to");
            fault_.to = WayNo(static_cast<WayNo::value_type>(value.integer(0, ways_per_switch - 1)));
        } else if (info.verb == FaultVerb::Memory) {
            memory(entry.at("size"));
        }
    }

    void memory(const YamlValue& value) {
        fault_.ram_bytes = value.byte_size();
        const std::uint64_t described = machine_.nodes[fault_.node.value()].ram_bytes;
        if (fault_.ram_bytes < least_ram_bytes || fault_.ram_bytes > described)
            value.fail(fmt::format("{} has {} by its description, so a smaller memory is {} to {}; write one of that size",
                                   fault_.target, byte_size_text(described), byte_size_text(least_ram_bytes),
                                   byte_size_text(described)));
    }

    void moment(const FaultVerbInfo& info, const YamlValue& entry) {
        // `on` is the older word for `when`; YAML 1.1 takes it for a boolean.
        const bool older = entry.find("on").has_value();
        const std::string when = older ? "on" : "when";
        const auto at = entry.find("at"), on = entry.find(when), rate = entry.find("rate");
        const bool per_byte = info.rate == FaultRate::PerByte;
        if (older && entry.find("when"))
            throw InputError(entry.where_key("on"), "'on' and 'when' mean the same; keep one of the two");
        if (at && on) two_moments(entry, "at", when);
        if (!per_byte && at && rate) two_moments(entry, "at", "rate");
        if (!per_byte && on && rate) two_moments(entry, when, "rate");
        if (!at && !on && !rate)
            entry.fail(fmt::format(
                "'{}' does not say when; add 'at: 12ms', 'when: {{task: 49, step: start}}' or 'rate: 1e-6' (per {})", info.name,
                per_byte ? "byte" : "second"));
        if (at) fault_.at = at->time();
        if (on) fault_.on = event(*on);
        if (rate) fault_.rate = rate_of(*rate, per_byte);
    }

    [[noreturn]] static void two_moments(const YamlValue& entry, const std::string& a, const std::string& b) {
        throw InputError(entry.where_key(b),
                         fmt::format("'{}' and '{}' are two moments, but this fault has one; remove one of the two", a, b));
    }

    static double rate_of(const YamlValue& value, bool per_byte) {
        const double rate = value.number(), most = per_byte ? 1 : most_faults_per_second;
        if (!(rate > 0) || rate > most)
            value.fail(fmt::format("'rate' is '{}', but must be above 0 and at most {} per {}; write such a number",
                                   value.text(), most, per_byte ? "byte" : "second"));
        return rate;
    }

    FaultEvent event(const YamlValue& value) const {
        value.only_keys({"task", "subtask", "node", "step"});
        FaultEvent result;
        result.task = static_cast<std::uint32_t>(value.at("task").integer(0, UINT32_MAX));
        if (const auto subtask = value.find("subtask")) result.subtask = subtask_of(*subtask);
        if (const auto node = value.find("node")) result.node = parts_.node(*node);
        static const std::vector<std::string> steps{"start", "finish", "send", "receive"};
        const std::string word = value.at("step").one_of(steps);
        result.step = static_cast<FaultStep>(std::find(steps.begin(), steps.end(), word) - steps.begin());
        return result;
    }

    // As the oracle and the fault list print it.
    static std::uint32_t subtask_of(const YamlValue& value) {
        const std::string text = value.text();
        std::uint32_t result = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result, 16);
        if (error != std::errc() || end != text.data() + text.size())
            value.fail(fmt::format("'{}' is no sub-task; write its 1 to 8 hexadecimal digits, as in '0110'", text));
        return result;
    }

    void end(const YamlValue& entry) {
        const auto until = entry.find("until"), duration = entry.find("for");
        if (until && duration) two_ends(entry);
        const bool one_packet = info_of(fault_.verb).rate == FaultRate::PerByte && !fault_.rate;
        if ((until || duration) && one_packet)
            throw InputError(entry.where_key(until ? "until" : "for"),
                             "without a rate this fault strikes one packet, so it has no end; add 'rate: 1e-6' or remove this");
        if (until) {
            fault_.until = until->time();
            if (fault_.at && *fault_.until <= *fault_.at)
                until->fail(fmt::format("the fault ends at {}, but begins at {}; write a later end", time_text(*fault_.until),
                                        time_text(*fault_.at)));
        }
        if (duration) {
            fault_.duration = duration->time();
            if (*fault_.duration == vocabulary::SimTime())
                duration->fail("a fault must last longer than 0; write a longer time");
        }
    }

    [[noreturn]] static void two_ends(const YamlValue& entry) {
        throw InputError(entry.where_key("for"), "'until' and 'for' both say when the fault ends; remove one of the two");
    }

    const MachineDescription& machine_;
    FaultParts parts_;
    Fault fault_;
};

// Faults that no machine could have together.
void check_together(const std::vector<Fault>& faults) {
    for (std::size_t i = 0; i < faults.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (faults[i].verb != FaultVerb::Memory || faults[j].verb != FaultVerb::Memory || faults[i].node != faults[j].node)
                continue;
            throw InputError(faults[i].where,
                             fmt::format("{} has two sizes of memory in this plan; remove one of the two", faults[i].target));
        }
    }
}

FaultPlan build(const YamlValue& root, const MachineDescription& machine) {
    const YamlValue version = root.at("version");  // before the keys: another version may have others
    if (version.text() != "1")
        version.fail(
            fmt::format("this program reads version 1 of the fault plan, not '{}'; write 'version: 1'", version.text()));
    root.only_keys({"version", "seed", "faults"});
    FaultPlan plan;
    if (const auto seed = root.find("seed")) plan.seed = static_cast<std::uint64_t>(seed->integer(0, INT64_MAX));
    FaultReader reader(machine);
    for (const YamlValue& entry : root.at("faults").items()) plan.faults.push_back(reader.read(entry));
    check_together(plan.faults);
    return plan;
}

}  // namespace

FaultPlan parse_fault_plan(const std::string& text, const std::string& file_name, const MachineDescription& machine) {
    return build(YamlValue::parse(text, file_name), machine);
}

FaultPlan read_fault_plan(const std::string& path, const MachineDescription& machine) {
    return build(YamlValue::read_file(path), machine);
}

}  // namespace topologies
