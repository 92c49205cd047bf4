// TrekNode: TrEK on one node (thesis, section 5.3.1). An input and an output process serve each link of the tree, all of high
// priority. Then there are a data manager, a result manager, a split and a join process where tasks are divided, and one user
// computation. All are processes of the kernel.
//
// Flood filling. A child asks for tasks: it sends its parent a token for each task it can take. A token travels with a result
// where one is going up anyway.
//
// In a processor farm a node has a place for the task it computes and one for each buffer. It passes its children's tokens on,
// so tokens at the manager stand for free places anywhere below. An arriving task takes a free place here first; the excess
// goes to the child whose token is oldest.
//
// In divide and conquer a node asks for as many tasks as its buffers and its input process can hold. A task is computed when
// the computation is idle, else split for the children. Other policies: distribution.hpp. A message carries a bundle of tasks
// where the granularity is above 1 (docs/model/farm.md).
//
// A parent tells each child that it is there before the child asks for anything: a message that nobody receives would block the
// link. So nodes are started from the leaves up.
//
// Link processes therefore always receive, and the link stays open for the kernel's messages and the trace.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <boost/container/deque.hpp>
#include <boost/container/flat_set.hpp>
#include <boost/container/small_vector.hpp>

#include <trek_kernel/application.hpp>
#include <trek_kernel/costs.hpp>
#include <trek_kernel/distribution.hpp>
#include <trek_kernel/tree.hpp>
#include <trek_kernel/trek_observer.hpp>
#include <trollius_os/kernel.hpp>

namespace trek_kernel {

// Takes no memory while it is empty, as most queues are on most nodes of a large machine (std::deque takes 600 bytes at once).
template <class Element>
using Fifo = boost::container::deque<Element>;

struct NodeSetup {
    TreePlace place;
    FarmSpec config;
    TrekCosts costs;
    Application* application = nullptr;    // outlives the node
    std::vector<TrekObserver*> observers;  // called in this order
};

// The meaning of a circuit's message, read from its header as an observer outside the machine can.
struct TaskOnWire {
    bool result = false;
    std::uint32_t task = 0, subtask = 0;
};
// The manager's account of its tasks at any moment: completed + under way = issued.
struct TaskAccount {
    std::uint32_t issued = 0, completed = 0;
    std::uint32_t unexpected = 0;  // results of tasks that were never issued, or that were back already
    // In a farm that sends tasks in bundles: the tasks that are back, in order of arrival. Moves of a bundle do not name its
    // tasks.
    std::vector<std::uint32_t> back;
};

// The results that wait in a node. They came from below or were made here, and have not left, been joined or been taken by
// get_result(). A bundle is one until the manager takes it apart.
struct ResultQueue {
    std::uint32_t waiting = 0, longest = 0;
    std::uint64_t bytes = 0, most_bytes = 0;  // of the node's RAM
    vocabulary::SimTime since;                // the last change
    std::int64_t waited_ns = 0;               // added up over the results, until `since`
};

// The present work of one of the user's processes, as the node's kernel and TrEK's own tables have it.
struct Standing {
    NodeId node;
    UserProcess process = UserProcess::Compute;
    std::string text;  // "is in task 49, sub-task 0110"
};

class TrekNode {
public:
    // Empty when it is neither a task nor a result.
    static std::optional<TaskOnWire> task_on_wire(std::span<const std::byte> header);

    class Spares;  // unused items, for all nodes of a farm

    TrekNode(trollius_os::Kernel& kernel, NodeSetup setup, Spares& spares);  // `spares` outlives it
    ~TrekNode();
    TrekNode(const TrekNode&) = delete;
    TrekNode& operator=(const TrekNode&) = delete;

    // Called by a process of the node; creates the processes. False when the node has too little memory for them.
    bool start();
    std::uint32_t computed() const { return computed_; }
    const TaskAccount& account() const { return account_; }
    const ResultQueue& result_queue() const { return result_queue_; }
    // Adds those of its user processes that do not simply wait for work.
    void add_standing(std::vector<Standing>& to) const;

