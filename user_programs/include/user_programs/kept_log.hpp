// KeptLog: the log of one process for flowback, and what becomes of it on the modelled machine (docs/guide/flowback.md). It
// charges the process by the costs flowback.*.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include <flowback_log/log_file.hpp>
#include <flowback_log/recorder.hpp>
#include <topologies/cost_table.hpp>
#include <user_programs/environment.hpp>
#include <vocabulary/sim_time.hpp>

namespace user_programs {

// Where logs go. Host: in blocks over the links while the program runs. Node: they stay in the memory of their node, and the
// host takes them when the run is over. Free: the modelled machine knows nothing of them.
enum class LogStore : std::uint8_t { Host, Node, Free };
const char* log_store_name(LogStore store);  // "host", "node", "free"

struct LogCosts {
    vocabulary::Cycles check, word, entry;
    std::uint64_t byte_thousandths = 0;  // of a cycle
    std::uint64_t block_bytes = 0;       // of a message to the host
    std::uint64_t table_bytes = 0;       // memory of a process that logs, beside two blocks
};
// From the rows flowback.* of the table.
LogCosts log_costs(const topologies::CostTable& table);

// Sums over the logs of a run.
struct LogSums {
    LogStore store = LogStore::Free;
    std::uint64_t logs = 0;     // none: the run kept none
    vocabulary::Cycles cycles;  // of their processors
    std::uint64_t blocks = 0, bytes = 0;
    std::uint64_t short_of_memory = 0;  // logs that their nodes had no room for
    std::uint64_t with_gaps = 0;        // logs of which a block did not reach the host
    void add(const LogSums& other);
};

class KeptLog final : private flowback_log::ChunkSink {
public:
    // Throws vocabulary::HostError when the file cannot be made.
    KeptLog(const std::string& path, const flowback_log::Recorder::Process& process, LogStore store, const LogCosts& costs);

    flowback_log::Recorder& recorder() { return recorder_; }
    // Nothing more is logged.
    void cut(flowback_log::Ending why);
    bool is_cut() const { return cut_; }
    // On the caller's stack: charges what the recorder has done since the last time, and hands full blocks on. Takes modelled
    // time. Call it before anything else of the process is seen.
    void settle(Environment& environment);
    // A block has reached the host.
    void arrived(std::uint64_t number, std::vector<std::byte> block);
    // Blocks on their way.
    std::uint64_t in_flight() const { return sent_ - arrived_; }
    // After the run. The host takes what the node's memory still has, as by the analyse pin: that costs no modelled time.
    LogSums finish();

private:
    void put(std::uint64_t number, std::vector<std::byte> chunk) override;
    void take_room(Environment& environment);

    const LogStore store_;
    const LogCosts costs_;
    flowback_log::LogFile file_;
    std::deque<std::pair<std::uint64_t, std::vector<std::byte>>> full_, kept_;  // blocks to hand on; blocks that stay
    bool has_room_ = false, short_of_memory_ = false;
    bool cut_ = false;
    std::uint64_t sent_ = 0, arrived_ = 0;
    LogSums sums_;
    flowback_log::Recorder recorder_;  // the last one: it writes into the others
};

}  // namespace user_programs
