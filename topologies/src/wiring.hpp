// Every end of a machine (node link, switch way, host) as one small number, and the end that each is soldered or switched to.
// Both network.cpp and machine_checks.cpp walk along it. Cost: a few words an end; a walk is linear in the switches it passes.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <topologies/machine_description.hpp>

namespace topologies {

// Numbers: the links of node 0, 1, ..., then the connections of the host, then the ways of switch 0, 1, ...
class EndIndex {
public:
    explicit EndIndex(const MachineDescription& machine);
    std::size_t size() const { return first_way() + switches_ * ways_per_switch; }
    std::size_t host() const { return host_; }  // its connection 0
    std::size_t first_way() const { return host_ + host_connections; }
    bool contains(const WireEnd& end) const;
    std::size_t of(const WireEnd& end) const;  // the end must be in the machine
    WireEnd end(std::size_t index) const;
    bool is_way(std::size_t index) const { return index >= first_way(); }

private:
    std::size_t host_;
    std::size_t switches_;
};

// Result of a walk out of an end along cables and switch connections.
struct Walk {
    std::size_t last = 0;
    std::vector<SwitchId> through;
    // Arrived: `last` is a node link or the host. Nowhere: `last` has no cable, or is a way that is connected to none.
    // Loop: back at the beginning.
    enum class Outcome { Arrived, Nowhere, Loop } outcome = Outcome::Nowhere;
};

// The ends must be in the machine, each used by at most one wire and one connection (check_machine() checks this).
class Wiring {
public:
    explicit Wiring(const MachineDescription& machine);
    const EndIndex& ends() const { return ends_; }
    bool has_cable(std::size_t end) const { return cable_[end].has_value(); }
    bool is_connected(std::size_t way) const { return joined_[way].has_value(); }
    // Leaves `start` by its cable; `visit(way)` sees every way passed.
    template <class Visit>
    Walk walk(std::size_t start, Visit visit) const;
    Walk walk(std::size_t start) const {
        return walk(start, [](std::size_t) {});
    }

private:
    EndIndex ends_;
    std::vector<std::optional<std::size_t>> cable_;   // the end soldered to each end
    std::vector<std::optional<std::size_t>> joined_;  // the way connected to each way inside its switch
};

template <class Visit>
Walk Wiring::walk(std::size_t start, Visit visit) const {
    Walk result;
    for (std::size_t at = start; cable_[at];) {
        result.last = *cable_[at];
        if (!ends_.is_way(result.last)) {
            result.outcome = Walk::Outcome::Arrived;
            return result;
        }
        visit(result.last);
        if (!joined_[result.last]) return result;
        result.through.push_back(std::get<SwitchWay>(ends_.end(result.last)).which);
        at = *joined_[result.last];
        visit(at);
        if (at == start) {
            result.outcome = Walk::Outcome::Loop;
            return result;
        }
    }
    return result;
}

}  // namespace topologies
