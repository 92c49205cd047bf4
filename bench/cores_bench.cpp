// Machines whose nodes are T800 cores, all at work. F13: modelled seconds in a wall second, and resident memory a node.
//
//   f13_flat   75 nodes that compute; no link is used after the boot
//
//   f13_links  80 nodes that compute, while each link carries messages about half of the time, both ways
//
// Each node boots its neighbours, and all run the same code.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include <systemc>

#include <hw_model/core_driver.hpp>
#include <hw_model/link_stream.hpp>
#include <hw_model/machine.hpp>
#include <t800_assembly/assembler.hpp>
#include <topologies/cost_table.hpp>
#include <topologies/shapes.hpp>

#include "measure.hpp"

namespace {

using vocabulary::LinkNo;
using vocabulary::NodeId;
using vocabulary::SimTime;

// A process for each direction of each link. It first passes the code on; who has it already takes the bytes and forgets them.
// `TRAFFIC` is what it does then.
const std::string code = R"(
        .set areas, 0x80000400
        .set bytes, 0x80000A00
start:  ajw 60
        stl 0
        stl 0
        stl 2
        mint
        sthf
        mint
        stlf
        mint
        mint
        stnl 9
        mint
        mint
        stnl 10
        ldc 0
        sttimer
        ldc 0
        stl 4
        ldc 4
        stl 5
links:  ldl 4
        ldc 128
        prod
        ldc areas + 60
        sum
        stl 6
        ldap sender
        ldl 6
        stnl -1
        ldl 4
        ldl 6
        stnl 1
        ldl 6
        runp
        ldl 6
        adc 512
        stl 6
        ldap taker
        ldl 6
        stnl -1
        ldl 4
        ldl 6
        stnl 1
        ldl 2
        ldl 6
        stnl 2
        ldl 6
        runp
        ldlp 4
        ldc over - links
        lend
over:   ldc 0
        stl 1
work:   ldl 1
        adc 1
        stl 1
        ldl 1
        ldc 63
        and
        ldlp 0
        wsub
        ldnl 0
        ldl 3
        sum
        stl 3
        ldl 1
        cj work
        j work
sender: ldl 1
        mint
        wsub
        stl 3
        ldl 3
        ldc end - start
        outbyte
        ldap start
        ldl 3
        ldc end - start
        out
SEND
taker:  ldl 1
        adc 4
        mint
        wsub
        stl 3
        ldl 3
        ldl 2
        diff
        cj boots
        ldc bytes
        ldl 3
        ldc end - start + 1
        in
boots:
TAKE
end:
)";
const std::string silent = "        stopp\n";
const std::string sends = R"(
again:  ldc bytes
        ldl 3
        ldc 200
        out
        ldtimer
        adc PAUSE
        tin
        j again
)";
const std::string takes = R"(
        ldc bytes
        ldl 3
        ldc 200
        in
        j boots
)";

std::string with(std::string text, const std::string& word, const std::string& by) {
    return text.replace(text.find(word), word.size(), by);
}

class Host final : public hw_model::StreamUser {
public:
    Host(hw_model::LinkStream& stream, const std::string& source) : stream_(stream) {
        for (const std::uint8_t byte : t800_assembly::boot_image(t800_assembly::assemble(source, "cores_bench")))
            image_.push_back(static_cast<std::byte>(byte));
        stream_.serve(*this);
        stream_.input(1, hw_model::Memory::External);
        stream_.output(static_cast<std::uint32_t>(image_.size()), hw_model::Memory::External);
    }

private:
    void take_output(std::span<std::byte> into) override {
        std::copy_n(image_.begin() + static_cast<std::ptrdiff_t>(sent_), into.size(), into.begin());
        sent_ += into.size();
    }
    void give_input(std::span<const std::byte>) override {}
    void output_done() override {}
    void input_done() override { stream_.input(1, hw_model::Memory::External); }
    void byte_waits() override {}

    hw_model::LinkStream& stream_;
    std::vector<std::byte> image_;
    std::size_t sent_ = 0;
};

struct Figures {
    double speed, instructions, load, kilobytes;
};

Figures measure(const char* shape, const std::string& source, int repeat) {
    topologies::MachineDescription description = topologies::make_shape(shape);
    for (auto& node : description.nodes) node.core = topologies::NodeCore::T800;
    const auto costs = topologies::CostTable::read(MAGICWIRE_SOURCE_DIR "/topologies/costs/t800.yaml");
    hw_model::Machine machine("machine", description, costs, 1);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    machine.connect_switches();
    const double before = bench::resident_megabytes();
    const auto node = [&](std::size_t i) -> hw_model::Node& {
        return machine.node(NodeId(static_cast<NodeId::value_type>(i)));
    };
    for (std::size_t i = 0; i < machine.node_count(); ++i) node(i).power_up();
    Host host(*machine.node(machine.host()).link(LinkNo(0))->stream(), source);
    machine.run_until(SimTime::ms(200));
    const auto instructions = [&] {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < machine.node_count(); ++i) sum += node(i).core()->core().totals().instructions;
        return static_cast<double>(sum);
    };
    // Both directions of the links that lead to a node.
    const auto busy = [&] {
        double sum = 0;
        for (std::size_t i = 0; i < machine.node_count(); ++i) {
            for (std::uint8_t link = 0; link < 4; ++link) {
                const auto& far = machine.network().neighbour(NodeId(static_cast<NodeId::value_type>(i)), LinkNo(link));
                if (far && far->node != machine.host())
                    sum += static_cast<double>(node(i).link(LinkNo(link))->sending_time().in_ps());
            }
        }
        return sum;
    };
    std::size_t ends = 0;
    for (const topologies::Wire& wire : description.wires)
        ends += std::holds_alternative<topologies::HostEnd>(wire.a) ? 0U : 2U;
    const SimTime part = SimTime::ms(200);
    Figures figures{};
    SimTime until = SimTime::ms(200);
    for (int i = 0; i < repeat; ++i) {
        const double executed = instructions(), sent = busy(), start = bench::cpu_seconds();
        until += part;
        machine.run_until(until);
        const double took = bench::cpu_seconds() - start, seconds = static_cast<double>(part.in_ps()) * 1e-12;
        if (seconds / took <= figures.speed) continue;
        figures.speed = seconds / took;
        figures.instructions = (instructions() - executed) / took * 1e-6;
        figures.load = 100 * (busy() - sent) / (static_cast<double>(part.in_ps()) * static_cast<double>(ends));
    }
    figures.kilobytes = (bench::resident_megabytes() - before) * 1e3 / static_cast<double>(machine.node_count());
    return figures;
}

}  // namespace

int sc_main(int argc, char** argv) {
    const bench::Options options(argc, argv);
    const std::string flat = with(with(code, "SEND", silent), "TAKE", silent);
    const std::string busy = with(with(code, "SEND", with(sends, "PAUSE", "125")), "TAKE", takes);
    const auto row = [&](const char* name, const char* shape, const std::string& source) {
        if (!options.wants(name)) return;
        const Figures got = bench::in_child(name, [&] { return measure(shape, source, options.repeat); });
        std::printf("%s %.3f modelled/wall %.0f M-instructions/s %.1f %%-of-the-links %.0f kB\n", name, got.speed,
                    got.instructions, got.load, got.kilobytes);
    };
    row("f13_flat", "chain:75", flat);
    row("f13_links", "mesh:8x10", busy);
    return 0;
}
