// The events of a farm, as those who watch it are told them (probe_point.hpp, witness.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <vocabulary/ids.hpp>

namespace trek_kernel {

enum class UserProcess : std::uint8_t { Generate = 0, Compute, PostProcess, Split, Join };
const char* name_of(UserProcess process);  // "data_generator()", "comp_fn()", ...

struct TaskMoved {
    vocabulary::NodeId node, peer;
    bool sent = false;                               // else received
    bool result = false;                             // else a task
    std::uint32_t task = 0, subtask = 0, bytes = 0;  // of a bundle: the number of its first task
    std::uint32_t tasks = 1;                         // in the bundle
};

enum class Moment : std::uint8_t { Begin, End };
struct TaskStep {
    vocabulary::NodeId node;
    UserProcess process = UserProcess::Compute;
    Moment moment = Moment::Begin;
    std::uint32_t task = 0, subtask = 0;
};

struct BugStruck {
    vocabulary::NodeId node;
    UserProcess process = UserProcess::Compute;
    std::uint32_t task = 0, subtask = 0;
    int bug = 0;              // bug_list.hpp
    int planted = -1;         // index in the list of planted bugs; -1: from a .dat file, or not planted
    std::string detail = {};  // its effect, where the kind does not say it
};

// In a farm that survives.
struct NodeGivenUp {
    vocabulary::NodeId node, child;  // the parent holds its child for dead
};
struct TaskReissued {
    vocabulary::NodeId node, child;  // the node that issues it again, and the child that had it and was given up
    std::uint32_t task = 0, subtask = 0;
};

// Steps of data_generator and result_receiver. `Called`: do_task() of the task, or get_result(). `Back`: the return from it;
// after get_result(), with the task whose result it took. `Ended`: an end that is no return.
enum class MasterMoment : std::uint8_t { Began, Called, Back, Returned, Ended };
struct MasterStep {
    UserProcess process = UserProcess::Generate;
    MasterMoment moment = MasterMoment::Began;
    std::uint32_t task = 0;
};

// The master's user takes a result: the content that was computed in the end.
struct ResultTaken {
    std::uint32_t task = 0, subtask = 0;
    std::span<const std::byte> content;
};

}  // namespace trek_kernel
