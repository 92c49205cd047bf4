// The events of a farm, for probe points and witnesses (probe_point.hpp, witness.hpp).
#pragma once

#include <cstddef>
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
    std::uint32_t task = 0, subtask = 0, bytes = 0;  // task: for a bundle, the number of its first task
    std::uint32_t tasks = 1;                         // tasks in the bundle
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
    std::string detail = {};  // its effect, unless the kind implies it
};

// Surviving farms only.
struct NodeGivenUp {
    vocabulary::NodeId node, child;  // the parent, and the child that it considers crashed
};
struct TaskReissued {
    vocabulary::NodeId node, child;  // the node that reissues it, and the given-up child that had it
    std::uint32_t task = 0, subtask = 0;
};

// Steps of data_generator and result_receiver. `Called`: it calls do_task() or get_result(). `Back`: the call has returned; for
// get_result(), with the task of the result. `Ended`: it ended without returning.
enum class MasterMoment : std::uint8_t { Began, Called, Back, Returned, Ended };
struct MasterStep {
    UserProcess process = UserProcess::Generate;
    MasterMoment moment = MasterMoment::Began;
    std::uint32_t task = 0;
};

// The user's result_receiver takes a result: its final content.
struct ResultTaken {
    std::uint32_t task = 0, subtask = 0;
    std::span<const std::byte> content;
};

// A user's function is called with these messages: a task, or the parts of a join. For data_generator the task that it hands
// out.
struct FunctionInput {
    vocabulary::NodeId node;
    UserProcess process = UserProcess::Compute;
    std::uint32_t task = 0, subtask = 0;
    std::span<const std::span<const std::byte>> messages;
};

}  // namespace trek_kernel
