#include "parallel_programs.hpp"

#include <utility>

#include <halo_kernel/halo.hpp>
#include <scenario/virtual_branches.hpp>
#include <trek_hosted/farm_on_machine.hpp>

namespace session {
namespace {

using vocabulary::NodeId;

class FarmProgram final : public ParallelProgram {
public:
    explicit FarmProgram(trek_kernel::FarmSetup setup) : farm_(std::move(setup)) {}

    trollius_os::ProgramRegistry programs() override { return {{"master", farm_.master()}, {"slave", farm_.slave()}}; }
    const char* program_of(NodeId node) const override { return node.value() == 0 ? "master" : "slave"; }
    const trek_kernel::FarmResult& result() const override { return farm_.result(); }
    std::string failure() const override { return farm_.failure(); }
    std::size_t started_nodes() const override { return farm_.started_nodes(); }
    const std::vector<trek_kernel::TreePlace>& places() const override { return farm_.places(); }
    void place(std::vector<trek_kernel::TreePlace> places) override { farm_.place(std::move(places)); }
    std::vector<trek_kernel::Standing> standing() const override { return farm_.standing(); }
    trek_kernel::ResultQueue result_queue(NodeId node) const override { return farm_.result_queue(node); }
    trek_kernel::TaskAccount account() const override { return farm_.account(); }

private:
    trek_kernel::Farm farm_;
};

class HaloProgram final : public ParallelProgram {
public:
    HaloProgram(halo_kernel::HaloSetup setup, std::vector<trek_kernel::TreePlace> places)
        : halo_(std::move(setup)), places_(std::move(places)) {}

    trollius_os::ProgramRegistry programs() override { return {{"halo0", halo_.first()}, {"halo", halo_.others()}}; }
    const char* program_of(NodeId node) const override { return node.value() == 0 ? "halo0" : "halo"; }
    const trek_kernel::FarmResult& result() const override { return halo_.result(); }
    std::size_t started_nodes() const override { return halo_.started_nodes(); }
    const std::vector<trek_kernel::TreePlace>& places() const override { return places_; }
    void place(std::vector<trek_kernel::TreePlace> places) override { places_ = std::move(places); }

private:
    halo_kernel::Halo halo_;
    std::vector<trek_kernel::TreePlace> places_;
};

}  // namespace

std::unique_ptr<ParallelProgram> make_farm(trollius_hosted::Multicomputer& box, const scenario::Scenario& scenario,
                                           trek_kernel::Application& application, std::vector<trek_kernel::Witness*> witnesses,
                                           std::vector<trek_kernel::ProbePoint*> probes) {
    if (!scenario.reconfigurations.empty())
        scenario::refuse_virtual_branches(scenario, "a farm whose switches are set anew", "a packet may be on a way that ends");
    if (scenario.farm.survives)
        scenario::refuse_virtual_branches(scenario, "a farm that survives",
                                          "a live child may be silent behind a busy or dead node on its way");
    return std::make_unique<FarmProgram>(
        trek_hosted::farm_setup(box, scenario.farm, scenario.costs, application, std::move(witnesses), std::move(probes)));
}

std::unique_ptr<ParallelProgram> make_halo(trollius_hosted::Multicomputer& box, const scenario::Scenario& scenario,
                                           std::vector<trek_kernel::Witness*> witnesses,
                                           std::vector<trek_kernel::ProbePoint*> probes) {
    const topologies::CostTable& costs = scenario.costs;
    return std::make_unique<HaloProgram>(
        halo_kernel::HaloSetup{.config = scenario.farm,
                               .settings = *scenario.halo,
                               .seed = scenario.seed,
                               .program_bytes = static_cast<std::uint32_t>(costs.get("trek.program_size", "bytes")),
                               .process_stack = trek_hosted::trek_costs(costs).process_stack,
                               .witnesses = std::move(witnesses),
                               .probes = std::move(probes),
                               .host = box.host_id()},
        trek_hosted::farm_places(box, scenario.farm));
}

}  // namespace session
