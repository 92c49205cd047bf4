#include <mpi_runs/mpi_run.hpp>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <tuple>

#include <node_programs/programs.hpp>
#include <topologies/machine_checks.hpp>
#include <topologies/machine_parser.hpp>
#include <topologies/shapes.hpp>
#include <topologies/strict_yaml.hpp>
#include <trollius_hosted/multicomputer.hpp>
#include <user_programs/program_costs.hpp>
#include <vocabulary/errors.hpp>
#include <vocabulary/source_position.hpp>

#include <lam_mpi/lam_start.h>

#include "event_notes.hpp"
#include "finding_reader.hpp"
#include "table_reader.hpp"

namespace mpi_runs {

using vocabulary::NodeId;
using vocabulary::SimTime;

struct LoadedRanks::State {
    explicit State(const Plan& plan)
        : path(plan.module.empty() ? plan.program : plan.module),
          programs(report, plan.fenced ? user_programs::Heaps::Fenced : user_programs::Heaps::Open,
                   topologies::greatest_ram(plan.machine)),
          program(programs.load(path, {.costs = user_programs::program_costs(plan.costs, user_programs::CostSource::Estimated),
                                       .copies = plan.places.size(),
                                       .name = std::filesystem::path(plan.program).stem()})) {}
    std::string path;
    node_programs::Report report{};
    node_programs::Programs programs;
    trollius_os::Program program;
};

LoadedRanks::LoadedRanks(const Plan& plan) : state_(std::make_unique<State>(plan)) {}
LoadedRanks::~LoadedRanks() = default;

user_programs::ProcessImage::Addresses LoadedRanks::addresses(std::size_t rank) const {
    return user_programs::ProcessImage::addresses_of(*state_->programs.copies_of(state_->path).at(rank));
}

namespace {

// The rank that stands for all is the first of the cycle, or the first that waits.
Finding standstill_of(const Result& result) {
    Finding finding{.kind = "standstill", .fatal = true};
    finding.text = std::to_string(result.waits.size()) + " of " + std::to_string(result.ranks.size()) +
                   " ranks wait, and no message is under way";
    // MPI_Finalize() waits for all, so it is seldom where the mistake is.
    const auto is_in = [&](const Wait& wait, bool at_the_end) {
        const bool in_cycle = std::find(result.cycle.begin(), result.cycle.end(), wait.rank) != result.cycle.end();
        return (result.cycle.empty() || in_cycle) && (wait.function == "MPI_Finalize") == at_the_end;
    };
    auto first = std::find_if(result.waits.begin(), result.waits.end(), [&](const Wait& wait) { return is_in(wait, false); });
    if (first == result.waits.end())
        first = std::find_if(result.waits.begin(), result.waits.end(), [&](const Wait& wait) { return is_in(wait, true); });
    if (first == result.waits.end()) return finding;
    finding.rank = first->rank;
    finding.function = first->function;
    set_line(finding, first->where);
    return finding;
}

}  // namespace

class Run {
public:
    explicit Run(const Plan& plan)
        : plan_(plan),
          findings_(plan.find, plan.places),
          own_(plan.loaded == nullptr ? std::make_unique<LoadedRanks>(plan) : nullptr),
          report_((plan.loaded == nullptr ? *own_ : *plan.loaded).state_->report),
          box_(plan.machine, plan.costs, plan.seed, [&plan](NodeId, const std::string& text) { plan.print(text); }) {
        report_.tell = [this](const user_programs::Diagnosis& diagnosis) {
            if (plan_.tell) plan_.tell(diagnosis);
            if (diagnosis.outcome.empty() || crashed_) return;
            crashed_ = diagnosis.problem;
        };
        report_.note = [this](const node_programs::Report::Running& by, int what, std::span<const std::byte> record) {
            if (what == LAM_NOTE_RECEIVE || what == LAM_NOTE_MATCHED) return hear(what, record);
            if (events_ && events_->note(by, what, record)) return;
            findings_.note(by, what, record);
        };
        box_.host_services().files = plan.files;
        box_.host_services().read = plan.read;
        if (plan.print_error)
            box_.host_services().print_error = [&plan](NodeId, const std::string& text) { plan.print_error(text); };
        if (plan.events != nullptr)
            report_.begins_from = [&plan](NodeId node) -> std::shared_ptr<const user_programs::ProcessImage> {
                const auto place = std::find(plan.places.begin(), plan.places.end(), node);
                if (place == plan.places.end()) return nullptr;
                return plan.events->begins_from(static_cast<std::size_t>(place - plan.places.begin()));
            };
        if (plan.logs) keep_logs(*plan.logs);
        box_.programs()[plan.program] = (plan.loaded == nullptr ? *own_ : *plan.loaded).state_->program;
    }

