// ToCut: the way to a cut that `back cut` leaves for its snapshot, as text: each node's part, and the changes on the way.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <vocabulary/sim_time.hpp>

namespace cli {

// A line that changes the run, for the line that repeats it.
struct ShellChange {
    vocabulary::SimTime at, until;  // `until`: when the command was over
    std::string line;               // "set seed=2", "tping n3"
    bool of_holding = false;        // a line of `back cut`, or the `release` behind it
};

struct ToCut {
    std::string number, predicate;
    vocabulary::SimTime stopped_at;  // of the run before
    struct Part {
        std::uint32_t count = 0, known = 0;   // acts of the cut, and those of them that came
        std::uint64_t hash = 0;               // of these
        bool named = true;                    // by the predicate
        std::vector<std::uint32_t> makers{};  // of the acts behind the snapshot
    };
    std::vector<Part> nodes{};
    // Typed behind the snapshot: before the breakpoint told, and after that.
    std::vector<ShellChange> changes{}, later{};

    // On the way: the snapshot's answer, and the next change. All acts, and since when none has come. Then the nodes that the
    // predicate does not name are no longer held.
    std::string back{};
    std::size_t next = 0;
    std::vector<std::string> refused{};  // changes that could not be made here, with the reason
    std::uint64_t acts_made = 0;
    vocabulary::SimTime since{};
    bool freed = false;

    std::string text() const;
    static ToCut of(const std::string& text);
    bool goes_on(std::size_t node) const { return freed && !nodes[node].named; }
    // All of a node that goes on.
    std::vector<std::uint32_t> acts() const;
    // A line for each kind of changes: those made here, and those left out.
    std::string changes_text() const;
};

}  // namespace cli
