#include <tmon_recovery/run_record.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <vocabulary/errors.hpp>

#include "record_blocks.hpp"

namespace tmon_recovery {

RecordWriter::RecordWriter(const std::string& path, const std::string& manifest, std::size_t processes)
    : file_(path, record_magic), spans_(processes) {
    put(block_manifest, manifest.data(), manifest.size());
}

template <typename One>
void RecordWriter::put(std::uint32_t type, const std::vector<One>& all) {
    if (!all.empty()) put(type, all.data(), all.size() * sizeof(One));
}

void RecordWriter::add(const Message& message, std::uint32_t check) {
    messages_.push_back(message);
    checks_.push_back(check);
    if (messages_.size() == messages_of_a_block) flush();
}

std::uint16_t RecordWriter::line(const std::string& text) {
    if (text.empty()) return 0;
    const auto at = std::find(lines_.begin(), lines_.end(), text);
    if (at != lines_.end()) return static_cast<std::uint16_t>(at - lines_.begin());
    if (lines_.size() > UINT16_MAX) return 0;
    lines_.push_back(text);
    new_lines_ += text + '\n';
    return static_cast<std::uint16_t>(lines_.size() - 1);
}

void RecordWriter::flush() {
    put(block_processes, spans_);
    if (!new_lines_.empty()) put(block_lines, new_lines_.data(), new_lines_.size());
    put(block_looks, looks_);
    put(block_clocks, clocks_);
    put(block_checks, checks_);
    put(block_messages, messages_);
    new_lines_.clear();
    looks_.clear();
    clocks_.clear();
    checks_.clear();
    messages_.clear();
    file_.flush();
}

void RecordWriter::finish(const std::vector<ProcessSpan>& spans, const std::string& end) {
    spans_ = spans;
    flush();
    put(block_end, end.data(), end.size());
    file_.close();
}

namespace {

class RecordReader {
public:
    explicit RecordReader(const std::string& path)
        : file_(path, record_magic, "it is no record of events; name the folder of 'magicwire record'") {}

    RunRecord read() {
        for (auto block = file_.next(); block && take(*block);) block = file_.next();
        if (record_.manifest.empty() || record_.processes.empty()) fail("it was cut off before the first event");
        record_.checks.resize(record_.messages.size());
        return std::move(record_);
    }

private:
    [[noreturn]] void fail(const std::string& why) const { file_.fail(why); }

    template <typename One>
    bool append(std::vector<One>& all, const FileBlock& block) {
        if (block.bytes % sizeof(One) != 0) fail("a block has a length that none can have; it is damaged");
        const std::size_t old = all.size();
        all.resize(old + block.bytes / sizeof(One));
        return file_.read(block, all.data() + old) || (all.resize(old), false);
    }
    bool append(std::string& text, const FileBlock& block) {
        const std::size_t old = text.size();
        text.resize(old + block.bytes);
        return file_.read(block, text.data() + old) || (text.resize(old), false);
    }
    // False: the file ends here.
    bool take(const FileBlock& block) {
        std::string text;
        switch (block.type) {
            case block_manifest:
                return append(record_.manifest, block);
            case block_processes: {
                std::vector<ProcessSpan> processes;
                if (!append(processes, block)) return false;
                record_.processes = std::move(processes);
                return true;
            }
            case block_lines:
                if (!append(text, block)) return false;
                take_lines(text);
                return true;
            case block_looks:
                return append(record_.looks, block);
            case block_clocks:
                return append(record_.clocks, block);
            case block_checks:
                return append(record_.checks, block);
            case block_messages:
                return append(record_.messages, block);
            case block_end:
                return append(record_.end, block);
            default:
                fail(fmt::format("it has a block of type {}, which there is not; it is damaged", block.type));
        }
    }
    void take_lines(std::string_view text) {
        if (record_.lines.empty()) record_.lines.emplace_back();
        for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
            record_.lines.emplace_back(text.substr(0, end));
            text.remove_prefix(end + 1);
        }
    }

    BlockReader file_;
    RunRecord record_{};
};

// Events of each process are kept up to the first gap, and as far as they depend on kept ones. A message that is received
// behind that is sent only.
void cut(RunRecord& record) {
    const std::size_t processes = record.processes.size();
    std::vector<std::vector<bool>> there(processes);
    const auto mark = [&](std::size_t process, EventNo event) {
        if (event == 0 || process >= processes) return;
        if (there[process].size() < event) there[process].resize(event);
        there[process][event - 1] = true;
    };
    for (const Message& its : record.messages) {
        mark(its.from, its.sent);
        mark(its.to, its.received);
    }
    std::vector<EventNo> kept(processes);
    for (std::size_t process = 0; process < processes; ++process)
        kept[process] =
            static_cast<EventNo>(std::find(there[process].begin(), there[process].end(), false) - there[process].begin());
    for (bool moved = true; moved;) {
        moved = false;
        for (const Message& its : record.messages) {
            if (its.received == 0 || its.received > kept[its.to] || its.sent <= kept[its.from]) continue;
            kept[its.to] = its.received - 1;
            moved = true;
        }
    }
    std::size_t to = 0;
    for (ProcessSpan& its : record.processes) its.end_ns = its.begin_ns;
    for (std::size_t at = 0; at < record.messages.size(); ++at) {
        Message its = record.messages[at];
        if (its.sent > kept[its.from]) continue;
        if (its.received > kept[its.to]) its.received = 0;
        std::int64_t& sender = record.processes[its.from].end_ns;
        sender = std::max(sender, its.sent_ns);
        if (its.received != 0) record.processes[its.to].end_ns = std::max(record.processes[its.to].end_ns, its.received_ns);
        record.messages[to] = its;
        record.checks[to++] = record.checks[at];
    }
    record.left_out = record.messages.size() - to;
    record.messages.resize(to);
    record.checks.resize(to);
}

}  // namespace

RunRecord read_record(const std::string& path) {
    RunRecord record = RecordReader(path).read();
    if (record.lines.empty()) record.lines.emplace_back();
    for (const Message& its : record.messages)
        if (its.from >= record.processes.size() || its.to >= record.processes.size())
            throw vocabulary::InputError({path, 0, 0}, "a message is of no process; it is damaged");
    if (!record.whole()) cut(record);
    const char* const fault = EventGraph::fault(record.processes, record.messages);
    if (*fault != '\0') throw vocabulary::InputError({path, 0, 0}, fmt::format("{}; it is damaged", fault));
    return record;
}

}  // namespace tmon_recovery
