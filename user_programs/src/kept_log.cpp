#include <user_programs/kept_log.hpp>

#include <array>
#include <cmath>
#include <utility>

namespace user_programs {

using vocabulary::Cycles;

LogCosts log_costs(const topologies::CostTable& table) {
    const auto cycles = [&](const char* row) { return Cycles(static_cast<std::int64_t>(table.get(row, "cycles"))); };
    return {.check = cycles("flowback.check"),
            .word = cycles("flowback.word"),
            .entry = cycles("flowback.entry"),
            .byte_thousandths = static_cast<std::uint64_t>(std::llround(table.get("flowback.byte", "cycles") * 1000)),
            .block_bytes = static_cast<std::uint64_t>(table.get("flowback.block", "bytes")),
            .table_bytes = static_cast<std::uint64_t>(table.get("flowback.table", "bytes"))};
}

const char* log_store_name(LogStore store) {
    static constexpr std::array names = {"host", "node", "free"};
    return names.at(static_cast<std::size_t>(store));
}

void LogSums::add(const LogSums& other) {
    store = other.store;
    logs += other.logs;
    cycles += other.cycles;
    blocks += other.blocks;
    bytes += other.bytes;
    short_of_memory += other.short_of_memory;
    with_gaps += other.with_gaps;
}

KeptLog::KeptLog(const std::string& path, const flowback_log::Recorder::Process& process, LogStore store, const LogCosts& costs)
    : store_(store),
      costs_(costs),
      file_(path),
      recorder_(*this, process,
                store == LogStore::Free ? flowback_log::chunk_bytes : costs.block_bytes - flowback_log::chunk_head) {}

void KeptLog::put(std::uint64_t number, std::vector<std::byte> chunk) {
    sums_.bytes += chunk.size();
    if (store_ == LogStore::Free) return file_.put(number, std::move(chunk));
    if (!short_of_memory_) full_.emplace_back(number, std::move(chunk));
}

void KeptLog::take_room(Environment& environment) {
    if (std::exchange(has_room_, true)) return;
    short_of_memory_ = !environment.take_memory(costs_.table_bytes + 2 * costs_.block_bytes);
}

void KeptLog::settle(Environment& environment) {
    if (store_ == LogStore::Free) return;
    take_room(environment);
    if (short_of_memory_) return;
    const flowback_log::Work work = recorder_.take_work();
    const auto times = [](Cycles each, std::uint64_t count) { return Cycles(each.count() * static_cast<std::int64_t>(count)); };
    const Cycles due = times(costs_.check, work.checks) + times(costs_.word, work.words) + times(costs_.entry, work.entries) +
                       Cycles(static_cast<std::int64_t>(work.bytes * costs_.byte_thousandths / 1000));
    sums_.cycles += due;
    if (due.count() > 0) environment.charge_log(due);
    while (!full_.empty() && !short_of_memory_) {
        auto& [number, block] = full_.front();
        if (store_ == LogStore::Node) {
            short_of_memory_ = !environment.take_memory(block.size());
            if (!short_of_memory_) kept_.push_back(std::move(full_.front()));
        } else {
            ++sums_.blocks;
            ++sent_;
            environment.send_log(static_cast<std::uint32_t>(number), block);  // until then the node's memory has it
        }
        full_.pop_front();
    }
}

void KeptLog::arrived(std::uint64_t number, std::vector<std::byte> block) {
    ++arrived_;
    file_.put(number, std::move(block));
}

void KeptLog::cut(flowback_log::Ending why) {
    if (!std::exchange(cut_, true)) recorder_.finish(why);
}

LogSums KeptLog::finish() {
    if (!cut_) recorder_.finish();
    for (auto* blocks : {&kept_, &full_}) {
        for (auto& [number, block] : *blocks) file_.put(number, std::move(block));
        blocks->clear();
    }
    sums_.store = store_;
    sums_.logs = 1;
    sums_.short_of_memory = short_of_memory_ ? 1 : 0;
    sums_.with_gaps = file_.has_gap() ? 1 : 0;
    if (short_of_memory_)
        file_.end(flowback_log::Ending::NoRoom);
    else if (file_.has_gap())
        file_.end(flowback_log::Ending::Missing);
    return sums_;
}

}  // namespace user_programs
