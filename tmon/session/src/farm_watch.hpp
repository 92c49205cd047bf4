// FarmWatch: whether the farm still goes on, as a person beside the machine sees it: lamps at links and processors, what comes
// to the host and goes from it, and how old the records are that come. Neither the truth nor any table inside a node is asked:
// how a session ended is something the analysis may know (docs/sessions.md).
#pragma once

#include <cstdint>
#include <vector>

#include <hw_model/link_end.hpp>
#include <tmon_session/multicomputer.hpp>
#include <tmon_session/scenario.hpp>

#include "trace_delay.hpp"

namespace tmon_session {

inline constexpr vocabulary::SimTime load_silence =
    vocabulary::SimTime::s(2);  // no byte to or from the host for so long: nobody answers any more
inline constexpr vocabulary::SimTime look_period =
    vocabulary::SimTime::ms(2);  // how often the user at the host looks, at least

class FarmWatch {
public:
    using SimTime = vocabulary::SimTime;

    // `trace`: nullptr when nothing is monitored. All outlive this.
    FarmWatch(const Scenario& scenario, Multicomputer& box, std::vector<vocabulary::NodeId> nodes);
    void set_trace(TraceDelay* trace) { trace_ = trace; }

    // How often look() is to be called.
    SimTime period() const;
    // Everything is as if it had moved just now.
    void begin();
    // `orders_pending`: the host has orders to re-program switches, and the farm may be waiting for that.
    void look(bool orders_pending);
    // Nothing of the farm has moved, nobody has computed, and nothing that is older comes any more.
    bool stands_still() const;
    // Nothing of the farm has moved for longer than anybody waits, though somebody computes.
    bool out_of_patience() const;

    // Of the farm's own messages, over all links.
    std::uint64_t application_bytes() const { return links().application; }
    // Bytes are on the way on some link, and will arrive.
    bool something_moves() const { return links().something_moves; }
    enum class Counted : std::uint8_t { All, NoTracesThatCome, OnlyPrograms };
    // Over the host's links, since programs and commands come from there, and what programs read and print.
    std::uint64_t host_bytes(Counted counted) const;
    // Records have come since the last call that were made before `moment`.
    bool older_records_come(SimTime moment);

private:
    // Without any task there is traffic and work for ever: a record of each interrupt, or signs of life and their records.
    bool monitor_never_rests() const;
    bool may_wait_for_room(SimTime now) const;
    // The lamps of all links at one moment, and what their counters show.
    struct Links {
        std::uint64_t application = 0, other = 0;  // bytes
        bool application_moves = false, something_moves = false;
    };
    Links links() const;
    struct Lamp {
        SimTime high, low;   // busy until the last look
        SimTime busy_since;  // without a pause
    };
    bool computes(vocabulary::NodeId id, Lamp& lamp);
    SimTime survival_time() const;
    std::uint64_t bytes_to_manager() const;  // from its neighbours: tasks' results and signs of life

    const Scenario& scenario_;
    Multicomputer& box_;
    const std::vector<vocabulary::NodeId> nodes_;
    TraceDelay* trace_ = nullptr;
    SimTime looked_at_, moved_at_, computed_at_, sign_at_, heard_at_;
    std::uint64_t application_ = 0, other_ = 0, programs_ = 0, heard_ = 0;
    std::vector<Lamp> lamps_;  // as nodes_
};

}  // namespace tmon_session
