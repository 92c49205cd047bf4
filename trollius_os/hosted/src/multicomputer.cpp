#include <trollius_hosted/multicomputer.hpp>

#include <algorithm>
#include <stdexcept>

#include <vocabulary/contract.hpp>

namespace trollius_hosted {

using vocabulary::LinkNo;
using vocabulary::NodeId;
using vocabulary::SimTime;

namespace {

std::uint32_t bytes(const topologies::CostTable& costs, const char* name) {
    return static_cast<std::uint32_t>(costs.get(name, "bytes"));
}

}  // namespace

trollius_os::KernelCosts kernel_costs(const topologies::CostTable& costs) {
    const double copy = costs.get("kernel.copy", "MB/s") * hw_model::block_move_factor(hw_model::processor_timing(costs));
    return {.rendezvous = costs.work("kernel.rendezvous"),
            .copy_bytes_per_us = copy,
            .route_look_up = costs.work("kernel.route_look_up"),
            .create_process = costs.work("kernel.create_process"),
            .datalink_header = bytes(costs, "kernel.datalink_header"),
            .message_tag = bytes(costs, "kernel.message_tag"),
            .most_packet = bytes(costs, "kernel.most_packet"),
            .buffer_pool = bytes(costs, "kernel.buffer_pool"),
            .user_pool = bytes(costs, "kernel.user_pool"),
            .boot_image = bytes(costs, "kernel.boot_image"),
            .system_memory = bytes(costs, "kernel.system_memory"),
            .service_stack = bytes(costs, "kernel.service_stack"),
            .process_table = static_cast<std::uint32_t>(costs.get("kernel.process_table", "records")),
            .cast_packet = costs.work("cast.packet"),
            .combine_word = costs.work("cast.combine_word"),
            .casts = static_cast<std::uint32_t>(costs.get("cast.table", "records")),
            .circuit_chunk = costs.work("circuit.chunk"),
            .circuit_header = bytes(costs, "circuit.header"),
            .circuit_piece = bytes(costs, "circuit.piece"),
            .circuits = static_cast<std::uint32_t>(costs.get("circuit.table", "records")),
            .memory_request = costs.work("mallocd.request"),
            .trace_request = costs.work("traced.request"),
            .trace_space = bytes(costs, "traced.space")};
}

Multicomputer::Multicomputer(const topologies::MachineDescription& description, const topologies::CostTable& costs,
                             std::uint64_t seed, const std::function<void(NodeId, const std::string&)>& print,
                             const hw_model::MachineOptions& options)
    : machine_("machine", description, costs, seed, options),
      switch_program_(machine_),
      description_(description),
      network_(description),
      costs_(costs) {
    const trollius_os::KernelCosts node_costs = kernel_costs(costs);
    trollius_os::KernelCosts host_costs = node_costs;
    host_costs.rendezvous = costs.time("host.operation");
    host_costs.copy_bytes_per_us = costs.get("kernel.copy", "MB/s");  // its memory is not the nodes'
    host_costs.process_table = static_cast<std::uint32_t>(costs.get("host.process_table", "records"));
    const std::size_t count = machine_.node_count() + 1;
    services_.resize(count);
    runs_.resize(count);
    to_boot_ = count;
    for (std::size_t i = 0; i < count; ++i) {
        const NodeId id(static_cast<NodeId::value_type>(i));
        const bool is_host = id == machine_.host();
        ports_.push_back(
            std::make_unique<trollius_hosted::ScNodePort>(machine_.node(id), machine_.timeline(), machine_.link_timing()));
        kernels_.push_back(std::make_unique<trollius_os::Kernel>(*ports_.back(), id, is_host ? host_costs : node_costs));
        kernels_.back()->set_host(machine_.host());
        const auto routes = machine_.network().routes(id);
        boot_links_.push_back(routes[machine_.host().value()]);
        services_[i] = {.routes = trollius_os::RouteTable(routes),
                        .router = {.type_at_start = [this, id](NodeId node) { return type_of(node, id); }},
                        .programs = &programs_,
                        .host = machine_.host(),
                        .print = {},
                        .cast_routes = [this, id] { return neighbours_for_casts(id); }};
        if (is_host) services_[i].print = print;
    }
    if (!machine_.interrupt_master()) return;
    ports_[machine_.interrupt_master()->value()]->set_interrupt_line(
        [this](bool up) { up ? machine_.raise_interrupt() : machine_.lower_interrupt(); });
}

std::vector<std::optional<NodeId>> Multicomputer::neighbours_for_casts(NodeId node) const {
    std::vector<std::optional<NodeId>> neighbours;
    const topologies::Network& network = full_boot_ ? network_ : machine_.network();
    for (const auto& link : network.cast_routes(node))
        neighbours.push_back(link ? std::optional(network.neighbour(node, *link)->node) : std::nullopt);
    return neighbours;
}

std::int32_t Multicomputer::type_of(NodeId node, NodeId seen_from) const {
    namespace types = trollius_os::node_types;
    const NodeId host = machine_.host();
    std::int32_t type = node == host ? types::origin : types::itb;
    if (std::find(description_.waste.begin(), description_.waste.end(), node) != description_.waste.end()) type |= types::waste;
    if (node == seen_from) return type | types::me;
    for (std::uint8_t number = 0; number < topologies::links_per_node; ++number) {
        const auto& neighbour = machine_.network().neighbour(node, LinkNo(number));
        if (!neighbour || neighbour->node != seen_from) continue;
        type |= types::jones;
        if (node != host && boots(seen_from, node, LinkNo(number))) type |= types::boot;
    }
    return type;
}

// The boot image comes by the first link of the node's route to the host, or as bootd has chosen.
bool Multicomputer::boots(NodeId node, NodeId neighbour, LinkNo its_link) const {
    if (!full_boot_) return boot_links_[neighbour.value()] == its_link;
    const auto& parent = full_boot_->parent(neighbour);
    return parent && parent->node == node && machine_.network().neighbour(node, parent->link)->link == its_link;
}

// Stacks and frames of the processes go first, while their kernels exist.
Multicomputer::~Multicomputer() {
    ports_.clear();
}

void Multicomputer::give_stacks_to_all() {
    for (const auto& port : ports_) port->give_stacks_to_all();
}

void Multicomputer::start_node(std::size_t index) {
    if (!trollius_os::start_services(*kernels_[index], services_[index])) {
        // Reported by failure(), not thrown: this may run on the stack of a process, and no exception leads from there out of
        // the simulation.
        const std::string name = index + 1 == kernels_.size() ? "the host" : "n" + std::to_string(index);
        failure_ = name +
                   " has too little RAM for the kernel and its services; give it more in the machine file, or lower "
                   "kernel.system_memory or kernel.service_stack";
    }
    ++booted_;
    runs_[index] = true;
}

void Multicomputer::start_at_once() {
    machine_.connect_switches();
    for (std::size_t i = 0; i < kernels_.size(); ++i) start_node(i);
}

coroutines::Task<> Multicomputer::boot_node(std::size_t index) {
    trollius_os::NodePort& port = *ports_[index];
    const NodeId id(static_cast<NodeId::value_type>(index));
    const std::size_t host = machine_.host().value();
    std::vector<std::byte> image(kernels_[index]->costs().boot_image);
    trollius_os::LinkReceived got{.dropped = index != host};
    while (got.dropped)
        got = co_await port.link_receive(*services_[index].routes[host], trollius_os::LinkChannel::Datalink, {.body = image});
    for (std::uint8_t number = 0; number < 4; ++number) {
        const LinkNo link(number);
        const auto& neighbour = network_.neighbour(id, link);
        if (!neighbour || neighbour->node == machine_.host()) continue;
        // The node is ours to boot when its own way to the host leaves by the link that leads here.
        if (services_[neighbour->node.value()].routes[host] != neighbour->link) continue;
        image_to_[index] = neighbour->node;
        port.charge(port.link_message_cost());
        co_await port.settle();
        co_await port.link_send(link, {.body = image, .wire_bytes = static_cast<std::uint32_t>(image.size())});
        image_to_[index].reset();
    }
    start_node(index);
}

void Multicomputer::send_boot_image() {
    if (full_boot_) return full_boot_->begin();
    to_boot_ = 0;
    image_to_.assign(kernels_.size(), std::nullopt);
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
        const bool is_host = i + 1 == kernels_.size();
        if (!is_host && !services_[i].routes[machine_.host().value()]) continue;  // out of the host's reach
        ++to_boot_;
        boot_threads_.emplace_back(
            i, &ports_[i]->spawn_coroutine(trollius_os::Priority::High, [this, i] { return boot_node(i); }));
    }
}

