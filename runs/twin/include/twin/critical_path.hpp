// The critical path of a run: the chain of waits from a moment back to an earlier one. A running activity leads back to the
// moment when it began to run. An activity waiting for the processor leads back to the moment when it became ready. From there
// the path goes to the cause: another activity, the end of a message, a timer, or the event pin. At the end of a message it
// goes to the sender or the receiver, whichever came later. Every picosecond of the span lies in exactly one segment
// (docs/model/critical_path.md).
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include <hw_model/chronicle.hpp>
#include <hw_model/timing.hpp>
#include <trollius_os/accounts.hpp>
#include <vocabulary/sim_time.hpp>

namespace twin {

enum class PathKind : std::uint8_t {
    Use,        // the path's own activity has the processor
    Switch,     // the scheduler starts, cuts or resumes it
    Memory,     // the same, while links take memory cycles
    Processor,  // another activity has the processor: charged to that one's cause
    Transfer,   // its message is on the wire
    SlowLink,   // extra wire time due to a monitor message in the other direction
    Link,       // its message waits for another on the wire
    Timer,      // it waits for its own timer
    Event,      // it waits for its node's event pin: the back end waits for an interrupt
    Unknown,    // the cause of the wait is not known
};
inline constexpr std::size_t path_kinds = 10;

inline constexpr std::uint8_t no_link = 0xff;

struct PathSegment {
    vocabulary::SimTime from{}, until{};
    PathKind kind = PathKind::Unknown;
    vocabulary::Account cause{};  // trollius_os::accounts::system: the program and everything it needs
    std::uint8_t what = 0;        // kind of the charge: trollius_os::probed(), trollius_os::computation
    std::uint8_t link = no_link;
    std::uint16_t node = 0;

    vocabulary::SimTime length() const { return until - from; }
};

class CriticalPath {
public:
    using End = hw_model::Chronicle::End;
    // `timing`: gives the timing of a link; `across`: the link end at the other side of the wire. All outlive this.
    CriticalPath(const hw_model::Chronicle& chronicle, std::function<const hw_model::LinkTiming&(End)> timing,
                 std::function<std::optional<End>(End)> across);

    // The path from `since` to `until`, when the activity with the last entry `last` ran; latest segment first. The segments
    // fill the whole time without gap or overlap. Cost: linear in the entries on the path.
    std::vector<PathSegment> back(hw_model::Chronicle::EntryNo last, vocabulary::SimTime until, vocabulary::SimTime since);

private:
    using SimTime = vocabulary::SimTime;
    using Entry = hw_model::Chronicle::Entry;
    using Transfer = hw_model::Chronicle::Transfer;
    using EntryNo = hw_model::Chronicle::EntryNo;

    void index_processors();
    void index_links();
    void step();
    void add(SimTime from, PathSegment like);
    void add_processor_wait(const Entry& entry);
    void over_the_link(const Entry& entry, const Transfer& transfer);
    void add_transfer(SimTime from, const Transfer& transfer);
    void add_link_wait(SimTime from, const Transfer& transfer);
    SimTime slowed_by_monitor(SimTime from, SimTime until, const Transfer& transfer) const;
    template <class Function>
    void each_overlapping(End end, SimTime from, SimTime until, Function function) const;
    PathSegment of_node(PathKind kind, const Entry& entry) const;

    const hw_model::Chronicle& chronicle_;
    std::function<const hw_model::LinkTiming&(End)> timing_;
    std::function<std::optional<End>(End)> across_;
    std::vector<std::vector<EntryNo>> uses_;        // by node, in order of time
    std::vector<std::vector<std::uint32_t>> sent_;  // transfers by node * 4 + link, sorted alike
    std::vector<PathSegment> path_;
    EntryNo at_ = hw_model::Chronicle::none;
    SimTime now_, since_;
};

}  // namespace twin
