// An MPI program of a scenario: its module, mpirun on the host (lam_mpi::Job), and its end.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <forks/child_process.hpp>
#include <node_programs/programs.hpp>
#include <topologies/machine_checks.hpp>
#include <user_programs/program_costs.hpp>

#include "parallel_programs.hpp"
#include "rank_watch.hpp"

namespace session {
namespace {

using lam_mpi::RankEnd;
using mpi_runs::End;
using vocabulary::NodeId;

class MpiProgram final : public ParallelProgram, private HostedJob {
public:
    MpiProgram(trollius_hosted::Multicomputer& box, const scenario::Scenario& scenario,
               std::vector<trek_kernel::Witness*> witnesses, const FlowbackPlace& flowback, flowback_unload::LogInbox& inbox)
        : box_(box),
          mpi_(*scenario.mpi),
          prices_(mpi_runs::prices_of(scenario.costs)),
          programs_(report_, user_programs::Heaps::Open, topologies::greatest_ram(scenario.machine)),  // ranks switch often
          module_(flowback.module.empty() ? mpi_.program : flowback.module),
          watch_(box, mpi_, std::move(witnesses)),
          places_(scenario.farm.nodes) {
        forks::call_in_children(user_programs::watch_after_fork);
        report_.tell = [this](const user_programs::Diagnosis& diagnosis) {
            if (!diagnosis.outcome.empty() && !crashed_) crashed_ = diagnosis.problem;
        };
        auto costs = user_programs::program_costs(scenario.costs, scenario.program_settings.costs);
        program_ = programs_.load(
            module_,
            {.costs = std::move(costs), .copies = mpi_.places.size(), .name = std::filesystem::path(mpi_.program).stem()});
        if (!flowback.folder.empty()) {
            logs_.emplace(
                flowback_unload::LogKeeping{.folder = flowback.folder,
                                            .digest = flowback.digest,
                                            .store = flowback.store,
                                            .costs = user_programs::log_costs(scenario.costs),
                                            .inbox = flowback.store == user_programs::LogStore::Host ? &inbox : nullptr});
            report_.logs = &*logs_;
        }
        ended_.ranks.resize(mpi_.places.size());
    }

    trollius_os::ProgramRegistry programs() override { return {{mpi_.program, program_}}; }
    const char* program_of(NodeId) const override { return mpi_.program.c_str(); }
    const trek_kernel::FarmResult& result() const override { return result_; }
    std::size_t started_nodes() const override { return watch_.started_nodes(); }
    const std::vector<trek_kernel::TreePlace>& places() const override { return places_; }
    void place(std::vector<trek_kernel::TreePlace>) override {}  // messages of ranks go over the network
    HostedJob* job() override { return this; }
    std::vector<RankLine> ranks() const override {
        const std::vector<RankEnd>& all = job_ ? job_->ranks() : ended_.ranks;
        std::vector<RankLine> lines;
        for (std::size_t rank = 0; rank < all.size(); ++rank) {
            lines.push_back({.rank = rank, .node = mpi_.places[rank], .pid = {}, .state = state_of(rank, all[rank])});
            if (all[rank].loaded) lines.back().pid = all[rank].pid;
        }
        return lines;
    }

    std::vector<user_programs::LoadedProgram*> modules() const override { return programs_.copies_of(module_); }
    std::vector<const user_programs::ProgramProcess*> processes() const override {
        std::vector<const user_programs::ProgramProcess*> all(mpi_.places.size());
        for (const node_programs::Report::Running& one : report_.running) {
            const auto rank = watch_.rank_of(one.node, one.pid.value());
            if (rank && all[*rank] == nullptr) all[*rank] = one.process;  // its threads come later
        }
        return all;
    }

private:
    void start() override {
        job_.emplace(
            box_.host(),
            lam_mpi::Plan{.program = mpi_.program, .arguments = mpi_.arguments, .places = mpi_.places, .prices = prices_});
    }
    bool started() override {
        if (!job_ || !job_->started()) return false;
        if (ended_.began == vocabulary::SimTime()) ended_.began = box_.now();
        return true;
    }
    bool over() const override { return job_ && (job_->over() || crashed_); }
    std::string failure() const override { return job_ ? job_->failure() : std::string(); }
    std::string loads() const override {
        if (!job_) return "the monitor";
        const auto& ranks = job_->ranks();
        const auto next = std::find_if(ranks.begin(), ranks.end(), [](const RankEnd& rank) { return !rank.loaded; });
        const std::size_t rank = next == ranks.end() ? 0 : static_cast<std::size_t>(next - ranks.begin());
        return fmt::format("rank {} on n{}", rank, mpi_.places[rank].value());
    }
    std::uint64_t steps() const override { return watch_.steps(); }
    bool all_wait() const override {
        const std::vector<RankEnd>& ranks = job_->ranks();
        for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
            if (!ranks[rank].ended && ranks[rank].loaded && !waits(mpi_.places[rank], ranks[rank])) return false;
        }
        return true;
    }

