// Runs many simulations, each in a process of its own, some at a time. Answers come in the order of their numbers, whichever
// ended first. Call before this process creates any SystemC object.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <forks/forks.hpp>

#include <forks/bytes.hpp>
#include <vocabulary/errors.hpp>

namespace forks {

inline constexpr std::size_t children_at_once = 2;

// `work`: called in the child with its number, 0 to count - 1; it may start children of its own. `go_on`: called with the
// number of ended children, whenever one ends and ten times a second. False: kill the running children and start no more.
// Ctrl-C reaches this process and not the children. No child is left when this returns or throws. Throws vocabulary::HostError
// when the host has no room for a process; the failure of a child is an answer. Precondition: at_once > 0. Cost: one
// Forks::start() a child.
std::vector<ChildAnswer> run_children(std::size_t count, const std::function<std::string(std::size_t)>& work,
                                      const std::function<bool(std::size_t)>& go_on, std::size_t at_once = children_at_once);

// Runs one child and returns the plain data that `function` returns there. `what`: the child's name, as "a measuring run".
// When the child fails, throws as throw_failure(), with that name and the reason.
template <class Result, class Function>
Result run_in_child(const std::string& what, const Function& function) {
    const auto work = [&](std::size_t) {
        Bytes bytes;
        bytes.put(Result(function()));
        return bytes.take_bytes();
    };
    ChildAnswer answer = std::move(run_children(1, work, [](std::size_t) { return true; }).front());
    if (answer.how != ChildAnswer::How::Done) throw_failure(what, answer);
    return Bytes(std::move(answer.bytes)).get<Result>();
}

}  // namespace forks
