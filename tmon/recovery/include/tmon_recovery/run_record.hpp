// Files events.mwr: the packets that the ranks of an MPI program sent and took, with what is needed to repeat them.
// docs/formats/mwr.md has the form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tmon_recovery/block_file.hpp>
#include <tmon_recovery/event_graph.hpp>

namespace tmon_recovery {

// Before this take of a packet so many looks have found nothing. Only those that are not 0 are there.
struct FailedLooks {
    std::uint16_t process = 0, unused = 0;
    EventNo event = 0;  // the take
    std::uint32_t looks = 0;
};
// A process has read its clock for the program.
struct ClockRead {
    std::uint32_t process = 0, unused = 0;
    double seconds = 0;
};

struct RunRecord {
    std::string manifest{};  // JSON: the run, as the writer describes it
    std::vector<ProcessSpan> processes{};
    std::vector<Message> messages{};
    std::vector<std::uint32_t> checks{};  // of each message: a hash of its words and data
    std::vector<std::string> lines{};     // of calls; the first is empty
    std::vector<FailedLooks> looks{};     // in the order of events of each process
    std::vector<ClockRead> clocks{};      // in the order of reading of each process
    std::string end{};                    // how the run ended, as JSON; empty: the file was cut off while it went on
    // Messages at the end of a file that was cut off, which depend on something that is not there.
    std::size_t left_out = 0;
    bool whole() const { return !end.empty(); }
};

// Throws vocabulary::InputError: no such file, another version, damage in its middle. A file that was cut off holds up to its
// last whole block. The events of a process are taken up to which nothing is missing. Linear.
RunRecord read_record(const std::string& path);

// Writes a file while the run goes on, in blocks of some thousand messages. A process that is killed leaves those that are
// whole.
class RecordWriter {
public:
    // Throws vocabulary::InputError or HostError: the file cannot be written.
    RecordWriter(const std::string& path, const std::string& manifest, std::size_t processes);
    void add(const Message& message, std::uint32_t check);
    std::uint16_t line(const std::string& text);  // its number; 0: it is empty, or there are too many
    void add(const FailedLooks& looks) { looks_.push_back(looks); }
    void add(const ClockRead& clock) { clocks_.push_back(clock); }
    void begins(ProcessNo process, const ProcessSpan& span) { spans_[process] = span; }
    void flush();
    // The run is over, and so is the writing. `end`: JSON, not empty.
    void finish(const std::vector<ProcessSpan>& spans, const std::string& end);

private:
    template <typename One>
    void put(std::uint32_t type, const std::vector<One>& all);
    void put(std::uint32_t type, const void* data, std::size_t bytes) { file_.put(type, data, bytes); }

    BlockWriter file_;
    std::vector<Message> messages_{};
    std::vector<std::uint32_t> checks_{};
    std::vector<FailedLooks> looks_{};
    std::vector<ClockRead> clocks_{};
    std::vector<ProcessSpan> spans_;
    std::vector<std::string> lines_{""};
    std::string new_lines_{};
};

}  // namespace tmon_recovery
