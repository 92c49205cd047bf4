// The place that the verdict names, for the chain of waits: it ends there when it can. Private.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "farm_state.hpp"

namespace tmon_stories {

class VerdictPlace {
public:
    explicit VerdictPlace(const Stories::State& state) : state_(state), verdict_(state.analysis.verdict) {}

    const std::string& sentence() const { return verdict_.sentence; }
    const std::string& process() const { return verdict_.process; }
    Certainty certainty() const {
        using tmon_detrek::VerdictKind;
        if (verdict_.kind == VerdictKind::Certain) return Certainty::Certain;
        return verdict_.kind == VerdictKind::Likely ? Certainty::Likely : Certainty::Unknown;
    }
    bool certainly_in_process() const { return certainty() == Certainty::Certain && verdict_.in_process; }

    bool names(const Awaited& what) const {
        if (verdict_.task != what.task) return false;
        for (std::size_t i = 0; i < verdict_.nodes.size(); ++i)
            if (verdict_.nodes[i] == what.node && verdict_.subtasks[i] == what.subtask) return true;
        return false;
    }
    // A result on its way is named at the node that should take it.
    bool names(const Awaited& what, const Place& place) const {
        return names(what) || names({what.task, what.subtask, place.node});
    }
    bool names_receiver() const {
        return certainty() != Certainty::Unknown && verdict_.process == tmon_detrek::process_name(Process::ResultReceiver);
    }
    // The named part on that node, if there is one.
    std::vector<Awaited> first_at(std::uint16_t node) const {
        for (std::size_t i = 0; verdict_.task && i < verdict_.nodes.size(); ++i)
            if (verdict_.nodes[i] == node) return {{*verdict_.task, verdict_.subtasks[i], node}};
        return {};
    }
    // The verdict's task, when node 0 did not send it and sends tasks in their order.
    std::optional<std::uint32_t> unsent_before(std::uint32_t task) const {
        if (!verdict_.task || *verdict_.task >= task || state_.analysis.graphs.has_events(*verdict_.task)) return {};
        return verdict_.task;
    }

    void put_named_first(std::vector<Awaited>& list) const {
        std::stable_partition(list.begin(), list.end(), [this](const Awaited& each) { return names(each); });
    }
    // The named ones, then those on a node above one of them.
    void put_first(std::vector<Awaited>& list) const {
        std::stable_partition(list.begin(), list.end(), [this](const Awaited& each) { return leads_there(each.node); });
        put_named_first(list);
    }

private:
    bool leads_there(std::uint16_t node) const {
        return std::any_of(verdict_.nodes.begin(), verdict_.nodes.end(), [&](std::uint16_t place) {
            for (auto at = std::optional(place); at; at = state_.tree().parent(*at))
                if (*at == node) return true;
            return false;
        });
    }

    const Stories::State& state_;
    const tmon_detrek::Verdict& verdict_;
};

}  // namespace tmon_stories
