// Multicomputer: the Machine with a kernel on every node and on the host, from power-up to working commands. It wires stages 1
// to 3 together and decides nothing. A program can have one only, because SystemC elaborates once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <hw_model/machine.hpp>
#include <hw_model/switch_program.hpp>
#include <topologies/cost_table.hpp>
#include <topologies/machine_description.hpp>
#include <topologies/network.hpp>
#include <trollius_hosted/full_boot.hpp>
#include <trollius_hosted/sc_node_port.hpp>
#include <trollius_os/kernel.hpp>
#include <trollius_os/services.hpp>

namespace trollius_hosted {

class Multicomputer {
public:
    Multicomputer(const topologies::MachineDescription& description, const topologies::CostTable& costs, std::uint64_t seed,
                  const std::function<void(vocabulary::NodeId from, const std::string& text)>& print,
                  const hw_model::MachineOptions& options = {});
    ~Multicomputer();
    Multicomputer(const Multicomputer&) = delete;
    Multicomputer& operator=(const Multicomputer&) = delete;

    // Every process has a stack of its own, because code of a user may block in any of them. Before boot(). Otherwise only the
    // programs have one (trollius_os/process.hpp).
    void give_stacks_to_all();

    // Resets the switches, sets them as the description says over the host's control connections, and reads them back. Then it
    // sends the boot image down the tree of shortest routes from the host. Each node that has the image starts its services and
    // forwards it. Booting takes modelled time: call run() until booted(), or until failure() gives the reason. Reasons: a
    // machine without a host, a switch not set as ordered, a node with too little memory.
    void boot();
    // The same, but as bootd does it (full_boot.hpp): in boot order, with the clocks set, and the route tables sent over the
    // links. At power-up, instead of boot() or after it. Then booted() also holds when nodes could not be booted; not_booted()
    // names them. `boot_order` replaces that of the description.
    void boot_in_full(const std::optional<std::vector<vocabulary::NodeId>>& boot_order = {});
    bool boots_in_full() const { return full_boot_ != nullptr; }
    std::vector<std::string> not_booted() const;  // a sentence for each of them, or for a group; empty: all are up
    // The host and every node that it can reach.
    bool booted() const { return full_boot_ ? full_boot_->over() : booted_ == to_boot_; }
    bool booted(vocabulary::NodeId node) const { return runs_[node.value()]; }
    std::size_t booted_nodes() const { return booted_; }    // host included
    std::size_t nodes_to_boot() const { return to_boot_; }  // host included; known once the boot image goes out
    bool image_goes_out() const { return !image_to_.empty(); }
    // Boot images under way, each with sender and receiver, in the order of the senders.
    struct ImageTransfer {
        vocabulary::NodeId from, to;
    };
    std::vector<ImageTransfer> image_transfers() const;
    const std::string& failure() const { return failure_; }  // the reason why a node did not start; empty if all did
    // Sets the switches and starts all services at time zero, without boot traffic: for tests and benchmarks of later stages.
    void start_at_once();

    hw_model::Machine& machine() { return machine_; }
    trollius_os::Kernel& kernel(vocabulary::NodeId node) { return *kernels_[node.value()]; }
    trollius_hosted::ScNodePort& port(vocabulary::NodeId node) { return *ports_[node.value()]; }
    trollius_os::Kernel& host() { return *kernels_.back(); }
    trollius_os::NodeServices& host_services() { return services_.back(); }
    trollius_os::NodeServices& services(vocabulary::NodeId node) { return services_[node.value()]; }
    vocabulary::NodeId host_id() const { return machine_.host(); }
    trollius_os::ProgramRegistry& programs() { return programs_; }
    std::size_t node_count() const { return machine_.node_count(); }
    // The machine and its network as the host has ordered them, even while its messages are under way.
    const topologies::MachineDescription& description() const { return description_; }
    const topologies::Network& network() const { return network_; }
    const hw_model::ProgrammedSwitches& programmed() const { return programmed_; }  // boot()'s work on the switches
    // Records that the host has set these switches; its own routes change at once.
    void set_connections(const std::vector<topologies::SwitchSetting>& settings);

    // Advances modelled time until `done`, until no event is left, or until `limit`, which Moments may change meanwhile. Checks
    // `done` every `step`.
    void run(const vocabulary::SimTime& limit, vocabulary::SimTime step, const std::function<bool()>& done);
    // Moments at which a caller inspects the machine. `run()` stops there when everything due is done, calls reached(), and
    // continues as if it had not stopped.
    class Moments {
    public:
        virtual vocabulary::SimTime next() const = 0;  // never(): no more
        virtual void reached() = 0;                    // afterwards next() must be later than now

    protected:
        ~Moments() = default;
    };
    void set_moments(Moments* moments) { moments_ = moments; }
    // For code that an event runs: the next moment is now, which next() must say then.
    void stop_soon() { machine_.stop_soon(); }
    vocabulary::SimTime now() { return machine_.timeline().now(); }

private:
    friend class FullBoot;
    void start_node(std::size_t index);
    void set_network(const topologies::Network& network) { network_ = network; }
    void take_boot_back();
    coroutines::Task<> boot_node(std::size_t index);
    void send_boot_image();
    std::vector<std::optional<vocabulary::NodeId>> neighbours_for_casts(vocabulary::NodeId node) const;
    bool boots(vocabulary::NodeId node, vocabulary::NodeId neighbour, vocabulary::LinkNo its_link) const;
    std::int32_t type_of(vocabulary::NodeId node, vocabulary::NodeId seen_from) const;  // at the start of the machine

    hw_model::Machine machine_;
    hw_model::SwitchProgram switch_program_;
    hw_model::ProgrammedSwitches programmed_;
    topologies::MachineDescription description_;
    topologies::Network network_;
    topologies::CostTable costs_;
    trollius_os::ProgramRegistry programs_;
    std::vector<std::unique_ptr<trollius_hosted::ScNodePort>> ports_;
    std::vector<std::unique_ptr<trollius_os::Kernel>> kernels_;
    std::vector<trollius_os::NodeServices> services_;
    std::vector<bool> runs_;
    std::vector<std::optional<vocabulary::NodeId>> image_to_;  // indexed by sender
    std::size_t booted_ = 0, to_boot_ = 0;
    std::vector<std::optional<vocabulary::LinkNo>> boot_links_;  // of each node, towards the host
    bool boots_ = false;
    std::string failure_;
    std::vector<std::pair<std::size_t, trollius_os::Thread*>> boot_threads_;  // of boot(), with their nodes
    std::unique_ptr<FullBoot> full_boot_;
    Moments* moments_ = nullptr;
};

trollius_os::KernelCosts kernel_costs(const topologies::CostTable& costs);

}  // namespace trollius_hosted
