// The critical path of a run: from a moment back to an earlier one along what each moment waited for. An activity that ran goes
// back to the moment when it began to run. One that waited for the processor goes back to the moment when it became ready. From
// there the path goes to its cause: another activity in its code, the end of a message, a timer, or the event pin. At the end
// of a message it goes to the sender or the receiver, whichever was later. Every picosecond of the span lies in exactly one
// segment (docs/model/critical_path.md).
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
    Memory,     // it has the processor, and links take the memory cycles
    Processor,  // another activity has the processor: charged to that one's cause
    Transfer,   // its message is on the wire
    SlowLink,   // the extra part of that caused by a monitor's message the other way
    Link,       // its message waits for one that has the wire
    Timer,      // it waits until a time that it has set itself
    Event,      // it waits for its node's event pin: the back end for an interrupt
    Unknown,    // what it waited for is not known
};
inline constexpr std::size_t path_kinds = 10;

inline constexpr std::uint8_t no_link = 0xff;

struct PathSegment {
    vocabulary::SimTime from{}, until{};
    PathKind kind = PathKind::Unknown;
    vocabulary::Account cause{};  // trollius_os::accounts::system: the program, and all it needs
    std::uint8_t what = 0;        // kind of the charge: trollius_os::probed(), trollius_os::computation
    std::uint8_t link = no_link;
    std::uint16_t node = 0;

    vocabulary::SimTime length() const { return until - from; }
};

class CriticalPath {
public:
    using End = hw_model::Chronicle::End;
    // `across`: the end of a link at the other side of the wire. All outlive this.
    CriticalPath(const hw_model::Chronicle& chronicle, const hw_model::LinkTiming& timing,
                 std::function<std::optional<End>(End)> across);

    // The path to the moment `until`, when the activity whose last entry was `last` ran, since `since`; latest segment first.
    // They follow each other without gap or overlap and fill the whole time. Cost: linear in the entries on the way.
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
    const hw_model::LinkTiming& timing_;
    std::function<std::optional<End>(End)> across_;
    std::vector<std::vector<EntryNo>> uses_;        // by node, in the order of time
    std::vector<std::vector<std::uint32_t>> sent_;  // transfers by node * 4 + link, likewise
    std::vector<PathSegment> path_;
    EntryNo at_ = hw_model::Chronicle::none;
    SimTime now_, since_;
};

}  // namespace twin