void Multicomputer::boot_in_full(const std::optional<std::vector<NodeId>>& boot_order) {
    EXPECTS(machine_.timeline().now() == SimTime() && !full_boot_, "multicomputer.boot_in_full.at_power_up");
    if (boot_order) description_.boot_order = *boot_order;
    full_boot_ = std::make_unique<FullBoot>(*this, costs_);
    if (!boots_) return boot();
    if (boot_threads_.empty()) return;  // the switches are being set
    take_boot_back();
    full_boot_->begin();
}

// No byte has moved yet.
void Multicomputer::take_boot_back() {
    for (const auto& [node, thread] : boot_threads_) ports_[node]->kill(*thread);
    boot_threads_.clear();
    image_to_.assign(kernels_.size(), std::nullopt);
}

std::vector<std::string> Multicomputer::not_booted() const {
    return full_boot_ ? full_boot_->failures() : std::vector<std::string>();
}

std::vector<Multicomputer::ImageTransfer> Multicomputer::image_transfers() const {
    std::vector<ImageTransfer> transfers;
    for (std::size_t i = 0; i < image_to_.size(); ++i) {
        if (image_to_[i]) transfers.push_back({NodeId(static_cast<NodeId::value_type>(i)), *image_to_[i]});
    }
    return transfers;
}