    // Manager node only; called by the master's processes.
    void put_task(trollius_os::Api& api, std::span<const std::byte> task, const Output& how);
    void flush_tasks(trollius_os::Api& api);  // hands over the last bundle, which may not be full
    std::uint32_t next_task() const { return next_task_; }
    Bytes take_result(trollius_os::Api& api, TaskIdentity* whose);
    std::vector<std::uint32_t> stop_farm(trollius_os::Api& api);  // stops all nodes; returns the tasks each has computed

private:
    // Steal, GiveUp, Nothing and Returned belong to the policy work stealing (stealing.cpp).
    enum class Kind : std::uint8_t { Start, Task, Result, Token, Stop, Counts, Steal, GiveUp, Nothing, Returned, Alive };
    struct Item;
    using ItemPtr = std::unique_ptr<Item>;
    struct SizeMessage;
    using Parts = boost::container::small_vector<ItemPtr, 1>;
    class Bundler;
    struct Child;
    struct JoinSet;
    class Recovery;
    using Api = trollius_os::Api;

    bool is_manager() const { return !setup_.place.parent; }
    bool divides() const { return setup_.config.divides(); }
    bool splits_at(std::size_t level) const {  // a node of that level, if it has children
        return divides() && level < std::min<std::size_t>(setup_.config.depth, most_depth);
    }
    void spawn(const char* name, trollius_os::Priority priority, std::function<void(Api&)> code);
    void observe(Api& api, const Item& item, NodeId peer, bool sent);
    void step(Api& api, const Item& item, UserProcess process, Moment moment);

    // Link processes
    void input(Api& api, const Branch& from, Child* child);
    const char* what_is_wrong(const SizeMessage& size, const trollius_os::LinkReceived& got, const Child* child) const;
    bool too_many_tokens(const Child& child, std::uint32_t count) const;
    std::uint32_t tokens_with(const Item& item);
    void signal_arrived(Api& api, const SizeMessage& size, Child* child);
    const char* what_is_wrong_with_stealing(const SizeMessage& size, const Child* child) const;
    bool fits(const Item& item) const;
    void item_arrived(Api& api, const Branch& from, Child* child, std::uint32_t tokens, ItemPtr item);
    void output_to_parent(Api& api);
    void output_to_child(Api& api, Child& child);
    void send_item(Api& api, const Branch& to, const Item& item);
    void send_signal(Api& api, const Branch& to, Kind kind, std::uint32_t tokens);
    // The only place where a result of a child is accepted.
    void result_arrived(Api& api, Child& child, std::uint32_t tokens, ItemPtr item);

    // Managers
    void data_manager(Api& api);
    bool place_task(Api& api);
    bool place_subtasks(Api& api);
    void give(Child& child, ItemPtr item);  // the only place where a child gets a task
    void enqueue(Fifo<ItemPtr>& queue, ItemPtr item) const;
    void ask_parent(Api& api, std::uint32_t tasks);
    void task_arrived(Api& api, ItemPtr item);
    void token_arrived(Api& api, Child& child, std::uint32_t count);
    void take_tokens(const Child& child, std::uint32_t count);
    void result_manager(Api& api);
    void pass_result(Api& api, ItemPtr item);
    bool join_result(Api& api, ItemPtr& item);
    // Results that wait (result_queue.cpp)
    bool make_room(Api& api, Item& result);
    bool hold(Item& result, std::uint64_t bytes);
    void let_go(Item& result);
    void let_go(std::uint32_t results, std::uint64_t bytes);
    void count_waiting();
    Parts take_apart(ItemPtr message);
    bool crowded() const;
    void stop_arrived(Api& api);
    void counts_arrived(Api& api, Child& child, const Item& item);
    void accept_results(Api& api, ItemPtr message);
    bool is_expected(const Item& result);
    void report_finished(Api& api);
    bool holds_nothing() const;

    // Bundles
    Parts unbundle(ItemPtr message) const;              // the tasks or results of a message, each by itself
    std::uint32_t tasks_in(const Item& message) const;  // or results
    static std::uint32_t size_of(const Item& message);
    static std::uint32_t announced_error(const Item& message);

