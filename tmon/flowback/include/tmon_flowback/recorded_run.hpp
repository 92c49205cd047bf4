// RecordedRun: all that a run with --flowback left: the prepared program and the logs of its processes. Emulations are made
// when they are asked for, and kept.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <tmon_flowback/emulation.hpp>
#include <tmon_flowback/prepared.hpp>
#include <tmon_flowback/process_log.hpp>

namespace tmon_flowback {

// An event of the run: what answers and questions name. "n3.compute_fn:4.177".
struct EventId {
    std::uint32_t process = nothing, interval = 0, event = 0;
    bool operator==(const EventId&) const = default;
    auto operator<=>(const EventId&) const = default;
};

class RecordedRun {
public:
    // `folder`: of the run. Throws vocabulary::InputError when it has no logs, or a file of them cannot be used.
    explicit RecordedRun(const std::string& folder);

    const PreparedProgram& program() const { return *program_; }
    const std::vector<std::unique_ptr<ProcessLog>>& processes() const { return processes_; }
    const ProcessLog& process(std::uint32_t number) const { return *processes_[number]; }
    // By its name; "n3:compute_fn" and "rank2" are taken, too. nothing: none.
    std::uint32_t find_process(const std::string& name) const;
    // The function of the program that the runtime called, if it is not prepared; empty: it is.
    std::string unprepared_entry(std::uint32_t process, std::uint32_t root) const;
    // Logs that are not whole, with the reason.
    std::vector<std::string> damage() const;
    // A log is damaged, cut or missing.
    bool has_losses() const;
    // Logs that cannot be used at all: file and reason.
    const std::vector<std::string>& unusable() const { return unusable_; }

    const Emulation& emulation(std::uint32_t process, std::uint32_t interval);
    bool has_emulated(std::uint32_t process, std::uint32_t interval) const {
        return emulations_.count({process, interval}) != 0;
    }
    const Event& event(const EventId& id) { return emulation(id.process, id.interval).events()[id.event]; }
    const Site& site(const EventId& id) { return program().site(event(id).site); }
    std::uint64_t emulated_statements() const { return emulated_; }
    // Statements of emulations that contradicted their log.
    const std::vector<std::string>& differences() const { return differences_; }

    // The call that an interval was, in the interval around it. None: the runtime called, or that interval cannot be run again
    // up to there.
    std::optional<EventId> call_of(std::uint32_t process, std::uint32_t interval);
    // The call inside which a library did something. None: no prepared code made it, or its interval cannot be run again so
    // far.
    std::optional<EventId> call_of_act(std::uint32_t process, std::uint32_t act);
    // The call that began the operation which the act belongs to.
    std::optional<EventId> begin_of_act(std::uint32_t process, std::uint32_t act);
    // The process that was a rank of the MPI program; nothing: none, or several.
    std::uint32_t process_of_rank(std::uint32_t rank) const;
    // "n3.p7 (rank 2)".
    std::string with_rank(std::uint32_t process) const;
    // The call that the event's function was: in the interval, or in the one that called it. None: the runtime called it.
    std::optional<EventId> call_of_frame(const EventId& event);
    // The interval that a call of a prepared function was. nothing: the callee is not prepared, whatever it called.
    std::uint32_t interval_of(const EventId& call);
    // A function as the author calls it.
    std::string shown(const std::string& symbol) const;
    std::string text_of(const EventId& id) const;
    // The event that a text names. Throws vocabulary::RequestError.
    EventId parse(const std::string& text);

private:
    std::unique_ptr<PreparedProgram> program_;
    std::unique_ptr<TraceModule> module_;
    std::vector<std::unique_ptr<ProcessLog>> processes_;
    std::vector<std::string> unusable_, differences_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::unique_ptr<Emulation>> emulations_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::map<std::uint32_t, std::uint32_t>> calls_of_acts_;
    std::uint64_t emulated_ = 0;
};

}  // namespace tmon_flowback
