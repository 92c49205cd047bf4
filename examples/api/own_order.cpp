// A causal order with rules of one's own, for lines of any program's log: PROCESS TIME_NS send|receive PARTNER MESSAGE. A
// barrier of all processes has PROCESS TIME_NS begin|end 0 NUMBER. The lines of one process stand in its own order. Those of
// different processes may be mixed in any way. Each line of the order has the records from which it follows directly.
//
//   own_order 4 < log
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include <tmon_order/causal_sorter.hpp>

struct Print : tmon_order::SortedOutput {
    void report(const tmon_order::SortedRecord& record) override {
        if (record.kind != tmon_order::SortedRecord::Kind::Record) return;
        std::printf("%" PRId64 " %" PRIu32 ":%" PRIu64, record.final_ns, record.id.stream, record.id.number);
        for (const tmon_order::Cause& source : record.sources()) {
            if (source.id.stream != record.id.stream) std::printf(" %" PRIu32 ":%" PRIu64, source.id.stream, source.id.number);
        }
        std::puts(record.assumed != tmon_order::Assumed::Nothing ? " without a cause" : "");
    }
};

// The rule of messages: the send precedes the receive.
tmon_order::End message_end(bool send, std::uint32_t process, std::uint32_t partner, std::uint64_t number) {
    tmon_order::End end;
    end.role = send ? tmon_order::Role::Source : tmon_order::Role::Target;
    end.from = send ? process : partner;
    end.to = send ? partner : process;
    end.channel = {end.from, end.to};
    end.key = {std::uint64_t{end.from} << 32 | end.to, number};
    return end;
}

// The rule of barriers: each beginning precedes the other processes' ends.
tmon_order::End barrier_end(bool begin, std::uint32_t process, std::uint64_t number,
                            const std::shared_ptr<const tmon_order::Group>& all) {
    tmon_order::End end;
    end.role = begin ? tmon_order::Role::Source : tmon_order::Role::Target;
    end.shape = tmon_order::Shape::AllToAll;
    end.group = all;
    end.rank = process;
    end.channel = {~std::uint64_t{0}, 0};
    end.key = {~std::uint64_t{0}, number};
    end.number = number;
    return end;
}

int main(int count, char** arguments) {
    const auto processes = static_cast<std::uint32_t>(count == 2 ? std::strtoul(arguments[1], nullptr, 10) : 0);
    if (processes == 0 || processes > 1U << 20) return std::fprintf(stderr, "usage: own_order PROCESSES < LOG\n"), 2;
    Print print;
    tmon_order::CausalSorter sorter(processes, print);
    std::vector<std::uint64_t> next(processes);
    tmon_order::Group members(processes);
    std::iota(members.begin(), members.end(), 0U);
    const auto all = std::make_shared<const tmon_order::Group>(std::move(members));
    std::uint32_t process = 0, partner = 0;
    std::int64_t time_ns = 0;
    std::uint64_t message = 0;
    char what[8];
    int read = 5;
    for (unsigned line = 1; read == 5; ++line) {
        read = std::scanf("%" SCNu32 "%" SCNd64 "%7s%" SCNu32 "%" SCNu64, &process, &time_ns, what, &partner, &message);
        if (read == EOF) break;
        const std::string_view kind(what);
        const bool first = kind == "send" || kind == "begin", barrier = kind == "begin" || kind == "end";
        if (read != 5 || process >= processes || partner >= processes || !(first || barrier || kind == "receive"))
            return std::fprintf(stderr, "own_order: record %u is no 'PROCESS TIME_NS send|receive|begin|end PARTNER NUMBER'\n",
                                line),
                   3;
        const tmon_order::End end =
            barrier ? barrier_end(first, process, message, all) : message_end(first, process, partner, message);
        sorter.insert({process, next[process]++}, time_ns, 0, {&end, 1});
    }
    sorter.finish();
}
