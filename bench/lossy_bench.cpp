// The causal sort over a long run in which one node dies and half of the records are lost. It prints the largest window beside
// the streams and the messages under way, and the resident memory.
//
//   lossy_bench [MILLIONS]     millions of records that are made; 10
//
// Nodes send to nodes at random, tasks or numbered messages of the kernel. Blocks of 8 records come in turn. Half of them are
// lost, and their node reports it with its next block. At a quarter of the run node 1 dies. A person says so, or nobody does
// and what waits for 1000 records is given up.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <random>
#include <vector>

#include <tmon_order/trace_sorter.hpp>

namespace {

using trace_record::Event;
using trace_record::EventKind;
using trace_record::LossRange;

constexpr std::uint16_t nodes = 16, dead = 1;
constexpr std::size_t block_records = 8;

struct Nothing : tmon_order::SortedItems {
    void item(const tmon_order::SortedItem&) override {}
};

struct Message {
    std::uint16_t sender = 0;
    std::uint32_t number = 0;
};

class Run {
public:
    Run(bool kernel, const tmon_order::Patience& patience)
        : kernel_(kernel), give_up_(patience.give_up_records), sorter_(nodes, nothing_, options(patience)) {}

    void go(std::uint64_t records, bool told) {
        while (made_ < records) {
            if (!died_ && made_ > records / 4) {
                died_ = true;
                block_[dead].clear();  // what its buffer held
                if (told) sorter_.crashed(dead, tmon_order::CrashWord::Person);
            }
            const auto node = static_cast<std::uint16_t>(random_() % nodes);
            if (node == dead && died_) continue;
            step(node);
            most_under_way_ = std::max(most_under_way_, under_way_);
            if (block_[node].size() >= block_records) leave(node);
        }
        const tmon_order::SorterCounts& counts = sorter_.counts();
        rusage usage{};
        getrusage(RUSAGE_SELF, &usage);
        std::printf("%-8s %-8s %8llu %9llu %9llu %8llu %10llu %11llu %9llu %8.1f\n", kernel_ ? "message" : "task",
                    told ? "told" : "not told", static_cast<unsigned long long>(give_up_),
                    static_cast<unsigned long long>(counts.records), static_cast<unsigned long long>(counts.lost),
                    static_cast<unsigned long long>(counts.most_window), static_cast<unsigned long long>(most_under_way_),
                    static_cast<unsigned long long>(counts.most_unreported), static_cast<unsigned long long>(counts.assumed),
                    static_cast<double>(usage.ru_maxrss) / 1024);
    }

private:
    static tmon_order::TraceSorter::Options options(tmon_order::Patience patience) {
        return {.rules = {}, .patience = std::move(patience)};
    }
    void step(std::uint16_t node) {
        auto& waits = inbox_[node];
        if (waits.empty() || waits.size() < random_() % 8) {
            auto to = static_cast<std::uint16_t>((node + 1 + random_() % (nodes - 1U)) % nodes);
            while ((to == dead && died_) || to == node)
                to = static_cast<std::uint16_t>(random_() % nodes);  // nobody would take it
            const std::uint32_t number = ++sent_[node];
            put(node, {.task = kernel_ ? 100 : number,
                       .bytes = number,
                       .peer = to,
                       .kind = kernel_ ? EventKind::SendCall : EventKind::Send});
            inbox_[to].push_back({node, number});
            ++under_way_;
            return;
        }
        const Message message = waits.front();
        waits.pop_front();
        --under_way_;
        if (kernel_) {
            put(node, {.task = message.number, .peer = message.sender, .kind = EventKind::Partner});
            put(node, {.task = 100, .peer = message.sender, .kind = EventKind::MessageReceive});
        } else {
            put(node, {.task = message.number, .bytes = 1, .peer = message.sender, .kind = EventKind::Receive});
        }
    }
    void put(std::uint16_t node, Event event) {
        event.time_us = ++made_;
        event.node = node;
        event.seq = next_[node]++;
        block_[node].push_back(event);
    }
    void leave(std::uint16_t node) {
        auto& block = block_[node];
        if (random_() % 2 == 0) {
            lost_[node].push_back(
                {node, block.front().seq, block.back().seq, trace_record::LossCause::BufferFull,
                 trace_record::ClassSet::of(kernel_ ? trace_record::EventClass::Message : trace_record::EventClass::Task)});
        } else {
            for (const LossRange& range : lost_[node]) sorter_.lost(range);
            lost_[node].clear();
            sorter_.records(node, block.front().seq, block, made_);
        }
        block.clear();
    }

    bool kernel_, died_ = false;
    std::uint64_t give_up_;
    Nothing nothing_;
    std::mt19937 random_{1};
    std::uint64_t made_ = 0, under_way_ = 0, most_under_way_ = 0;
    std::vector<std::deque<Message>> inbox_ = std::vector<std::deque<Message>>(nodes);
    std::vector<std::vector<Event>> block_ = std::vector<std::vector<Event>>(nodes);
    std::vector<std::vector<LossRange>> lost_ = std::vector<std::vector<LossRange>>(nodes);
    std::vector<std::uint32_t> sent_ = std::vector<std::uint32_t>(nodes), next_ = std::vector<std::uint32_t>(nodes);
    tmon_order::TraceSorter sorter_;
};

}  // namespace

int main(int argc, char** argv) {
    const std::uint64_t millions = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 10;
    std::printf("%u streams\n%-8s %-8s %8s %9s %9s %8s %10s %11s %9s %8s\n", nodes, "records", "death", "give up", "came",
                "lost", "window", "under way", "unreported", "assumed", "MiB");
    std::fflush(stdout);
    for (const bool kernel : {false, true}) {
        for (const std::uint64_t give_up : {0, 1000}) {
            const pid_t child = fork();  // so that each has its own peak of memory
            if (child == 0) {
                tmon_order::Patience patience;
                patience.give_up_records = give_up;
                Run(kernel, patience).go(millions * 1'000'000, give_up == 0);
                std::fflush(stdout);
                _exit(0);
            }
            int status = 0;
            if (child < 0 || waitpid(child, &status, 0) != child || status != 0) return 1;
        }
    }
}
