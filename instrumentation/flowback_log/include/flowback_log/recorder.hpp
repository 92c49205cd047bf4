// Recorder: writes the log of one process while it runs. The logging version of the program calls it (user_programs).
// A call costs some 10 ns on the host. Memory: 16 kbytes for each page of 4 kbytes that the process touches.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <flowback_log/format.hpp>
#include <flowback_log/library_calls.hpp>

namespace flowback_log {

// Takes the chunks of a log, numbered from 0.
class ChunkSink {
public:
    virtual void put(std::uint64_t number, std::vector<std::byte> chunk) = 0;

protected:
    ~ChunkSink() = default;
};

// The work of a recorder, for its price (user_programs/kept_log.hpp).
struct Work {
    std::uint64_t checks = 0;   // accesses of memory that were looked up
    std::uint64_t words = 0;    // further words of long ones, and ranges of postlogs
    std::uint64_t entries = 0;  // of the log
    std::uint64_t bytes = 0;    // in them
};

class Recorder {
public:
    struct Process {
        std::string name;       // "n3.compute_fn"
        std::string like{};     // the process whose memory it begins with; empty: none
        std::string program{};  // digest of the module
        Range shared{0, 0};     // memory that another process can write, too; it is read anew each time
    };
    // `sink` outlives it. A chunk has `content` bytes behind its head, the last one fewer.
    Recorder(ChunkSink& sink, const Process& process, std::size_t content = chunk_bytes);
    ~Recorder();
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;

    // The runtime calls function `entry` of the program with a message of these parts.
    void root(std::uint32_t entry, std::uint32_t task, std::uint32_t subtask, const std::vector<Range>& parts);
    // `addresses`: of the source (flowback_prepare): its number, their number, and themselves. Returns the depth.
    std::uint32_t enter(std::uint32_t function, const std::uint64_t* addresses, const void* words, std::size_t bytes);
    void leave(std::uint32_t depth, const void* value, std::size_t bytes);
    void read(std::uint64_t address, std::size_t bytes);
    void unreadable();  // read() of memory that is not the program's: its bytes are not logged
    void wrote(std::uint64_t address, std::size_t bytes);
    void variable(std::uint64_t address, std::size_t bytes);
    // `depth`: of the interval that called; 0: that of a leaf's caller.
    void call(std::uint32_t site, std::uint32_t depth, Effect effect, const void* value, std::size_t bytes, std::uint64_t first,
              std::uint64_t second);
    void message(Passed passed, std::uint32_t task, std::uint32_t subtask, Range place);
    // The call that call() will tell has written it. `bytes` 0: a text.
    void output(std::uint64_t address, std::uint64_t bytes);
    struct Act {
        ActKind kind = ActKind::Sent;
        std::uint32_t peer = 0, flow = 0, tag = 0, context = 0, operation = 0;  // as in Entry
        std::span<const Range> from{}, to{};
    };
    void act(const Act& its);
    // The log is whole, or ends for another reason. Without it a reader knows that something is missing.
    void finish(Ending ending = Ending::Last);
    // Since the last time.
    Work take_work() { return std::exchange(work_, {}); }

private:
    struct Interval {
        std::vector<Range> wrote, variables;
        std::size_t merge_at = 1024, merge_variables_at = 1024;
        bool unknown_inside = false;
    };
    using Page = std::array<std::uint32_t, 4096>;
    // The knowledge that the intervals of one depth have of memory.
    struct Known {
        std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages;
        std::uint64_t last_number = ~std::uint64_t{0};
        Page* last = nullptr;
        std::uint32_t epoch = 1;  // of what is known; 0 is never known
    };

    void put(std::uint64_t number);
    void put(const void* data, std::size_t bytes);
    void put_sized(const void* data, std::size_t bytes);
    void put(const std::string& text);
    void put(std::span<const Range> pieces);
    void begin(Kind kind);
    void flush(Ending ending);
    void count_access(std::size_t bytes);
    void close_down_to(std::size_t depth);
    Known& known();
    void forget_all() { ++known().epoch; }
    Page& page(std::uint64_t address);
    bool knows(std::uint64_t address, std::size_t bytes);
    void mark(std::uint64_t address, std::size_t bytes, bool is_known);
    void note_written(std::uint64_t address, std::uint64_t bytes);
    std::vector<Range> take_outputs();
    void write_outputs(const std::vector<Range>& outputs);
    void effects(Effect effect, const void* value, std::uint64_t first, std::uint64_t second);

    ChunkSink& sink_;
    std::size_t content_;
    std::vector<std::byte> buffer_;
    std::uint64_t chunks_ = 0;
    Work work_;
    bool finished_ = false;
    std::vector<Interval> open_;
    std::vector<std::uint64_t> known_sources_;
    std::array<Known, separate_depths> known_;  // the last one is that of all deeper intervals, too
    Range shared_;
    std::uint64_t touches_ = 0;                       // accesses since the last entry
    std::uint64_t entered_ = 0, entered_before_ = 0;  // intervals so far; and when ActKind::Function was told
    bool in_function_ = false;
    std::vector<std::pair<std::size_t, Range>> outputs_;  // of calls under way, with the intervals that are open there
};

// The ranges, sorted, joined where they meet.
std::vector<Range> merged(std::vector<Range> ranges);
// Parts of `ranges` outside `without`; both merged.
std::vector<Range> difference(const std::vector<Range>& ranges, const std::vector<Range>& without);

}  // namespace flowback_log