    bool is_dead(NodeId node) const { return box_.machine().node(node).processor.stopped(); }

    // For another process. One that sends to a full way tries again after some time, and waits all the same.
    bool waits(NodeId node, const RankEnd& its) const {
        if (is_dead(node)) return true;
        const trollius_os::Process* process = box_.kernel(node).find(its.pid);
        if (process == nullptr || process->state() != trollius_os::ProcessState::Ready) return true;
        for (const node_programs::Report::Running& one : report_.running) {
            if (one.node != node || one.pid != its.pid) continue;
            const auto* full = static_cast<const int*>(one.process->program().variable("lam_way_is_full"));
            if (full != nullptr && *full != 0) return true;
        }
        return false;
    }

    void note_end(End how) override {
        ended_.ended = watch_.last();
        if (job_) {
            ended_.ranks = job_->ranks();
            ended_.aborted = job_->aborted();
        }
        ended_.end = ended_.aborted ? End::Aborted : crashed_ ? End::Crashed : over() ? End::Ended : how;
        if (ended_.end == End::Standstill) note_waits();
        if (logs_) ended_.logs = logs_->finish();
        logs_.reset();
        report_.logs = nullptr;
        ended_.status = mpi_runs::status_of(ended_, crashed_);
        result_.finished = ended_.end == End::Ended;
        result_.execution_us = static_cast<std::uint64_t>((watch_.last() - watch_.first()).in_us());
    }
    void note_waits() {
        ended_.waits.clear();
        ended_.is_seen_from_outside = true;
        for (std::size_t rank = 0; rank < ended_.ranks.size(); ++rank) {
            if (ended_.ranks[rank].ended) continue;
            ended_.waits.push_back(mpi_runs::wait_of(rank, mpi_.places[rank], ended_.ranks[rank], report_));
            ended_.waits.back().dead = is_dead(mpi_.places[rank]);
        }
        ended_.cycle = mpi_runs::cycle_of(ended_.waits);
    }
    std::string state_of(std::size_t rank, const RankEnd& its) const {
        const NodeId node = mpi_.places[rank];
        if (its.ended) return fmt::format("ended with {}", its.status);
        if (!its.loaded) return "not loaded yet";
        if (is_dead(node)) return "its node has stopped";
        const mpi_runs::Wait wait = mpi_runs::wait_of(rank, node, its, report_);
        if (!wait.function.empty()) return mpi_runs::wait_text(wait).substr(fmt::format("rank {} ", rank).size());
        return waits(node, its) ? "waits outside of MPI" : "computes, or waits for a time";
    }
    const mpi_runs::Result& ended() const override { return ended_; }
    void let_go() override { job_.reset(); }
    const user_programs::Diagnoses& diagnoses() const override { return report_.diagnoses; }

    trollius_hosted::Multicomputer& box_;
    const scenario::MpiSettings mpi_;
    const lam_mpi::Prices prices_;
    node_programs::Report report_;
    std::optional<node_programs::ProcessLogs> logs_;
    node_programs::Programs programs_;
    const std::string module_;
    trollius_os::Program program_;
    RankWatch watch_;
    std::optional<lam_mpi::Job> job_;
    std::optional<user_programs::Problem> crashed_;
    std::vector<trek_kernel::TreePlace> places_;
    trek_kernel::FarmResult result_;
    mpi_runs::Result ended_;
};

}  // namespace

std::unique_ptr<ParallelProgram> make_mpi(trollius_hosted::Multicomputer& box, const scenario::Scenario& scenario,
                                          std::vector<trek_kernel::Witness*> witnesses, const FlowbackPlace& flowback,
                                          flowback_unload::LogInbox& inbox) {
    return std::make_unique<MpiProgram>(box, scenario, std::move(witnesses), flowback, inbox);
}

}  // namespace session
