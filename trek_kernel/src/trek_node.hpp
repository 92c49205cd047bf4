// TrekNode: TrEK on one node (thesis, section 5.3.1): the desk, and the processes around it. Each link of the tree has a link
// reader and a link writer, both of high priority. Each node has a data manager and a result manager, each worker one user
// computation. Workers that divide tasks also have a splitter and a joiner. All are processes of the kernel.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "computation.hpp"
#include "data_manager.hpp"
#include "ending.hpp"
#include "joiner.hpp"
#include "link_reader.hpp"
#include "link_writer.hpp"
#include "master_calls.hpp"
#include "node_desk.hpp"
#include "recovery.hpp"
#include "result_manager.hpp"
#include "splitter.hpp"
#include "stealing.hpp"

namespace trek_kernel {

class TrekNode {
public:
    // `program`: master or slave; the node's processes are its threads. `farm` and `spares` must outlive the node.
    TrekNode(trollius_os::Calls& program, const FarmSetup& farm, Spares& spares);
    TrekNode(const TrekNode&) = delete;
    TrekNode& operator=(const TrekNode&) = delete;

    // Creates the threads; the program calls it. False when the node lacks memory for them.
    bool start();
    MasterCalls& master_calls() { return master_calls_; }  // manager: for the master's processes
    // Manager: stops all nodes; returns the tasks each has computed.
    std::vector<std::uint32_t> stop_farm(Api& api) { return ending_.stop_farm(api); }

    const TaskAccount& account() const { return desk_.ledger.account(); }
    const ResultQueue& result_queue() const { return desk_.room.queue(); }
    // Adds all its user processes but those that merely wait for work.
    void add_standing(std::vector<Standing>& to) const;

private:
    void spawn(const char* name, trollius_os::Priority priority, trollius_os::ProcessCode code);
    void spawn_user(const char* name, trollius_os::Priority priority, UserProcess process, trollius_os::ProcessCode code);

    trollius_os::Process& program_;
    NodeDesk desk_;
    LinkReader reader_;
    LinkWriter writer_;
    DataManager data_manager_;
    ResultManager result_manager_;
    Computation computation_;
    Ending ending_;
    std::optional<Stealing> stealing_;
    std::optional<Recovery> recovery_;
    Splitter splitter_;
    Joiner joiner_;
    MasterCalls master_calls_;
    bool short_of_memory_ = false;
};

}  // namespace trek_kernel
