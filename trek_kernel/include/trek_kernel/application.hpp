// The user's part of a farm: sequential functions (thesis, sections 3.2.1 and 3.3.1). Each runs as a separate process. Apart
// from computing, they act only through their Context.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <trek_kernel/witness.hpp>
#include <trollius_os/api.hpp>
#include <vocabulary/sim_time.hpp>

namespace trek_kernel {

using Bytes = std::vector<std::byte>;

struct TaskIdentity {
    std::uint32_t task = 0, subtask = 0;
};

// The treatment of a function's output; normally it is sent once, unchanged. The other settings serve planted bugs
// (bug_list.hpp), which alter messages outside the function and the runtime's own code. For split_fn it applies to every
// sub-task.
struct Output {
    bool omitted = false;                               // not sent at all
    std::uint32_t copies = 1;                           // 2: sent twice
    bool held_back = false;                             // sent after the next message of the same process
    std::optional<std::uint32_t> task = {};             // sent under this number instead of its own
    std::optional<std::uint32_t> also_as = {};          // sent a second time under this number
    std::optional<std::uint32_t> announced_bytes = {};  // a false size in the size message
    std::int32_t priority = 0;                          // priority of a task; higher is more urgent (Policy::Priorities)
};

// Thrown by Context::end_process() and when memory runs out. The process that runs the function ends; the rest of the node
// continues.
struct ProcessEnds {};

class Context {
public:
    Context(trollius_os::Api& api, UserProcess process, TaskIdentity identity, const std::vector<Witness*>& witnesses)
        : api_(api), process_(process), identity_(identity), witnesses_(witnesses) {}

    trollius_os::Api& api() { return api_; }
    UserProcess process() const { return process_; }
    const TaskIdentity& identity() const { return identity_; }
    void work(vocabulary::SimTime time) { api_.compute(time); }
    void* allocate(std::size_t bytes) { return api_.port().allocate(bytes); }  // nullptr: the node's RAM is exhausted
    void release(void* block) {
        if (before_release) std::exchange(before_release, nullptr)();
        api_.port().release(block);
    }
    // Actions of a planted bug. Call strike() first: it tells the witnesses. `planted`: its index in the list, if known.
    void strike(int bug, int planted = -1, const std::string& detail = {});
    [[noreturn]] void end_process() { throw ProcessEnds{}; }
    void wait_for_ever() {  // waits for a message that never comes; uses no cycles
        while (true) api_.wait();
    }
    Output output;              // output of the function with this Context
    bool issued_again = false;  // in a surviving farm: the task, or the one it is part of, was on a crashed node before
    std::function<void()> before_release;  // a wild write: called once, while the function's memory still exists

private:
    trollius_os::Api& api_;
    UserProcess process_;
    TaskIdentity identity_;
    const std::vector<Witness*>& witnesses_;
};

class Master {  // calls of data_generator and result_receiver
public:
    virtual void do_task(std::span<const std::byte> task, const Output& how = {}) = 0;  // blocks while no buffer is free
    virtual std::uint32_t next_task() const = 0;                                        // number of the next task
    virtual Bytes get_result(TaskIdentity* whose) = 0;                                  // blocks until a result is there
    virtual std::uint32_t total_tasks() const = 0;
    virtual trollius_os::Api& api() = 0;
    virtual Context context(UserProcess process, TaskIdentity identity) = 0;

protected:
    ~Master() = default;
};

class Application {
public:
    virtual ~Application() = default;
    virtual void init_master(Master&) {}
    virtual void data_generator(Master& master) = 0;
    virtual void result_receiver(Master& master) = 0;
    virtual Bytes compute(Context& context, std::span<const std::byte> task) = 0;
    virtual std::vector<Bytes> split(Context& context, std::span<const std::byte> task, std::size_t degree);
    virtual Bytes join(Context& context, const std::vector<Bytes>& results);
    // False: a planted bug prevents the creation of this process on this node.
    virtual bool starts(vocabulary::NodeId, UserProcess) { return true; }
    // Reseeds all later random draws in mid-run; no effect on an application without random draws.
    virtual void set_seed(std::uint64_t) {}
};

// Calls Application::starts(), and tells the witnesses when a bug prevents the process.
bool is_created(Application& application, UserProcess process, trollius_os::Kernel& kernel,
                const std::vector<Witness*>& witnesses);

}  // namespace trek_kernel