void Multicomputer::boot() {
    boots_ = true;
    if (description_.without_host) {
        failure_ = "machine '" + description_.name +
                   "' has no host, and only a host can boot nodes; wire one in with 'host: n0.0', or solve the network onto a "
                   "machine that has one ('magicwire topology solve')";
        return;
    }
    if (description_.switches.empty()) return send_boot_image();
    std::vector<topologies::SwitchSetting> settings;
    for (std::size_t i = 0; i < description_.switches.size(); ++i) {
        settings.push_back(
            {vocabulary::SwitchId(static_cast<vocabulary::SwitchId::value_type>(i)), description_.switches[i].connections});
    }
    switch_program_.set_up(settings, [this](const hw_model::ProgrammedSwitches& result) {
        programmed_ = result;
        if (result.differences.empty()) return send_boot_image();
        failure_ = "the switches do not have the ordered setting";
        for (const std::string& difference : result.differences) failure_ += "; " + difference;
    });
}

void Multicomputer::set_connections(const std::vector<topologies::SwitchSetting>& settings) {
    for (const auto& setting : settings) description_.switches[setting.which.value()].connections = setting.connections;
    network_ = topologies::Network(description_);
    services_.back().routes = trollius_os::RouteTable(network_.routes(machine_.host()));
    kernels_.back()->forget_routes();
}

void Multicomputer::run(const SimTime& limit, SimTime step, const std::function<bool()>& done) {
    hw_model::Timeline& timeline = machine_.timeline();
    while (!done() && timeline.next_time() <= limit) {
        // At least to where something happens, so that a long quiet time costs nothing.
        const SimTime horizon = std::min(limit, std::max(timeline.next_time(), timeline.now() + step));
        do {
            while (moments_ != nullptr && moments_->next() < horizon) {
                machine_.run_until(std::max(timeline.now(), moments_->next()));
                moments_->reached();
            }
            machine_.run_until(std::min(horizon, std::max(limit, timeline.now())));  // a moment may have changed the limit
        } while (machine_.was_stopped() && moments_ != nullptr);
    }
}

}  // namespace trollius_hosted

// The SystemC library expects one, for programs that leave main() to it. Ours has its own, and elaborates in Multicomputer.
__attribute__((weak)) int sc_main(int, char**) {
    return 0;
}
