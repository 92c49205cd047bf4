// Distribution: chooses the child of a node that gets the next task. Each node has one object, of the farm's policy;
// docs/results/farm.md compares the policies. A child has a token here for each free place at or below it, and each task it
// gets takes a token. Nothing here takes modelled time: the caller charges the cost of a decision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <trek_kernel/tree.hpp>

namespace trek_kernel {

// The sort keys of waiting tasks.
struct Rank {
    std::int32_t priority = 0;
    std::uint32_t task = 0, subtask = 0;
};

// The state of a child that its parent knows without asking.
struct ChildLoad {
    std::uint32_t handed_over = 0;  // tasks given to it and not back
    std::uint32_t workers = 1;      // nodes at and below it
    bool asked = false;             // it was asked to give a task back and has not answered
};

class Distribution {
public:
    explicit Distribution(std::size_t children) : tokens_(children) {}
    virtual ~Distribution() = default;

    std::uint32_t tokens(std::size_t child) const { return tokens_[child]; }
    // The child has `count` more free places.
    virtual void add(std::size_t child, std::uint32_t count) { tokens_[child] += count; }
    // Reserves one of its places for a task that only it may have. Requires tokens(child) > 0.
    virtual void take(std::size_t child) { --tokens_[child]; }
    // The child is lost with its places: it gets nothing more.
    virtual void forget(std::size_t child) { tokens_[child] = 0; }
    // The child that gets the next task; takes one of its tokens. Empty when none may have the task now.
    virtual std::optional<std::size_t> next() = 0;
    // True when the later task goes first.
    virtual bool overtakes(const Rank& later, const Rank& earlier) const;
    // Selects the task that moves on when too many wait at a worker: the first of the queue (true), or the last.
    virtual bool moves_first() const { return false; }
    // True when an idle node asks for a task of its siblings. For an idle `thief`, victim() gives the child to ask; empty: none
    // has a task to give.
    virtual bool steals() const { return false; }
    virtual std::optional<std::size_t> victim(std::size_t thief, std::span<const ChildLoad> children) const;

private:
    std::vector<std::uint32_t> tokens_;  // index: child
};

std::unique_ptr<Distribution> make_distribution(Policy policy, std::size_t children);

}  // namespace trek_kernel
