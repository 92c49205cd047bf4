// Wall time of a binary tree of 1024 nodes: elaboration, then the boot of every node over the modelled links. Measured with
// direct wires, and with every wire between nodes through a C004 that the host programs first. Best of the repetitions.
//
//   boot_bench [--repeat N]
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <systemc>

#include <topologies/generators.hpp>
#include <trollius_hosted/multicomputer.hpp>

namespace {

using Clock = std::chrono::steady_clock;
using vocabulary::SimTime;

constexpr std::size_t nodes = 1024;

struct Measured {
    double elaborate = 1e9, boot = 1e9;         // seconds of wall time
    double programmed_ms = 0, modelled_ms = 0;  // modelled, from power-up
    double switches = 0;
    bool booted = false;
};

double since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

double ms(SimTime time) {
    return static_cast<double>(time.in_us()) * 1e-3;
}

Measured measure(bool switched) {
    const topologies::CostTable costs = topologies::CostTable::read(MAGICWIRE_SOURCE_DIR "/topologies/costs/t800.yaml");
    const topologies::MachineDescription description = topologies::binary_tree(nodes, switched);
    const auto start = Clock::now();
    trollius_hosted::Multicomputer box(description, costs, 1, {});
    Measured result;
    result.switches = static_cast<double>(description.switches.size());
    result.elaborate = since(start);
    const auto run = Clock::now();
    box.boot();
    box.run(SimTime::s(1000), SimTime::ms(10), [&] { return box.booted() || !box.failure().empty(); });
    result.boot = since(run);
    result.programmed_ms = ms(box.programmed().ended);
    result.modelled_ms = ms(box.now());
    result.booted = box.booted();
    return result;
}

// Each measurement runs in a process of its own: SystemC elaborates once.
Measured in_child(bool switched) {
    int ends[2];
    if (pipe(ends) != 0) std::abort();
    const pid_t child = fork();
    if (child == 0) {
        const Measured result = measure(switched);
        _exit(write(ends[1], &result, sizeof result) == sizeof result ? 0 : 1);
    }
    Measured result;
    if (read(ends[0], &result, sizeof result) != sizeof result) std::printf("the measurement failed\n");
    waitpid(child, nullptr, 0);
    close(ends[0]);
    close(ends[1]);
    return result;
}

}  // namespace

int sc_main(int argc, char** argv) {
    const int repeat = argc > 2 && std::strcmp(argv[1], "--repeat") == 0 ? std::atoi(argv[2]) : 3;
    for (const bool switched : {false, true}) {
        Measured best;
        for (int i = 0; i < repeat; ++i) {
            const Measured next = in_child(switched);
            if (next.elaborate + next.boot < best.elaborate + best.boot) best = next;
        }
        std::printf(
            "%s %.1f ms-to-elaborate %.1f ms-to-boot %.0f switches %.1f modelled-ms-to-programmed %.1f "
            "modelled-ms-to-booted%s\n",
            switched ? "switched" : "direct", best.elaborate * 1e3, best.boot * 1e3, best.switches, best.programmed_ms,
            best.modelled_ms, best.booted ? "" : " NOT BOOTED");
    }
    return 0;
}

int main(int argc, char** argv) {
    return sc_core::sc_elab_and_sim(argc, argv);
}
