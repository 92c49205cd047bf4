// PerfettoPackets: the few messages of Perfetto's trace format that the export needs, as bytes (perfetto:
// protos/perfetto/trace). They form one packet sequence; repeated names are interned in its first packet.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include <protozero/pbf_writer.hpp>
#include <vocabulary/contract.hpp>

#include "byte_output.hpp"

namespace tmon_export {

// The words that are interned: index + 1 is the number in the file.
enum class Category : std::uint8_t { Task = 1, Message, Process, Usage, User, Clock, Loss, Trace };
enum class Note : std::uint8_t {
    Seq = 1,
    Task,
    SubTask,
    Peer,
    Bytes,
    Number,
    Value,
    FirstSeq,
    LastSeq,
    Cause,
    Classes,
    NodeUs
};

// Numbers of an event, stored without the heap, because every record has some.
class NoteNumbers {
public:
    using Entry = std::pair<Note, std::uint64_t>;
    NoteNumbers() = default;
    NoteNumbers(std::initializer_list<Entry> entries) { add(entries); }
    void add(std::initializer_list<Entry> entries) {
        EXPECTS(count_ + entries.size() <= entries_.size(), "perfetto.notes");
        for (const Entry& entry : entries) entries_[count_++] = entry;
    }
    const Entry* begin() const { return entries_.data(); }
    const Entry* end() const { return entries_.data() + count_; }

private:
    std::array<Entry, 6> entries_{};
    std::size_t count_ = 0;
};

struct TrackEvent {
    enum class Type : std::uint8_t { Begin = 1, End = 2, Instant = 3 };
    Type type = Type::Instant;
    std::uint64_t ns = 0, track = 0;
    Category category = Category::Task;
    std::string name{};      // not of an End
    std::uint64_t flow = 0;  // 0: none
    bool flow_ends = false;
    NoteNumbers numbers{};
    std::vector<std::pair<Note, std::string>> words{};
};

class PerfettoPackets {
public:
    PerfettoPackets(const std::string& out, bool force) : out_(out, force) {}
    void begin();
    void process(std::uint64_t track, std::uint32_t pid, const std::string& name);
    void thread(std::uint64_t track, std::uint32_t pid, std::uint32_t tid, const std::string& name);
    // `parent` 0: stands alone.
    void track(std::uint64_t track, std::uint64_t parent, const std::string& name);
    void counter_track(std::uint64_t track, std::uint64_t parent, const std::string& name, const std::string& unit);
    void event(const TrackEvent& event);
    void counter(std::uint64_t ns, std::uint64_t track, std::int64_t value);
    // Ties the trace clock to a clock of ours (numbers from 128 on) at one moment.
    void clocks(std::uint64_t ns, std::uint32_t clock, std::uint64_t clock_ns);
    void close() { out_.close(); }

private:
    template <class Fill>
    void packet(Fill&& fill);
    template <class Fill>
    void descriptor(std::uint64_t track, std::uint64_t parent, const std::string& name, Fill&& fill);

    ByteOutput out_;
    std::string bytes_;  // of the packet being made
};

}  // namespace tmon_export