    // The arguments, and behind them the environment.
    [[nodiscard]] trollius_os::Arguments words() const {
        trollius_os::Arguments all(plan_.arguments.begin(), plan_.arguments.end());
        for (const std::string& text : plan_.environment) all.push_back(node_programs::environment_mark + text);
        return all;
    }

    Result run() {
        Result result;
        if (plan_.events != nullptr) events_.emplace(*plan_.events, box_, plan_.places);
        box_.boot();
        advance([this] { return box_.booted() || !box_.failure().empty(); });
        if (!box_.failure().empty()) throw vocabulary::RequestError(box_.failure());
        if (events_) events_->pulse();
        const std::int32_t event_cycles =
            events_ ? static_cast<std::int32_t>(plan_.costs.get("checkpoint.event", "cycles")) : 0;
        lam_mpi::Job job(box_.host(), {.program = plan_.program,
                                       .arguments = words(),
                                       .places = plan_.places,
                                       .prices = prices_of(plan_.costs),
                                       .options = (plan_.buffers ? 0 : LAM_NO_BUFFERING) | (plan_.checks ? 0 : LAM_NO_CHECKS) |
                                                  event_cycles << LAM_EVENT_CYCLES,
                                       .deliveries = deliveries()});
        findings_.know(job.ranks());
        if (logs_to_host()) collect_logs();
        advance([&] { return job.started() || job.over(); });
        result.began = box_.now();
        advance([&] { return job.over() || crashed_ || (events_ && plan_.events->done()); });
        if (events_) events_->pulse();
        result.ended = box_.now();
        if (events_ && plan_.events->done() && !stopped_) settle();
        if (logs_) finish_logs(result);
        result.ranks = job.ranks();
        result.aborted = job.aborted();
        result.diverged = job.diverged();
        if (!job.failure().empty()) throw vocabulary::RequestError(job.failure());
        result.end = end_of(job);
        if (result.end == End::Standstill) {
            for (std::size_t rank = 0; rank < result.ranks.size(); ++rank) {
                if (!result.ranks[rank].ended)
                    result.waits.push_back(wait_of(rank, plan_.places[rank], result.ranks[rank], report_));
            }
            result.cycle = cycle_of(result.waits);
        }
        if (result.end == End::Standstill || result.end == End::Limit) read_tables(result);
        look_for_other_collectives(result.waits);
        findings_.look_for_missing_ends();
        result.findings = findings_.all();
        if (result.end == End::Standstill) result.findings.push_back(standstill_of(result));
        result.status = status_of(result, crashed_);
        for (std::size_t rank = 0; plan_.stamping && rank < result.ranks.size(); ++rank) fetch_record(rank, result.ranks[rank]);
        return result;
    }

private:
    lam_mpi::Deliveries deliveries() {
        lam_mpi::Deliveries its;
        if (plan_.stamping) {
            its.wishes |= LAM_STAMPS;
            if (plan_.stamping->changes) its.wishes |= LAM_CHANGES;
            if (plan_.stamping->annai) its.wishes |= LAM_ANNAI;
            if (plan_.stamping->all_sources) its.wishes |= LAM_ALL_SOURCES;
            if (plan_.asked) its.wishes |= LAM_ASKS;
        }
        if (events_) its.wishes |= LAM_EVENTS;
        if (plan_.repeats != nullptr) its.scripts = scripts_of(*plan_.repeats);
        if (!its.scripts.empty()) its.wishes |= LAM_SCRIPT;
        its.told = [this](const lam_mpi::Told& told) {
            if (plan_.recorded) plan_.recorded(told.rank, order_of(told));
        };
        return its;
    }

