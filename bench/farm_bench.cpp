// F1, F2 and F3 of the performance table, and the same farm from 8 to 1024 nodes and with 100 000 tasks. All are flood-filling
// farms on binary trees, with exact pre-emption and the truth recorded. Wall time is that of the run alone unless the row says
// otherwise. Every figure is the best of the repetitions.
//
//   farm_bench [--repeat N] [f1 f2 f3 large scale_8 ... links]
//
// large      the farm of f2 with 100 000 tasks, only when named; scripts/bench runs it in turn with simgrid_farm
//
// scale_N    the farm of f1 on N nodes; above 1024 only when named
//
// links      the same farm with its links at both levels
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include <systemc>

#include "farm_run.hpp"
#include "measure.hpp"

namespace {

using bench::Clock;
using bench::since;
using bench::Workload;
using vocabulary::SimTime;

struct Resident {
    double all = 0, arenas = 0;  // MiB
};

// Resident memory of this process, and its share in the nodes' arenas: stacks and heaps of the modelled processes.
Resident resident() {
    constexpr unsigned long long arenas_begin = 0x2000'0000'0000, arenas_end = 0x3000'0000'0000;
    std::ifstream maps("/proc/self/smaps");
    Resident result;
    bool in_arena = false;
    for (std::string line; std::getline(maps, line);) {
        unsigned long long begin = 0, end = 0;
        long kib = 0;
        if (std::sscanf(line.c_str(), "%llx-%llx ", &begin, &end) == 2) {
            in_arena = begin >= arenas_begin && end <= arenas_end;
        } else if (std::sscanf(line.c_str(), "Rss: %ld", &kib) == 1) {
            result.all += static_cast<double>(kib) / 1024;
            if (in_arena) result.arenas += static_cast<double>(kib) / 1024;
        }
    }
    return result;
}

struct Measured {
    double wall = 0, cpu = 0, elaborate = 0, modelled = 0, link_messages = 0, events = 0;
    Resident resident;
};

Measured measure(const Workload& work) {
    const auto start = Clock::now();
    bench::FarmRun farm_run(work);
    trollius_hosted::Multicomputer& box = farm_run.box;
    Measured result;
    farm_run.start_nodes();
    result.elaborate = since(start);
    const auto run = Clock::now();
    const double cpu_before = bench::cpu_seconds();
    const SimTime began = box.now();
    farm_run.finish();
    result.wall = since(run);
    result.cpu = bench::cpu_seconds() - cpu_before;
    result.modelled = (box.now() - began).in_seconds();
    result.resident = resident();
    result.events = static_cast<double>(box.machine().timeline().fired());
    for (std::uint16_t i = 0; i <= work.nodes; ++i) {
        for (std::uint8_t l = 0; l < 4; ++l) {
            const hw_model::LinkEnd* link = box.machine().node(vocabulary::NodeId(i)).link(vocabulary::LinkNo(l));
            if (link != nullptr)
                result.link_messages += static_cast<double>(link->totals().of[trollius_os::accounts::application].messages);
        }
    }
    if (!farm_run.farm.result().finished) std::printf("%s did not finish\n", work.name);
    return result;
}

// Each measurement runs in a process of its own: SystemC elaborates once.
Measured in_child(const Workload& work) {
    int ends[2];
    if (pipe(ends) != 0) std::abort();
    const pid_t child = fork();
    if (child == 0) {
        const Measured result = measure(work);
        if (write(ends[1], &result, sizeof result) != sizeof result) std::abort();
        std::fflush(stdout);
        _exit(0);
    }
    close(ends[1]);  // so that a child that fails ends the read
    Measured result;
    if (read(ends[0], &result, sizeof result) != sizeof result) std::printf("%s failed\n", work.name);
    waitpid(child, nullptr, 0);
    close(ends[0]);
    return result;
}

// The same farm with its links at both levels.
void compare_levels(int repeat) {
    const auto best = [&](topologies::LinkLevel level) {
        const Workload work{"links", 75, 2000, 10'000, 1000, 100, level};
        double wall = in_child(work).wall;
        for (int i = 1; i < repeat; ++i) wall = std::min(wall, in_child(work).wall);
        return wall;
    };
    const double byte = best(topologies::LinkLevel::Byte), message = best(topologies::LinkLevel::Message);
    std::printf("links %.1f byte/message %.3f s-byte-level %.3f s-message-level\n", byte / message, byte, message);
}

}  // namespace

int sc_main(int argc, char** argv) {
    int repeat = 3;
    std::vector<std::string> wanted;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--repeat") == 0 && i + 1 < argc) {
            repeat = std::atoi(argv[++i]);
        } else {
            wanted.emplace_back(argv[i]);
        }
    }
    static const Workload workloads[] = {bench::f1,
                                         bench::f2,
                                         bench::f3,
                                         {"large", 1024, 100'000, 1'000'000, 1000, 100},
                                         {"scale_8", 8, 60'000, 1'000'000, 1000, 100},
                                         {"scale_16", 16, 40'000, 1'000'000, 1000, 100},
                                         {"scale_75", 75, 20'000, 1'000'000, 1000, 100},
                                         {"scale_256", 256, 20'000, 1'000'000, 1000, 100},
                                         {"scale_512", 512, 20'000, 1'000'000, 1000, 100},
                                         {"scale_1024", 1024, 20'000, 1'000'000, 1000, 100},
                                         {"scale_4096", 4096, 20'000, 1'000'000, 1000, 100},
                                         {"scale_16384", 16'384, 20'000, 1'000'000, 1000, 100}};
    for (const Workload& work : workloads) {
        const bool long_one = std::strcmp(work.name, "large") == 0 || work.nodes > 1024;
        if (wanted.empty() && long_one) continue;
        if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), work.name) == wanted.end()) continue;
        Measured best = in_child(work);
        for (int i = 1; i < repeat; ++i) {
            const Measured next = in_child(work);
            if (next.wall < best.wall) best = next;
        }
        std::printf(
            "%s %.3f us/task %.3f us-cpu/task %.3f s-wall %.3f M-link-messages/s %.3f modelled/wall %.3f s-modelled %.1f MiB "
            "%.1f "
            "MiB-with-arenas %.1f ms-to-start %.1f events/task %.1f ns/event\n",
            work.name, best.wall / work.tasks * 1e6, best.cpu / work.tasks * 1e6, best.wall,
            best.link_messages / best.wall * 1e-6, best.modelled / best.wall, best.modelled,
            best.resident.all - best.resident.arenas, best.resident.all, best.elaborate * 1e3, best.events / work.tasks,
            best.wall / best.events * 1e9);
        std::fflush(stdout);
    }
    if (wanted.empty() || std::find(wanted.begin(), wanted.end(), "links") != wanted.end()) compare_levels(repeat);
    return 0;
}

int main(int argc, char** argv) {
    return sc_core::sc_elab_and_sim(argc, argv);
}
