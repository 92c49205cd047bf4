// The local engine: each point in a process of its own on this computer, some at a time. It also works in each MPI rank and
// each Slurm job, on the points that these are given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <forks/forks.hpp>

#include <sweeps/command_servers.hpp>

namespace sweeps {

// Where an engine takes its points from.
class PointSource {
public:
    virtual ~PointSource() = default;
    virtual std::optional<std::size_t> next() = 0;  // empty: none at the moment
    virtual bool is_over() const = 0;               // none is there, and none will come
    virtual int handle() const { return -1; }       // can be read when something has come; -1: nothing comes
};

class PointList : public PointSource {
public:
    explicit PointList(std::vector<std::size_t> points) : points_(std::move(points)) {}
    std::optional<std::size_t> next() override { return is_over() ? std::nullopt : std::optional(points_[at_++]); }
    bool is_over() const override { return at_ == points_.size(); }

private:
    std::vector<std::size_t> points_;
    std::size_t at_ = 0;
};

struct LocalEngine {
    std::size_t at_once = 2;
    double seconds = 600;      // of processor time; a point that takes more is ended
    std::uint64_t memory = 0;  // bytes that a point and its processes may take; looked at ten times a second. 0: no limit
    // In the child: the run, as a text for `ended`. An exception is a failure of the point.
    std::function<std::string(std::size_t point)> work;
    std::function<void(std::size_t point)> begins = [](std::size_t) {};  // here, before each start
    // Here, once for each point, in the order of their ends.
    std::function<void(std::size_t point, forks::ChildAnswer answer)> ended;
    // Often. False: end the running points without an answer and start no more.
    std::function<bool()> go_on;
    CommandServers* servers = nullptr;  // of `at_once` places; null: no command stays

    // Call before this process creates any SystemC object. Throws vocabulary::HostError when the host has no room for another
    // process. Cost of a point beside its work: one fork().
    void run(PointSource& points) const;
};

}  // namespace sweeps