    void keep_logs(flowback_unload::LogKeeping keeping) {
        if (keeping.store == user_programs::LogStore::Host) keeping.inbox = &inbox_;
        logs_.emplace(std::move(keeping));
        report_.logs = &*logs_;
    }
    bool logs_to_host() const { return plan_.logs && plan_.logs->store == user_programs::LogStore::Host; }
    void collect_logs() {
        trollius_os::Kernel& host = box_.host();
        host.create({"flowbackd", trollius_os::Priority::Low, trollius_os::kernel_priority::command, host.costs().service_stack,
                     [this](trollius_os::Api& api) { flowback_unload::collect(api, inbox_); }});
    }
    // Blocks are still on their way, unless a node that was to pass them on has stopped.
    void finish_logs(Result& result) {
        const SimTime patience = SimTime::s(60);
        if (logs_to_host() && !stopped_)
            box_.run(box_.now() + patience, SimTime::ms(1), [this] { return inbox_.in_flight() == 0; });
        result.logs = logs_->finish();
        report_.logs = nullptr;
    }

    // The question lies in the rank's memory, where the library finds the answer.
    void hear(int what, std::span<const std::byte> record) const {
        lam_question its{};
        if (record.size() != sizeof its || !plan_.asked) return;
        std::memcpy(&its, record.data(), sizeof its);
        if (its.rank < 0 || static_cast<std::size_t>(its.rank) >= plan_.places.size()) return;
        const auto rank = static_cast<std::size_t>(its.rank);
        if (what == LAM_NOTE_MATCHED) return plan_.matched({rank, its.receive, its.source});
        its.source = plan_.asked(rank, its.receive).value_or(LAM_NO_OTHER);
        std::memcpy(const_cast<std::byte*>(record.data()), &its, sizeof its);
    }

    // The program of a rank that has not ended; null: it is not there.
    const user_programs::LoadedProgram* program_of(std::size_t rank, const lam_mpi::RankEnd& its) const {
        for (const node_programs::Report::Running& one : report_.running) {
            if (one.node == plan_.places[rank] && one.pid == its.pid) return &one.process->program();
        }
        return nullptr;
    }

    // From the memory of a rank that had no occasion to tell it: the machine stands.
    void fetch_record(std::size_t rank, const lam_mpi::RankEnd& its) {
        const user_programs::LoadedProgram* const program = its.ended ? nullptr : program_of(rank, its);
        const auto* record = program == nullptr ? nullptr : static_cast<const lam_record*>(program->variable("lam_recorded"));
        if (record == nullptr || !plan_.recorded) return;
        lam_mpi::Told told{.what = LAM_TOLD_ALL, .rank = rank, .head = record->head};
        told.events.assign(record->events, record->events + std::clamp(record->count, 0, int{LAM_RECORD_EVENTS}));
        plan_.recorded(rank, order_of(told));
    }

    // Lines that the ranks have printed are still under way to the host.
    void settle() {
        box_.run(box_.now() + SimTime::s(1), SimTime::ms(1),
                 [this] { return box_.machine().timeline().next_time() == SimTime::never(); });
    }

    // In steps, so that an interrupt is noticed.
    void advance(const std::function<bool()>& done) {
        const auto over = [&] { return done() || stopped_ || box_.now() >= plan_.limit; };
        box_.run(plan_.limit, SimTime::ms(1), [&] {
            stopped_ = stopped_ || (plan_.goes_on && !plan_.goes_on());
            return over();
        });
    }

