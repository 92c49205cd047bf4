// The local engine: each point in a process of its own on this computer, some at a time.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <forks/forks.hpp>

namespace sweeps {

struct LocalEngine {
    std::size_t at_once = 2;
    double seconds = 600;      // of processor time; a point that takes more is ended
    std::uint64_t memory = 0;  // bytes that a point may take; looked at ten times a second. 0: no limit
    // In the child: the run, as a text for `ended`. An exception is a failure of the point.
    std::function<std::string(std::size_t point)> work;
    // Here, once for each point, in the order of their ends.
    std::function<void(std::size_t point, forks::ChildAnswer answer)> ended;
    // Often. False: end the running points without an answer and start no more.
    std::function<bool()> go_on;

    // `points`: their numbers, in the order of their starts. Call before this process creates any SystemC object. Throws
    // vocabulary::HostError when the host has no room for another process. Cost of a point beside its work: one fork().
    void run(const std::vector<std::size_t>& points) const;
};

}  // namespace sweeps
