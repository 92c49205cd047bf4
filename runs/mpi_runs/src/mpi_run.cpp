#include <mpi_runs/mpi_run.hpp>

#include <filesystem>
#include <optional>

#include <node_programs/programs.hpp>
#include <topologies/machine_checks.hpp>
#include <topologies/machine_parser.hpp>
#include <topologies/shapes.hpp>
#include <trollius_hosted/multicomputer.hpp>
#include <user_programs/program_costs.hpp>
#include <vocabulary/errors.hpp>

namespace mpi_runs {
namespace {

using vocabulary::NodeId;
using vocabulary::SimTime;

class Run {
public:
    explicit Run(const Plan& plan)
        : plan_(plan),
          programs_(report_),
          box_(plan.machine, plan.costs, plan.seed, [&plan](NodeId, const std::string& text) { plan.print(text); }) {
        report_.tell = [this](const user_programs::Diagnosis& diagnosis) {
            if (plan_.tell) plan_.tell(diagnosis);
            if (diagnosis.outcome.empty() || crashed_) return;
            crashed_ = diagnosis.problem;
        };
        box_.host_services().files = plan.files;
        box_.host_services().read = plan.read;
        auto costs = user_programs::program_costs(plan.costs, user_programs::CostSource::Estimated);
        box_.programs()[plan.program] = programs_.load(plan.program, {.costs = std::move(costs), .copies = plan.places.size()});
    }

    Result run() {
        Result result;
        box_.boot();
        advance([this] { return box_.booted() || !box_.failure().empty(); });
        if (!box_.failure().empty()) throw vocabulary::RequestError(box_.failure());
        lam_mpi::Job job(
            box_.host(),
            {.program = plan_.program, .arguments = plan_.arguments, .places = plan_.places, .prices = prices_of(plan_.costs)});
        advance([&] { return job.started() || job.over(); });
        result.began = box_.now();
        advance([&] { return job.over() || crashed_; });
        result.ended = box_.now();
        result.ranks = job.ranks();
        result.aborted = job.aborted();
        if (!job.failure().empty()) throw vocabulary::RequestError(job.failure());
        result.end = end_of(job);
        if (result.end == End::Standstill) {
            for (std::size_t rank = 0; rank < result.ranks.size(); ++rank) {
                if (!result.ranks[rank].ended)
                    result.waits.push_back(wait_of(rank, plan_.places[rank], result.ranks[rank], report_));
            }
            result.cycle = cycle_of(result.waits);
        }
        result.status = status_of(result, crashed_);
        return result;
    }

private:
    // In steps, so that an interrupt is noticed.
    void advance(const std::function<bool()>& done) {
        const auto over = [&] { return done() || stopped_ || box_.now() >= plan_.limit; };
        box_.run(plan_.limit, SimTime::ms(1), [&] {
            stopped_ = stopped_ || (plan_.goes_on && !plan_.goes_on());
            return over();
        });
    }

    End end_of(const lam_mpi::Job& job) {
        if (job.aborted()) return End::Aborted;
        if (crashed_) return End::Crashed;
        if (job.over()) return End::Ended;
        if (stopped_) return End::Stopped;
        return box_.machine().timeline().next_time() == SimTime::never() ? End::Standstill : End::Limit;
    }

    const Plan& plan_;
    node_programs::Report report_;
    node_programs::Programs programs_;
    trollius_hosted::Multicomputer box_;
    std::optional<user_programs::Problem> crashed_;
    bool stopped_ = false;
};

}  // namespace

Result run(const Plan& plan) {
    return Run(plan).run();
}

topologies::MachineDescription machine_of(const std::string& text) {
    if (std::filesystem::is_regular_file(text)) return topologies::read_machine(text);
    topologies::NetworkOptions options;
    options.gateway = true;
    topologies::MachineDescription machine = topologies::make_shape(text, options);
    // MPI programs were not written for a transputer's memory.
    for (topologies::NodeDescription& node : machine.nodes) node.ram_bytes = topologies::most_ram_bytes;
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
