// ProcessLog: the log of one process, with its log intervals found. An interval is one execution of an e-block: LOG(i) of PPD
// (Miller and Choi 1988, section 5.1), from its prelog (Enter) to its postlog (Leave).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include <flowback_log/reader.hpp>
#include <tmon_flowback/prepared.hpp>

namespace tmon_flowback {

inline constexpr std::uint32_t nothing = 0xffffffffU;

struct Interval {
    enum class End : std::uint8_t { Left, Unwound, Open };  // Open: the log ends inside it
    std::uint32_t function = 0;
    std::uint32_t parent = nothing, root = 0;  // root: index of ProcessLog::roots()
    std::uint64_t begin = 0;                   // offset of its Enter
    std::uint64_t body = 0;                    // behind it
    std::uint64_t end = 0;                     // offset of its Leave, of what unwound it, or of the log's end
    std::uint64_t after = 0;                   // behind its Leave
    End how = End::Open;
    bool unknown_inside = false;
    // Accesses of memory behind the last entry, if it is the innermost one that did not return. None: the log was cut.
    std::optional<std::uint64_t> touches;
    std::vector<flowback_log::Range> wrote;  // sorted; only of one that was left
};

inline constexpr std::uint32_t main_entry = 6;  // Root::entry of a program with a main()

// A call of the program by the runtime.
struct Root {
    std::uint32_t entry = 0, task = 0, subtask = 0;
    std::vector<flowback_log::Range> message;  // its parts
    std::uint64_t offset = 0;
};

struct LoggedMessage {
    flowback_log::Passed passed = flowback_log::Passed::Task;
    std::uint32_t task = 0, subtask = 0;
    flowback_log::Range place;
    std::uint64_t offset = 0;
    std::uint32_t interval = nothing;  // innermost one that was open
    std::uint32_t root = 0;
};

// An act of a library with data, inside a call of the program (flowback_log::ActKind).
struct LoggedAct {
    flowback_log::ActKind kind = flowback_log::ActKind::Sent;
    std::uint32_t peer = 0, flow = 0, tag = 0, context = 0, operation = 0;  // as in flowback_log::Entry
    std::vector<flowback_log::Range> from, to;
    std::uint64_t offset = 0;
    std::uint32_t interval = nothing;  // innermost one that was open
};

class ProcessLog {
public:
    // Throws vocabulary::InputError when the file is no log, or is of another program than `program`.
    ProcessLog(const std::string& path, const PreparedProgram& program);

    const flowback_log::Log& log() const { return log_; }
    const std::string& name() const { return name_; }  // "n3.compute_fn"
    const std::string& like() const { return like_; }  // whose memory it began with; empty: the program's initial values
    // Memory that another process could write, too; empty: none.
    flowback_log::Range shared() const { return shared_; }
    bool is_shared(std::uint64_t address, std::uint64_t bytes) const {
        return address < shared_.first + shared_.second && shared_.first < address + bytes;
    }
    // All of it was read, and every entry fits the others.
    bool whole() const { return log_.whole() && problem_.empty(); }
    const std::string& problem() const { return problem_.empty() ? log_.problem() : problem_; }

    const std::vector<Interval>& intervals() const { return intervals_; }  // in the order of their beginnings
    const std::vector<Root>& roots() const { return roots_; }
    const std::vector<LoggedMessage>& messages() const { return messages_; }
    std::size_t passed_messages() const;  // sent or received, by the program or by a library for it
    const std::vector<LoggedAct>& acts() const { return acts_; }
    std::uint32_t act_at(std::uint64_t offset) const;  // the act whose entry lies there; nothing: none
    // The rank of an MPI program; none: it never called MPI_Init().
    std::optional<std::uint32_t> rank() const { return rank_; }
    // The act that sent a message to a rank, or received it from there, by its number. nothing: the log has none.
    std::uint32_t begin_of(const LoggedAct& act) const;  // of its operation: the act Begun; nothing: it is one call
    std::uint32_t act_of(flowback_log::ActKind kind, std::uint32_t peer, std::uint32_t flow) const;
    // Address of a global in this run; 0: not known.
    std::uint64_t address_of(std::uint32_t global) const;
    // The global that holds an address; nothing: none does.
    std::uint32_t global_at(std::uint64_t address) const;
    // The interval whose Enter lies there; nothing: none.
    std::uint32_t interval_at(std::uint64_t offset) const;

private:
    void index();
    void enter(const flowback_log::Entry& entry, std::uint64_t after);
    void close_to(std::size_t depth, const flowback_log::Entry& entry, Interval::End how);
    void take_addresses(const flowback_log::Entry& entry);
    void take_act(const flowback_log::Entry& entry);

    const PreparedProgram& program_;
    flowback_log::Log log_;
    std::string name_, like_, problem_;
    flowback_log::Range shared_{0, 0};
    std::vector<Interval> intervals_;
    std::vector<Root> roots_;
    std::vector<LoggedMessage> messages_;
    std::vector<LoggedAct> acts_;
    std::optional<std::uint32_t> rank_;
    std::map<std::tuple<flowback_log::ActKind, std::uint32_t, std::uint32_t>, std::uint32_t> by_flow_;
    std::map<std::uint32_t, std::uint32_t> begun_;  // acts, by their operation
    std::vector<std::uint32_t> open_;
    std::map<std::uint64_t, std::uint32_t> by_begin_;
    std::vector<std::uint64_t> addresses_;               // by number of the global
    std::map<std::uint64_t, std::uint32_t> by_address_;  // those with storage
};

}  // namespace tmon_flowback
