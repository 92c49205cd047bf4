// Farm: one run of TrEK over the nodes of a tree, with its outcome. It has the programs `master` (n0) and `slave` (all others),
// which loadgo starts. data_generator and result_receiver are separate processes. TrEK ends when both have returned, even if
// results are outstanding (thesis, section 6.2).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <trek_kernel/application.hpp>
#include <trek_kernel/costs.hpp>
#include <trek_kernel/farm_state.hpp>
#include <trek_kernel/probe_point.hpp>
#include <trek_kernel/tree.hpp>
#include <trek_kernel/witness.hpp>
#include <trollius_os/programs.hpp>

namespace trek_kernel {

class Spares;
class TrekNode;

struct FarmSetup {
    FarmSpec config;
    TrekCosts costs;
    std::uint32_t program_bytes = 0;     // size of each load module
    std::vector<TreePlace> places;       // index: NodeId
    Application* application = nullptr;  // must outlive the Farm
    std::vector<Witness*> witnesses;
    std::vector<ProbePoint*> probes = {};
    vocabulary::NodeId host;
};

struct FarmResult {
    bool finished = false;                    // TrEK has terminated
    vocabulary::SimTime returned;             // true time when data_generator and result_receiver had returned, for witnesses
    std::uint64_t execution_us = 0;           // on n0's low-priority clock: a multiple of 64 us
    std::vector<std::uint32_t> distribution;  // tasks computed, by node
    std::uint32_t taken = 0;                  // tasks whose result result_receiver() has taken
    std::string report;                       // the printed report
};

class Farm {
public:
    explicit Farm(FarmSetup setup);
    ~Farm();
    Farm(const Farm&) = delete;
    Farm& operator=(const Farm&) = delete;

    trollius_os::Program master();
    trollius_os::Program slave();
    const FarmResult& result() const { return result_; }
    const std::string& failure() const { return failure_; }  // reason why it cannot run on this machine; empty if it can
    const FarmSpec& config() const { return setup_.config; }
    const std::vector<TreePlace>& places() const { return setup_.places; }  // index: NodeId
    std::size_t started_nodes() const { return started_; }
    // Other links for its tree, as after a change of the network. Before any of its programs has started.
    void place(std::vector<TreePlace> places);
    std::vector<Standing> standing() const;  // causes of a standstill, as far as its nodes can tell
    ResultQueue result_queue(NodeId node) const;
    TaskAccount account() const;

private:
    class MasterProcess;
    void run_master(trollius_os::Api& api);
    coroutines::Task<> run_slave(trollius_os::Calls& calls);
    void short_of_memory(trollius_os::Calls& calls);
    bool belongs_here(trollius_os::Calls& calls, bool is_master) const;
    std::string final_report() const;

    FarmSetup setup_;
    std::unique_ptr<Spares> spares_;
    std::vector<std::unique_ptr<TrekNode>> nodes_;
    std::vector<std::unique_ptr<MasterProcess>> master_processes_;
    FarmResult result_;
    std::string failure_;
    std::size_t started_ = 0;
};

}  // namespace trek_kernel
