// The seam to the probes (D7). TrEK calls its observers after each task or result has moved over a link (size and data, thesis
// section 5.2). It also calls them at the steps of its processes. An observer gets the Api of the running process. It returns
// cycles to charge and may make the process wait, as Tmon-de does while monitoring is off. Truth is an observer that returns 0
// and never waits.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <trollius_os/api.hpp>
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

class TrekObserver {
public:
    virtual ~TrekObserver() = default;
    virtual vocabulary::Cycles on(const TaskMoved& what, trollius_os::Api& api) = 0;
    virtual vocabulary::Cycles on(const TaskStep& what, trollius_os::Api& api) = 0;
    virtual void on(const BugStruck& what, vocabulary::SimTime when) = 0;  // truth only: no probe sees a bug
    // Truth only, too.
    virtual void on_given_up(const NodeGivenUp&, vocabulary::SimTime) {}
    virtual void on_reissued(const TaskReissued&, vocabulary::SimTime) {}
    virtual void on_result(const ResultTaken&, vocabulary::SimTime) {}
    virtual void on_master(const MasterStep&, vocabulary::SimTime) {}
    virtual void on_home(std::uint32_t, vocabulary::SimTime) {}  // the manager accepted the result of this task
    // The farm was told to stop and this node holds no task any more.
    virtual void on_finished(vocabulary::NodeId node, trollius_os::Api& api) = 0;
};

}  // namespace trek_kernel
