// The event queue by itself, and what could take its place. Records what the Timeline is given in the farms of F1, F2 and F3,
// then plays that to each queue. A figure is the processor time for one post and its firing, the best of the repetitions. The
// time of a replay without a queue is subtracted. docs/results/performance.md has the table.
//
//   queue_bench [--repeat N] [--lines N] [--set KIB] [f1 f2 f3]
//
// hot   nothing else touches memory, so queue and events stay in the first-level cache
//
// cold  between two events the replay changes 64 cache lines (--lines) of other 512 KiB (--set), one part after the other
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include <systemc>

#include "farm_run.hpp"
#include "measure.hpp"
#include "queues/calendar_queue.hpp"
#include "queues/entry.hpp"
#include "queues/heaps.hpp"
#include "queues/ladder_queue.hpp"
#include "queues/replay.hpp"
#include "queues/script.hpp"
#include "queues/slot_wheel.hpp"

namespace {

using queues::Script;
using queues::WorkingSet;

struct Memory {
    std::size_t kib = 512, lines = 64;
};

Script record(const bench::Workload& work) {
    const auto run = std::make_unique<bench::FarmRun>(work);
    queues::ScriptRecorder recorder;
    run->box.machine().timeline().set_witness(&recorder);
    run->start_nodes();
    run->finish();
    run->box.machine().timeline().set_witness(nullptr);
    return recorder.script();
}

template <class Target>
double seconds(Target& target, const Script& script, const Memory& memory) {
    WorkingSet other(memory.kib << 10, memory.lines);
    queues::Replay<Target> replay(target, script, other);
    const double start = bench::cpu_seconds();
    replay.run();
    const double result = bench::cpu_seconds() - start;
    if (replay.is_right()) return result;
    std::fprintf(stderr, "queue_bench: a queue has another order\n");
    std::exit(1);
}

template <class Target>
double fresh(const Script& script, const Memory& memory) {
    Target target;
    return seconds(target, script, memory);
}

template <class Queue>
double bare(const Script& script, const Memory& memory) {
    return fresh<queues::Fired<Queue>>(script, memory);
}

double without_queue(const Script& script, const Memory& memory) {
    queues::KnownOrder target(script);
    return seconds(target, script, memory);
}

struct Contender {
    const char* name;
    double (*seconds)(const Script&, const Memory&);
};
constexpr std::array contenders{Contender{"replay", without_queue},
                                Contender{"timeline", fresh<hw_model::Timeline>},
                                Contender{"wheel_in_place_1", bare<queues::SlotWheel<1>>},
                                Contender{"wheel_in_place_2", bare<queues::SlotWheel<2>>},
                                Contender{"calendar", bare<queues::CalendarQueue>},
                                Contender{"ladder", bare<queues::LadderQueue>},
                                Contender{"binary_heap", bare<queues::BinaryHeap>},
                                Contender{"quad_heap", bare<queues::QuadHeap>}};

// A whole run: how many events waited at a time, and the share that was posted further ahead than the wheel reaches.
struct Crowd {
    double events = 0, mean = 0, most = 0, far_posts = 0, left_out = 0;
};

struct Figures {
    Crowd crowd;
    std::array<double, contenders.size()> hot{}, cold{};  // ns an event
};

Crowd crowd_of(const Script& script) {
    constexpr auto wheel = hw_model::SimTime::us(1040);
    Crowd result{.events = static_cast<double>(script.fires.size()), .left_out = static_cast<double>(script.left_out)};
    double waiting = script.posts_at_first;
    std::size_t posted = script.posts_at_first;
    for (const Script::Fire& fire : script.fires) {
        result.mean += waiting / result.events;
        result.most = std::max(result.most, waiting);
        waiting += static_cast<double>(fire.posts) - 1;
        const auto now = script.posts[fire.post].when;
        for (const std::size_t end = posted + fire.posts; posted != end; ++posted)
            result.far_posts += script.posts[posted].when - now > wheel ? 1 / result.events : 0;
    }
    return result;
}

// In turn, so that every queue meets the same other load of the host.
Figures measure(const bench::Workload& work, int repeat, const Memory& memory) {
    const Script script = record(work);
    Figures result{.crowd = crowd_of(script)};
    for (int i = 0; i < repeat; ++i) {
        for (std::size_t which = 0; which < contenders.size(); ++which) {
            const auto keep_best = [&](double& best, const Memory& touched) {
                const double ns = contenders[which].seconds(script, touched) / result.crowd.events * 1e9;
                best = i == 0 ? ns : std::min(best, ns);
            };
            keep_best(result.hot[which], {.kib = memory.kib, .lines = 0});
            keep_best(result.cold[which], memory);
        }
    }
    return result;
}

void print(const char* work, const Figures& figures) {
    std::printf("queue_%s %.0f events %.0f waiting-mean %.0f waiting-most %.1f %%-far %.0f left-out\n", work,
                figures.crowd.events, figures.crowd.mean, figures.crowd.most, 100 * figures.crowd.far_posts,
                figures.crowd.left_out);
    for (std::size_t which = 0; which < contenders.size(); ++which) {
        const double base = which == 0 ? 0 : 1;
        std::printf("queue_%s_%s %.1f ns-hot %.1f ns-cold\n", work, contenders[which].name,
                    figures.hot[which] - base * figures.hot[0], figures.cold[which] - base * figures.cold[0]);
    }
    std::fflush(stdout);
}

// Takes `--name N` out of the arguments.
std::size_t number(std::vector<std::string>& words, const std::string& name, std::size_t otherwise) {
    const auto found = std::find(words.begin(), words.end(), name);
    if (found == words.end() || found + 1 == words.end()) return otherwise;
    const std::size_t result = std::strtoull(found[1].c_str(), nullptr, 10);
    words.erase(found, found + 2);
    return result;
}

}  // namespace

int sc_main(int argc, char** argv) {
    bench::Options options(argc, argv);
    Memory memory;
    memory.kib = number(options.wanted, "--set", memory.kib);
    memory.lines = number(options.wanted, "--lines", memory.lines);
    for (const bench::Workload& work : {bench::f1, bench::f2, bench::f3}) {
        if (!options.wants(work.name)) continue;
        print(work.name, bench::in_child(work.name, [&] { return measure(work, options.repeat, memory); }));
    }
    return 0;
}

int main(int argc, char** argv) {
    return sc_core::sc_elab_and_sim(argc, argv);
}
