// Machines whose nodes have T800 cores, and a host that boots the first of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <hw_model/core_driver.hpp>
#include <hw_model/link_stream.hpp>
#include <t800_assembly/assembler.hpp>

#include "hw_bench.hpp"

namespace hw_test {

// The host: sends bytes and keeps what comes.
class HostBytes final : public hw_model::StreamUser {
public:
    explicit HostBytes(hw_model::LinkStream& stream) : stream_(stream) { stream_.serve(*this); }
    void begin() { stream_.input(1, hw_model::Memory::External); }
    void send(const std::vector<std::uint8_t>& bytes) {
        for (const std::uint8_t byte : bytes) queue_.push_back(static_cast<std::byte>(byte));
        go_on();
    }
    std::vector<std::uint8_t> got;

private:
    void go_on() {
        if (queue_.empty() || stream_.outputs()) return;
        stream_.output(static_cast<std::uint32_t>(queue_.size()), hw_model::Memory::External);
    }
    void take_output(std::span<std::byte> into) override {
        for (std::byte& byte : into) {
            byte = queue_.front();
            queue_.pop_front();
        }
    }
    void give_input(std::span<const std::byte> bytes) override {
        for (const std::byte byte : bytes) got.push_back(std::to_integer<std::uint8_t>(byte));
    }
    void output_done() override { go_on(); }
    void input_done() override { begin(); }
    void byte_waits() override {}

    hw_model::LinkStream& stream_;
    std::deque<std::byte> queue_;
};

inline topologies::MachineDescription cores(std::size_t count) {
    topologies::MachineDescription machine = topologies::chain(count);
    for (auto& node : machine.nodes) node.core = topologies::NodeCore::T800;
    return machine;
}

class CoreBox {
public:
    explicit CoreBox(const topologies::MachineDescription& machine, hw_model::LinkLevel level = hw_model::LinkLevel::Message,
                     const topologies::CostTable& table = costs())
        : box("machine", machine, table, 1, {.links = level}) {
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
        box.connect_switches();
        host.emplace(*box.node(box.host()).link(LinkNo(0))->stream());
        for (std::size_t i = 0; i < box.node_count(); ++i) node(i).power_up();
        host->begin();
    }
    hw_model::Node& node(std::size_t i) { return box.node(NodeId(static_cast<NodeId::value_type>(i))); }
    t800_core::Core& core(std::size_t i) { return node(i).core()->core(); }
    void boot(const std::string& source) { host->send(t800_assembly::boot_image(t800_assembly::assemble(source, "test"))); }

    hw_model::Machine box;
    std::optional<HostBytes> host;
};

}  // namespace hw_test