    // Work stealing
    bool would_steal() const;
    void steal_without_result();
    bool steals_with(const Item& item);
    void steal_arrived(Api& api, Child& thief);
    void give_up(Api& api);
    void task_returned(Api& api, Child& victim, std::uint32_t tokens, ItemPtr item);
    void nothing_returned(Child& victim);
    static void signal(Child& child, Kind kind);
    void answer_nothing(Child& thief);
    void hand_to_thief(Child& thief, ItemPtr task);
    std::uint32_t worked_on_at_once(const Child& child) const;

    // The output of a user process, on its way out. `send` gets each of its messages, and those held back before; it is called
    // before this returns.
    void emit(Api& api, ItemPtr item, const Output& how, const std::function<void(ItemPtr)>& send);

    // For add_standing()
    void note_step(UserProcess process, Moment moment, const TaskIdentity& what);
    bool has_process(UserProcess process) const;
    std::string worker_standing(UserProcess process) const;
    std::string master_standing(UserProcess process) const;

    // User processes
    void computation(Api& api);
    void compute_one(Api& api, const Item& task, Bundler& results);
    void splitter(Api& api);
    void split_one(Api& api, const Item& task, std::vector<Bundler>& branches);
    void joiner(Api& api);

    void wake(trollius_os::Thread* thread);

    trollius_os::Kernel& kernel_;
    NodeSetup setup_;
    Spares& spares_;
    std::vector<std::unique_ptr<Child>> children_;
    std::unique_ptr<Distribution> distribution_;  // the children's tokens, and the child whose turn it is

    trollius_os::Thread *data_thread_ = nullptr, *result_thread_ = nullptr, *compute_thread_ = nullptr,
                        *split_thread_ = nullptr, *join_thread_ = nullptr, *up_thread_ = nullptr, *receiver_thread_ = nullptr,
                        *generator_thread_ = nullptr, *stopping_thread_ = nullptr;
    std::unique_ptr<Bundler> forming_;  // manager: tasks that wait for the rest of their bundle
    Fifo<ItemPtr> buffer_;              // tasks that wait for a place
    ItemPtr compute_slot_, split_slot_;
    bool computing_ = false, splitting_ = false;
    Fifo<ItemPtr> results_;    // for the result manager
    Fifo<ItemPtr> up_;         // for the output to the parent
    Fifo<ItemPtr> collected_;  // manager: for get_result()
    ResultQueue result_queue_;
    std::uint32_t places_ = 0;                              // for tasks, here and below
    std::vector<trollius_os::Thread*> short_of_room_ = {};  // wait for memory for a result
    // Messages that each process holds back (Output::held_back), the last first.
    std::map<vocabulary::ProcessId, std::vector<ItemPtr>> held_back_;
    std::array<std::optional<TaskIdentity>, 5> at_work_;  // index: UserProcess; the task its function has been called for
    Fifo<std::unique_ptr<JoinSet>> to_join_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::unique_ptr<JoinSet>> joins_;  // by task and sub-task at this node
    std::uint32_t tokens_up_ = 0, next_task_ = 0, computed_ = 0, taken_ = 0;
    TaskAccount account_;
    boost::container::flat_set<std::uint32_t> outstanding_;  // manager: tasks that were handed out and are not back
    std::size_t counts_missing_ = 0;
    std::vector<std::uint32_t> counts_;
    std::unique_ptr<Recovery> recovery_;  // only in a farm that survives
    bool started_ = false;                // the parent is there: a message to a node that is not loaded yet would plug the link
    bool short_of_memory_ = false;
    bool ask_now_ = false;                       // tokens that no result will take along
    bool stealing_ = false, steal_now_ = false;  // this node has asked, or is about to ask, for a task of its siblings
    bool has_siblings_ = false;
    bool stopping_ = false, counts_sent_ = false, terminated_ = false, finished_told_ = false;
};

}  // namespace trek_kernel
