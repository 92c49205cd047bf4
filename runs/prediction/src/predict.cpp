#include <prediction/predict.hpp>

#include <algorithm>
#include <cmath>

#include <farm_model/best_tree.hpp>
#include <farm_model/predict.hpp>
#include <scenario/virtual_branches.hpp>
#include <topologies/network.hpp>
#include <vocabulary/nearest_name.hpp>
#include <vocabulary/source_position.hpp>

#include <prediction/formula_prediction.hpp>
#include "mean_task.hpp"
#include "measured_costs.hpp"
#include "pilot.hpp"

namespace prediction {
namespace {

using farm_spec::FarmSpec;
using farm_spec::TreeKind;
using vocabulary::NodeId;

bool wired(const FarmSpec& config, const topologies::MachineDescription& machine) {
    if (config.nodes > machine.nodes.size()) return false;
    const topologies::Network network(machine);
    for (const NodeId node : config.members()) {
        const auto up = config.parent(node);
        bool found = !up;
        for (std::uint8_t link = 0; link < topologies::links_per_node && !found; ++link) {
            const auto& other = network.neighbour(node, vocabulary::LinkNo(link));
            found = other && other->node == *up;
        }
        if (!found) return false;
    }
    return true;
}

// An infinite rate or no number at all is no prediction, whatever costs lead to it.
const farm_model::Prediction& checked(const farm_model::Prediction& prediction) {
    bool finite = prediction.tasks_per_second > 0;
    for (const double figure :
         {prediction.tasks_per_second, prediction.start_up_s, prediction.total_s, prediction.speed_up, prediction.best_total_s})
        finite = finite && std::isfinite(figure);
    for (const auto* figures : {&prediction.tasks_of_node, &prediction.busy_of_node})
        finite = finite && std::all_of(figures->begin(), figures->end(), [](double figure) { return std::isfinite(figure); });
    if (finite) return prediction;
    throw vocabulary::RequestError(
        "the formulas have no finite figures for this farm: its tasks take no measurable time; give the tasks a time, or use "
        "'magicwire run'");
}

}  // namespace

namespace {

using farm_model::Prediction;

// Effects that the formulas leave out, or are known to underestimate (docs/model/prediction.md).
void add_caveats(const scenario::Scenario& scenario, Prediction& prediction) {
    const auto say = [&](const char* sentence) { prediction.caveats.emplace_back(sentence); };
    using trace_record::ClassSet;
    using trace_record::EventClass;
    if (scenario.monitor && scenario.monitor->classes != ClassSet::of(EventClass::Task))
        say("the formulas include only the task events of the monitor");
    if (scenario.monitor && scenario.monitor->kind == instrumentation::MonitorKind::Tmon)
        say("the formulas leave out the global interrupts and their records");
    const auto& nodes = scenario.machine.nodes;
    if (std::any_of(nodes.begin(), nodes.end(), [&](const auto& node) { return node.clock_hz != nodes.front().clock_hz; }))
        say("the nodes have different clocks, and the formulas give all workers the mean clock");
    if (farm_link_speeds(scenario).size() > 1)
        say("the farm's links have different speeds, and the formulas give all of them the slowest");
}

Prediction by_formulas(const scenario::Scenario& scenario) {
    scenario::refuse_virtual_branches(scenario, "a prediction by formulas", "they count one link for each branch");
    Prediction prediction = farm_model::predict(scenario.farm, measured_costs(scenario));
    add_caveats(scenario, prediction);
    if (scenario.farm.divides() || scenario.farm.tasks == 0) return checked(prediction);
    // A second point, where the closed form guesses the best one.
    scenario::Scenario bundled = scenario;
    constexpr std::uint32_t most_measured = 64;  // larger bundles take longer to measure, and their costs are linear
    const std::uint32_t set = scenario.farm.granularity, guess = std::min(prediction.best_granularity, most_measured);
    bundled.farm.granularity = guess != set ? guess : set == 1 ? 2 : set / 2;
    const auto best = farm_model::best_granularity(scenario.farm, {set, prediction.costs},
                                                   {bundled.farm.granularity, measured_costs(bundled)});
    prediction.best_granularity = best.granularity;
    prediction.best_total_s = best.total_s;
    return checked(prediction);
}

constexpr double agreement = 0.03;
constexpr const char* of_a_sound_farm = "planted bugs and faults are left out of the prediction";

// The formulas name the limit better, as long as they come to the same rate and the node that they name is busy. They know the
// cost of the limit, and the run only knows its use.
bool formulas_hold(const Prediction& prediction, double rate) {
    if (prediction.tasks_per_second <= 0 || rate <= 0) return false;
    const bool idle_manager = prediction.critical_node.value() == 0 && prediction.busy_of_node[0] < 0.9;
    return std::abs(prediction.tasks_per_second / rate - 1) <= agreement && !idle_manager;
}

double mean_computation(const scenario::Scenario& scenario) {
    try {
        return mean_task(scenario).compute_s[0];
    } catch (const vocabulary::RequestError&) {
        return 0;
    }
}

// The pilot's figures where it has them, over those of the formulas.
void put_pilot(const scenario::Scenario& scenario, PilotReading reading, Prediction& prediction, const std::string& refused) {
    const bool by_it = reading.rate > 0 || !refused.empty();
    prediction.pilot = {reading.tasks, refused.empty() ? prediction.tasks_per_second : 0, refused};
    prediction.start_up_s = reading.start_up_s;
    prediction.total_s = reading.total_s;
    prediction.tasks_of_node = reading.tasks_of_node;
    if (!by_it) return;  // the rate and its caveats remain those of the formulas
    prediction.caveats = std::move(reading.doubts);
    double rate = reading.rate;
    if (rate == 0) {
        rate = reading.total_s > 0 ? scenario.farm.tasks / reading.total_s : 0;
        prediction.caveats.emplace_back("too few tasks for a steady rate; this is the rate over the whole time");
    }
    const double each = refused.empty() ? prediction.costs.compute(0) / scenario.farm.granularity : mean_computation(scenario);
    prediction.speed_up = rate * each * (reading.rate > 0 ? reading.computation : 1);  // rate and time of the same tasks
    if (!formulas_hold(prediction, rate)) {
        prediction.critical_node = NodeId(static_cast<NodeId::value_type>(reading.critical_node));
        prediction.critical_reason = reading.critical_reason;
        prediction.busy_of_node = reading.busy_of_node;
        prediction.best_total_s = 0;  // it rests on costs that do not count here
    }
    prediction.tasks_per_second = rate;
}

}  // namespace

Prediction formula_prediction(const scenario::Scenario& scenario) {
    scenario::Scenario whole = scenario;
    whole.farm.granularity = std::min(scenario.farm.granularity, std::max(1U, scenario.farm.tasks));
    Prediction prediction = by_formulas(whole);
    if (!scenario.bugs.empty() || scenario.faults) prediction.caveats.emplace_back(of_a_sound_farm);
    return prediction;
}

Prediction predict(const scenario::Scenario& scenario) {
    if (scenario.farm.granularity > std::max(1U, scenario.farm.tasks)) {  // no bundle is larger than all tasks
        scenario::Scenario whole = scenario;
        whole.farm.granularity = std::max(1U, scenario.farm.tasks);
        return predict(whole);
    }
    Prediction prediction;
    std::string refused;
    try {
        prediction = by_formulas(scenario);
    } catch (const vocabulary::RequestError& error) {
        refused = error.what();
        if (scenario.farm.tasks == 0) throw;
        prediction.busy_of_node.assign(scenario.farm.nodes, 0);
    }
    if (scenario.farm.tasks > 0) put_pilot(scenario, pilot(scenario), prediction, refused);
    if (!scenario.bugs.empty() || !scenario.tasks.bugs().empty() || scenario.faults)
        prediction.caveats.emplace_back(of_a_sound_farm);
    return checked(prediction);
}

namespace {

// The farm on that tree, on the scenario's machine where it has the links, else on one that has them.
scenario::Scenario on_tree(const scenario::Scenario& scenario, const FarmSpec& config, bool is_wired) {
    scenario::Scenario other = scenario;
    other.farm = config;
    other.best_tree = false;
    if (is_wired) return other;
    other.reconfigurations.clear();
    other.machine = on_small_farm(scenario, farm_spec::arity(config.tree), config.nodes - 1).machine;
    return other;
}

OnTopology predict_on(const scenario::Scenario& scenario, const std::string& name, const FarmSpec& config,
                      const farm_model::Costs& costs) {
    OnTopology on{name, {}, wired(config, scenario.machine)};
    std::string refused = "the cost of a task could not be measured";
    if (costs.pass_s > 0) {
        on.prediction = checked(farm_model::predict(config, costs));
        refused.clear();
    }
    on.prediction.busy_of_node.resize(config.nodes);
    if (scenario.farm.tasks == 0) return on;
    const bool has_machine = on.wired || config.tree != TreeKind::Given;
    if (!has_machine) {
        on.prediction.caveats.emplace_back("by the formulas alone: the machine is not wired for this tree");
        return on;
    }
    try {
        const scenario::Scenario other = on_tree(scenario, config, on.wired);
        put_pilot(other, pilot(other), on.prediction, refused);
    } catch (const vocabulary::RequestError& error) {
        if (!refused.empty()) throw;
        on.prediction.caveats.emplace_back(std::string("by the formulas alone: ") + error.what());
    }
    return on;
}

}  // namespace

std::vector<OnTopology> predict_topologies(const scenario::Scenario& scenario, const std::vector<std::string>& names,
                                           const farm_model::Costs& costs) {
    static const std::vector<std::pair<std::string, TreeKind>> kinds = {
        {"chain", TreeKind::Chain}, {"binary", TreeKind::Binary}, {"ternary", TreeKind::Ternary}, {"best", TreeKind::Given}};
    std::vector<OnTopology> all;
    const auto nodes = static_cast<std::uint32_t>(scenario.farm.members().size());
    for (const std::string& name : names) {
        const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const auto& one) { return one.first == name; });
        if (kind == kinds.end()) {
            std::vector<std::string> known;
            for (const auto& one : kinds) known.push_back(one.first);
            throw vocabulary::InputError({"--topologies " + name, 0, 0},
                                         "there is no topology '" + name + "'" + vocabulary::did_you_mean(name, known) +
                                             "; topologies are chain, binary, ternary and best");
        }
        FarmSpec config = scenario.farm;
        config.tree = kind->second;
        config.nodes = nodes;
        config.parents.clear();
        if (config.tree == TreeKind::Given) {
            if (costs.pass_s <= 0)
                throw vocabulary::RequestError("the formulas choose the best tree, and they have no figures for this farm");
            config.parents =
                farm_model::best_tree(topologies::Network(scenario.machine), config, costs, {.most_nodes = nodes}).parents;
            config.nodes = static_cast<std::uint32_t>(config.parents.size());
        }
        all.push_back(predict_on(scenario, name, config, costs));
    }
    return all;
}

}  // namespace prediction
