// FarmWatch: decides whether the farm still goes on, as a person beside the machine would. It uses lamps at links and
// processors, the traffic of the host, and the age of arriving records. It reads neither the truth nor any table inside a
// node, because the analysis may know how a session ended (docs/model/session_end.md).
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include <hw_model/link_end.hpp>
#include <scenario/scenario.hpp>
#include <trollius_hosted/multicomputer.hpp>

#include "trace_delay.hpp"

namespace session {

inline constexpr vocabulary::SimTime load_silence =
    vocabulary::SimTime::s(2);  // silence at the host for this long: no answer will come
inline constexpr vocabulary::SimTime look_period =
    vocabulary::SimTime::ms(2);  // longest time between two looks of the user at the host

class FarmWatch {
public:
    using SimTime = vocabulary::SimTime;

    // All outlive this.
    FarmWatch(const scenario::Scenario& scenario, trollius_hosted::Multicomputer& box, std::vector<vocabulary::NodeId> nodes);
    // Application bytes of an earlier phase, which do not count.
    void set_before(std::uint64_t bytes) { before_ = bytes; }
    void set_trace(TraceDelay* trace) { trace_ = trace; }  // null: not monitored

    // More signs of its progress than its bytes on links; they only grow.
    void set_steps(std::function<std::uint64_t()> steps) { steps_ = std::move(steps); }

    // Interval for calls of look().
    SimTime period() const;
    // Treats everything as if it had moved just now.
    void begin();
    // `orders_pending`: the host still has orders to re-program switches, and the farm may be waiting for that.
    void look(bool orders_pending);
    // True when nothing of the farm has moved, no node has computed, and no older records arrive.
    bool stands_still() const;
    // For a program with steps: it makes none, and none of its bytes arrives. No record comes that was made before the last
    // one. A message that never leaves a link does not count, and neither do processes that try again and again to send.
    bool makes_no_steps() const { return box_.now() - std::max(stepped_at_, older_at_) > scenario_.quiet; }
    // True when nothing of the farm has moved for longer than the user's patience, though some node computes.
    bool out_of_patience() const;

    // Bytes of the farm's own messages, over all links.
    std::uint64_t application_bytes() const { return links().application - before_; }
    // The same with the steps.
    std::uint64_t progress() const { return application_bytes() + (steps_ ? steps_() : 0); }
    // True when bytes are under way on some link and will arrive.
    bool something_moves() const { return links().something_moves; }
    enum class Counted : std::uint8_t { All, NoTracesThatCome, OnlyPrograms };
    // Bytes over the host's links: programs, commands, and the data that programs read and print.
    std::uint64_t host_bytes(Counted counted) const;
    // True when records made before `moment` have arrived since the last call.
    bool older_records_come(SimTime moment);

private:
    // True when traffic and work never end, even without a task. There is a record of each interrupt, or heartbeats of
    // buffer managers, or heartbeats of nodes and their records.
    bool monitor_never_rests() const;
    bool may_wait_for_room(SimTime now) const;
    // Lamps and byte counters of all links at one moment.
    struct Links {
        std::uint64_t application = 0, other = 0;  // bytes
        bool application_moves = false, something_moves = false;
    };
    Links links() const;
    struct Lamp {
        SimTime high, low;   // time busy until the last look
        SimTime busy_since;  // start of the work without a pause
    };
    bool computes(vocabulary::NodeId id, Lamp& lamp);
    SimTime survival_time() const;
    std::uint64_t bytes_to_manager() const;  // from its neighbours: tasks' results and heartbeats

    const scenario::Scenario& scenario_;
    trollius_hosted::Multicomputer& box_;
    const std::vector<vocabulary::NodeId> nodes_;
    TraceDelay* trace_ = nullptr;
    SimTime stepped_at_, older_at_, looked_at_, moved_at_, computed_at_, sign_at_, heard_at_;
    std::uint64_t before_ = 0;
    std::function<std::uint64_t()> steps_;
    std::uint64_t made_ = 0;  // steps
    std::uint64_t application_ = 0, other_ = 0, programs_ = 0, heard_ = 0;
    std::vector<Lamp> lamps_;  // as nodes_
};

}  // namespace session
