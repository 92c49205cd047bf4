// A causal order with a rule of one's own, for lines of any program's log: PROCESS TIME_NS send|receive PARTNER MESSAGE. The
// lines of one process stand in its own order. Those of different processes may be mixed in any way.
//
//   own_order 4 < log
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <tmon_order/causal_sorter.hpp>

struct Print : tmon_order::SortedOutput {
    void report(const tmon_order::SortedRecord& record) override {
        if (record.kind != tmon_order::SortedRecord::Kind::Record) return;
        const bool missing = record.assumed != tmon_order::Assumed::Nothing;
        std::printf("%" PRId64 " %" PRIu32 ":%" PRIu64 "%s\n", record.final_ns, record.id.stream, record.id.number,
                    missing ? " without its send" : "");
    }
};

int main(int count, char** arguments) {
    const auto processes = static_cast<std::uint32_t>(count == 2 ? std::strtoul(arguments[1], nullptr, 10) : 0);
    if (processes == 0 || processes > 1U << 20) return std::fprintf(stderr, "usage: own_order PROCESSES < LOG\n"), 2;
    Print print;
    tmon_order::CausalSorter sorter(processes, print);
    std::vector<std::uint64_t> next(processes);
    std::uint32_t process = 0, partner = 0;
    std::int64_t time_ns = 0;
    std::uint64_t message = 0;
    char what[8];
    int read = 5;
    for (unsigned line = 1; read == 5; ++line) {
        read = std::scanf("%" SCNu32 "%" SCNd64 "%7s%" SCNu32 "%" SCNu64, &process, &time_ns, what, &partner, &message);
        if (read == EOF) break;
        const bool send = std::string_view(what) == "send";
        if (read != 5 || process >= processes || partner >= processes || (!send && std::string_view(what) != "receive"))
            return std::fprintf(stderr, "own_order: record %u is no 'PROCESS TIME_NS send|receive PARTNER MESSAGE'\n", line), 3;
        tmon_order::End end;  // the rule: a message's send precedes its receive
        end.role = send ? tmon_order::Role::Source : tmon_order::Role::Target;
        end.from = send ? process : partner;
        end.to = send ? partner : process;
        end.channel = {end.from, end.to};
        end.key = {std::uint64_t{end.from} << 32 | end.to, message};
        sorter.insert({process, next[process]++}, time_ns, 0, {&end, 1});
    }
    sorter.finish();
}
