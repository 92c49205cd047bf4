// TimelineHistory: what a Timeline remembers for its Laggards. A Laggard is a part of the machine whose steps are no events.
// It does them when somebody looks at it, and then all of them that lie before the event that fires. It steps as if each step
// were an event that the step before had posted. So it must know which comes first when step and event have the same time and
// node: the one that was posted first. Times alone do not tell. The history knows how many events had been posted by when.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <vocabulary/sim_time.hpp>

namespace hw_model {

using vocabulary::SimTime;

class Laggard {
public:
    // The Timeline rests at `limit`: does all steps up to then. Returns the time of the last one.
    virtual SimTime rest_at(SimTime limit) = 0;
    virtual SimTime next_step() const = 0;

protected:
    ~Laggard() = default;
};

class TimelineHistory {
public:
    // A place in the order of all events: before it are the events and steps that have happened.
    struct Place {
        SimTime time;
        std::uint64_t order = 0;  // as of an event: node and number
        bool operator<(const Place& other) const { return time != other.time ? time < other.time : order < other.order; }
    };
    static constexpr std::uint64_t order(std::uint32_t node, std::uint64_t number) {
        return (std::uint64_t{node} << 40) | (number & 0xff'ffff'ffff);
    }
    static constexpr std::uint32_t node_of(std::uint64_t order) { return static_cast<std::uint32_t>(order >> 40); }

    // For the Timeline
    void begins(SimTime time, std::uint64_t order, std::uint64_t posted) {
        // An event posted for the present moment can rank before those that fired at this moment already.
        place_ = std::max(place_, Place{time, order});
        posted_ = posted;
        if (marks_.size() == most_marks_) drop_old_marks();
        marks_.push_back({place_, posted});
    }
    void ends(SimTime time) {
        if (counts_) counted_ = time;
        counts_ = true;
    }
    SimTime rests_at(SimTime limit, std::uint64_t posted);  // returns the time of the last event or step
    SimTime next_step() const;

    // For a Laggard
    void add(Laggard& laggard) { laggards_.push_back(&laggard); }
    void remove(Laggard& laggard, SimTime last_step);
    const Place& place() const { return place_; }
    // The event that fires belongs to no step: now() does not stay at its time.
    void do_not_count() { counts_ = false; }
    // It will ask for steps no longer ago than this.
    void remember(SimTime span) { span_ = std::max(span_, span); }
    // Number of the event that a step at `time` and `node` would have posted. `own` returns the step's own number; it is called
    // when events have fired at the same time and node.
    template <class Own>
    std::uint64_t number(SimTime time, std::uint32_t node, Own own) const {
        auto mark = std::lower_bound(marks_.begin(), marks_.end(), Place{time, order(node, 0)},
                                     [](const Mark& one, const Place& place) { return one.place < place; });
        const auto same = [&](const Mark& one) { return one.place.time == time && node_of(one.place.order) == node; };
        if (mark != marks_.end() && same(*mark)) {
            const std::uint64_t order_of_step = order(node, own());
            while (mark != marks_.end() && same(*mark) && mark->place.order < order_of_step) ++mark;
        }
        return (mark == marks_.end() ? posted_ : mark->posted) + 1;
    }

private:
    struct Mark {
        Place place;
        std::uint64_t posted;  // number of the last post before the event at this place
    };
    void drop_old_marks();

    static constexpr std::size_t least_marks = 1024;
    Place place_;
    std::uint64_t posted_ = 0;
    SimTime counted_, span_;
    bool counts_ = true;
    std::size_t most_marks_ = least_marks;
    std::vector<Mark> marks_;  // sorted
    std::vector<Laggard*> laggards_;
};

}  // namespace hw_model
