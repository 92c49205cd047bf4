// Distribution: chooses the child that gets a task, as one node of a farm decides it. There is one object a node, made with it
// for the policy of the farm; docs/results/farm.md compares the policies. A child has a token here for each free place at or
// below it, and gets a task only for a token. Nothing here takes modelled time: the caller charges the cost of a decision.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <trek_kernel/tree.hpp>

namespace trek_kernel {

// The keys by which waiting tasks are ordered.
struct Rank {
    std::int32_t priority = 0;
    std::uint32_t task = 0, subtask = 0;
};

// The knowledge a node has of a child without asking it.
struct ChildLoad {
    std::uint32_t handed_over = 0;  // tasks that were given to it and are not back
    std::uint32_t workers = 1;      // nodes at and below it
    bool asked = false;             // to give one back up, and has not answered
};

class Distribution {
public:
    explicit Distribution(std::size_t children) : tokens_(children) {}
    virtual ~Distribution() = default;

    std::uint32_t tokens(std::size_t child) const { return tokens_[child]; }
    // The child has `count` more free places.
    virtual void add(std::size_t child, std::uint32_t count) { tokens_[child] += count; }
    // One of its places is for a task that only it may have. Requires tokens(child) > 0.
    virtual void take(std::size_t child) { --tokens_[child]; }
    // It gets nothing more: its places are gone with it.
    virtual void forget(std::size_t child) { tokens_[child] = 0; }
    // The child that gets the next task; takes one of its tokens. Empty when none may have the task now.
    virtual std::optional<std::size_t> next() = 0;
    // True when the later one goes first.
    virtual bool overtakes(const Rank& later, const Rank& earlier) const;
    // The task that moves on when too many wait at a worker: the first of the queue (true), or the last.
    virtual bool moves_first() const { return false; }
    // True when an idle node asks for a task of its siblings. The other call names the child to ask when `thief` is the idle
    // one; empty: none has a task to give.
    virtual bool steals() const { return false; }
    virtual std::optional<std::size_t> victim(std::size_t thief, std::span<const ChildLoad> children) const;

private:
    std::vector<std::uint32_t> tokens_;  // index: child
};

std::unique_ptr<Distribution> make_distribution(Policy policy, std::size_t children);

}  // namespace trek_kernel
