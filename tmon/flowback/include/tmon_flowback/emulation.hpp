// Emulation: one log interval run again by the tracing version, from the log alone (PPD, section 5.3). Calls of prepared
// functions are not run: their intervals are passed over, and what they wrote is unknown until it is read. The result is a list
// of events: the nodes of the dynamic graph inside the interval.
//
// One at a time in a program. Cost: some 50 ns and 40 bytes an event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <tmon_flowback/prepared.hpp>
#include <tmon_flowback/process_log.hpp>

namespace tmon_flowback {

struct Event {
    std::uint32_t site = 0, frame = 0;
    std::uint64_t address = 0;  // of what it reads or writes; of a call that allocates: what it returned
    std::uint64_t value = 0;    // the first 8 bytes; of a copy: the address that it reads; of a statement: its place in the log
    std::uint64_t bytes = 0;
    std::uint32_t extra = nothing;  // of more than 8 bytes: their place; of a call that the emulation passes over: its number
};

// A function's execution inside the interval: its own, or that of a leaf.
struct Frame {
    std::uint32_t function = 0;
    std::uint32_t call = nothing;      // the event that called it; nothing: the interval's own
    std::uint32_t returned = nothing;  // the event of its return
};

// A thing that happened inside a call that the emulation passes over.
struct CallStep {
    bool is_act = false;       // else an interval
    std::uint32_t number = 0;  // of ProcessLog::acts() or intervals()
};

struct CallDetails {
    std::vector<std::uint32_t> nested;  // intervals that ran inside it
    std::vector<CallStep> steps;        // these, and what the library did, in their order
    std::vector<flowback_log::Range> wrote;
    std::vector<std::vector<std::byte>> contents;  // of `wrote`
    std::uint64_t code = 0;                        // address of the callee; 0: it is in the program's text
    bool zeroed = false;                           // the fresh memory is all zero
    flowback_log::Range fresh{0, 0};               // memory that it allocated
    std::uint32_t message = nothing;               // of ProcessLog::messages()
    std::vector<std::uint64_t> words;              // arguments, 16 bytes apart: the first 8 of each
    bool unknown = false;                          // it may have changed any memory
};

class TraceModule;

class Emulation {
public:
    // Runs the interval. `most_events`: it stops there, and says so.
    Emulation(const PreparedProgram& program, const TraceModule& module, const ProcessLog& log, std::uint32_t interval,
              std::size_t most_events);
    ~Emulation();

    const std::vector<Event>& events() const { return events_; }
    const std::vector<Frame>& frames() const { return frames_; }
    const CallDetails& call(const Event& event) const { return calls_[event.extra]; }
    // Bytes that an event read or wrote.
    std::span<const std::byte> content(const Event& event) const;
    std::uint64_t statements() const { return statements_; }

    // It came to the interval's end as the log has it.
    bool complete() const { return complete_; }
    // Why it did not; empty: it did. "the log ends here", or what differs.
    const std::string& stopped() const { return stopped_; }
    // The emulation and the log contradict each other.
    bool differs() const { return differs_; }
    // Events up to here are proved by the log: of an interval that never returned, those behind its last entry need not have
    // happened.
    std::uint32_t proved() const { return proved_; }
    // The first read of a variable before it was set: the event, and its place in the source. Values behind it may be others.
    struct UnsetRead {
        std::uint32_t event = 0;
        std::string place;
    };
    const std::optional<UnsetRead>& unset_read() const { return unset_read_; }

private:
    struct Stop {};
    class Memory;
    friend struct TraceCalls;

    void run(const TraceModule& module);
    [[noreturn]] void stop(std::string why, bool differs);
    flowback_log::Entry take(flowback_log::Kind kind, const char* what);
    Event& add(std::uint32_t site);
    void keep(Event& event, const void* data, std::uint64_t bytes);
    void fetch(std::uint64_t address, std::uint64_t bytes);
    void note_unset(std::uint32_t site);
    void note_value(std::uint32_t site, std::uint64_t address, std::uint64_t bytes);

    void begin(std::uint32_t function);
    std::uint64_t variable(std::uint32_t site, std::uint64_t bytes, bool local);
    void statement(std::uint32_t site);
    void load(std::uint32_t site, std::uint64_t address, std::uint64_t bytes, void* value);
    void store(std::uint32_t site, std::uint64_t address, std::uint64_t bytes, const void* value);
    void copy(std::uint32_t site, std::uint64_t to, std::uint64_t from, std::uint64_t bytes);
    void fill(std::uint32_t site, std::uint64_t to, unsigned value, std::uint64_t bytes);
    void inherited(std::uint32_t site);
    void call(std::uint32_t site, std::uint64_t code, const void* words, std::uint64_t size, void* value, std::uint64_t bytes);
    void touch(std::uint64_t address, std::uint64_t bytes);
    void count_touch();
    bool knows(std::uint64_t address, std::uint64_t bytes) const;
    void pass_nested(const flowback_log::Entry& entry, std::uint32_t site, const void* words, std::uint64_t size,
                     CallDetails& details);
    void apply(const flowback_log::Entry& entry, CallDetails& details, std::uint64_t result);
    void leave(std::uint32_t site, const void* value, std::uint64_t bytes);
    void branch(std::uint32_t site, std::uint64_t decided);

    const PreparedProgram& program_;
    const ProcessLog& log_;
    const Interval& interval_;
    std::size_t most_events_;
    std::uint64_t cursor_ = 0;
    std::unique_ptr<Memory> memory_;
    std::vector<Event> events_;
    std::vector<Frame> frames_;
    std::vector<std::uint32_t> stack_;  // frames that have not returned
    std::uint32_t pending_ = nothing;   // the event of a leaf's call that begins next
    std::vector<CallDetails> calls_;
    std::vector<std::byte> pool_;
    std::uint64_t statements_ = 0, next_local_;
    std::vector<std::byte> returned_;
    std::string stopped_;
    std::optional<UnsetRead> unset_read_;
    std::map<std::uint64_t, std::uint64_t> half_set_;  // words of bit fields: the bits that were set
    bool complete_ = false, differs_ = false;
    bool compares_ = true;       // what it returns has no bytes without a value
    bool partly_unset_ = false;  // it has read bytes without a value beside others
    std::uint64_t touches_ = 0;  // accesses since the last entry, as the recorder counts them
    std::uint32_t proved_ = 0;
};

// The tracing version, loaded.
class TraceModule {
public:
    // Throws vocabulary::HostError when it cannot be loaded.
    explicit TraceModule(const PreparedProgram& program);
    ~TraceModule();
    TraceModule(const TraceModule&) = delete;
    TraceModule& operator=(const TraceModule&) = delete;
    using Entry = void (*)(const void* words);
    Entry entry(std::uint32_t function) const;  // null: it has none

private:
    void* handle_ = nullptr;
};

}  // namespace tmon_flowback