    End end_of(const lam_mpi::Job& job) {
        if (job.diverged()) return End::Diverged;
        if (job.aborted()) return End::Aborted;
        if (crashed_) return End::Crashed;
        if (job.over()) return End::Ended;
        if (stopped_ || (events_ && plan_.events->done())) return End::Stopped;
        return box_.machine().timeline().next_time() == SimTime::never() ? End::Standstill : End::Limit;
    }

    void read_tables(Result& result) const {
        for (std::size_t rank = 0; rank < result.ranks.size(); ++rank) {
            for (const node_programs::Report::Running& one : report_.running) {
                if (one.node != plan_.places[rank] || one.pid != result.ranks[rank].pid || result.ranks[rank].ended) continue;
                result.tasks.push_back(task_of(rank, *one.process));
                add_messages(rank, *one.process, result.messages);
            }
        }
    }

    // Ranks that wait in the same operation of a communicator by its number, and in another by its name or root.
    void look_for_other_collectives(const std::vector<Wait>& waits) {
        std::map<std::tuple<std::uint32_t, std::int32_t, std::uint64_t>, const Wait*> first;
        for (const Wait& wait : waits) {
            if (!wait.collective) continue;
            const Wait::Collective& its = *wait.collective;
            const Wait* const other = first.try_emplace({its.context, its.order, its.members}, &wait).first->second;
            if (other->function == wait.function && other->collective->root == its.root) continue;
            Finding finding{.kind = "collective-mismatch", .rank = wait.rank, .function = wait.function};
            finding.text = "rank " + std::to_string(other->rank) + " is in " + operation_of(*other) + ", rank " +
                           std::to_string(wait.rank) + " in " + operation_of(wait);
            set_line(finding, wait.where);
            findings_.add(std::move(finding));
        }
    }
    static std::string operation_of(const Wait& wait) {
        const std::int32_t root = wait.collective->root;
        return wait.function + "()" + (root >= 0 ? " with root " + std::to_string(root) : "") +
               (wait.where.empty() ? "" : " at " + wait.where);
    }

    const Plan& plan_;
    FindingReader findings_;
    const std::unique_ptr<LoadedRanks> own_;
    node_programs::Report& report_;
    trollius_hosted::Multicomputer box_;
    std::optional<EventNotes> events_;
    flowback_unload::LogInbox inbox_;
    std::optional<node_programs::ProcessLogs> logs_;
    std::optional<user_programs::Problem> crashed_;
    bool stopped_ = false;
};

Result run(const Plan& plan) {
    return Run(plan).run();
}

topologies::MachineDescription machine_of(const std::string& text, const std::string& ram) {
    const std::string place = "--ram " + ram;
    if (std::filesystem::is_regular_file(text)) {
        if (!ram.empty())
            throw vocabulary::InputError(
                {place, 0, 0},
                text + " says how much memory each of its nodes has; leave --ram out, or change `nodes.ram` there");
        topologies::MachineDescription machine = topologies::read_machine(text);
        topologies::check_bootable(machine, {text, 0, 0});
        return machine;
    }
    topologies::NetworkOptions options;
    options.gateway = true;
    topologies::MachineDescription machine = topologies::make_shape(text, options);
    // MPI programs were not written for a transputer's memory.
    std::uint64_t bytes =
        machine.nodes.size() <= topologies::most_large_nodes ? topologies::mpi_ram_bytes : topologies::usual_ram_bytes;
    if (!ram.empty()) bytes = topologies::YamlValue::parse(ram, place).byte_size();
    topologies::check_ram(bytes, {place, 0, 0});
    for (topologies::NodeDescription& node : machine.nodes) node.ram_bytes = bytes;
    if (!ram.empty()) topologies::check_machine(machine);
    return machine;
}

std::string usual_machine(std::size_t ranks) {
    if (ranks <= 2) return "chain:" + std::to_string(ranks);
    std::size_t rows = 1;
    for (std::size_t i = 2; i * i <= ranks; ++i) {
        if (ranks % i == 0) rows = i;
    }
    if (rows == 1) return "ring:" + std::to_string(ranks);
    return "mesh:" + std::to_string(rows) + "x" + std::to_string(ranks / rows);
}

}  // namespace mpi_runs
