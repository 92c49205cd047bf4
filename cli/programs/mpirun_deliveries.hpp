// Options of mpirun about deliveries: races, records and replays.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <mpi_runs/mpi_run.hpp>
#include <tmon_replay/delivery_order.hpp>
#include <tmon_replay/mwo_file.hpp>
#include <topologies/cost_table.hpp>

namespace cli {

struct DeliveryOptions {
    std::string record, replay, rule = "exact", stamps = "full";
    bool races = false, force = false, other_build = false;

    void add_to(CLI::App& command);
};

class Deliveries {
public:
    // Throws CLI::ValidationError for options that exclude each other, and vocabulary::InputError: a file that cannot be
    // written, or that is of another program.
    Deliveries(const DeliveryOptions& options, tmon_replay::RunIdentity run);

    void plan(mpi_runs::Plan& plan);  // this outlives the run
    void finish(const mpi_runs::Result& result);
    // The run does not do what the file of --replay says; empty: it does.
    std::string divergence(const mpi_runs::Result& result) const;
    void add_races(nlohmann::ordered_json& object) const;  // with --races

private:
    void tell_races() const;

    const DeliveryOptions& options_;
    tmon_replay::RunIdentity run_;
    tmon_replay::DeliveryOrder replayed_{};
    std::vector<tmon_replay::RankOrder> ranks_{};
    std::unique_ptr<tmon_replay::MwoWriter> writer_{};
};

topologies::CostTable costs_of(const std::vector<std::string>& settings);  // COST=VALUE

}  // namespace cli
