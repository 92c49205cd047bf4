// The output of `magicwire predict`.
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <prediction/predict.hpp>
#include <prediction/resolve_tree.hpp>

namespace prediction {
namespace {

using farm_model::Prediction;
using Json = nlohmann::ordered_json;

std::string ms(double seconds) {
    return fmt::format("{:.3f} ms", seconds * 1e3);
}
std::string us(double seconds) {
    return fmt::format("{:.1f} us", seconds * 1e6);
}

// "  rate   1234.5 tasks/s", and beside it the run's and the error.
void row(std::string& text, const char* name, const std::string& predicted, const std::string& run, double error, bool ran) {
    const auto out = std::back_inserter(text);
    fmt::format_to(out, "  {:<12} {:>20}", name, predicted);
    if (!run.empty()) fmt::format_to(out, "  {:>20}", run);
    if (ran) fmt::format_to(out, "  {:>+8.2f} %", error * 100);
    text += '\n';
}

double error_of(double predicted, double run) {
    return run > 0 ? predicted / run - 1 : 0;
}

void figures(std::string& text, const Prediction& prediction, const oracle::Measured* run) {
    const auto rate = [](double value) { return fmt::format("{:.1f} tasks/s", value); };
    const auto line = [&](const char* name, double predicted, const std::optional<double>& seen, const auto& shown) {
        const bool ran = run != nullptr && seen.has_value();
        const bool compared = ran && *seen > 0;  // there is no ratio to nothing
        row(text, name, shown(predicted), ran ? shown(*seen) : "", compared ? error_of(predicted, *seen) : 0, compared);
    };
    if (run != nullptr)
        fmt::format_to(std::back_inserter(text), "  {:<12} {:>20}  {:>20}  {:>10}\n", "", "predicted", "run", "error");
    const oracle::Measured none;
    const oracle::Measured& seen = run != nullptr ? *run : none;
    line("rate", prediction.tasks_per_second, seen.tasks_per_second, rate);
    line("start-up", prediction.start_up_s, seen.start_up_s, ms);
    line("total", prediction.total_s, seen.total_s, ms);
}

std::string pilot_text(const scenario::Scenario& scenario, const Prediction& prediction) {
    const farm_model::Pilot& pilot = *prediction.pilot;
    const std::string all = pilot.tasks >= scenario.farm.tasks ? "all" : "the first";
    std::string text = fmt::format("  from         a pilot run of {} {} tasks; ", all, pilot.tasks);
    if (pilot.formula_tasks_per_second > 0)
        return text + fmt::format("the formulas say {:.1f} tasks/s\n", pilot.formula_tasks_per_second);
    return text + "the formulas have no figures for this farm\n";
}

void nodes_table(std::string& text, const Prediction& prediction, const oracle::Measured* run) {
    constexpr std::size_t most_rows = 32;
    const auto out = std::back_inserter(text);
    fmt::format_to(out, "\n  {:<5} {:>10}{} {:>7}\n", "node", "tasks", run != nullptr ? fmt::format(" {:>10}", "run") : "",
                   "busy");
    std::size_t rows = 0;
    for (std::size_t i = 0; i < prediction.tasks_of_node.size(); ++i) {
        if (prediction.busy_of_node[i] == 0 && prediction.tasks_of_node[i] == 0) continue;
        if (++rows > most_rows) continue;
        fmt::format_to(out, "  n{:<4} {:>10.1f}", i, prediction.tasks_of_node[i]);
        if (run != nullptr) fmt::format_to(out, " {:>10}", i < run->tasks_of_node.size() ? run->tasks_of_node[i] : 0);
        fmt::format_to(out, " {:>5.1f} %\n", prediction.busy_of_node[i] * 100);
    }
    if (rows > most_rows) fmt::format_to(out, "  and {} more; --json has them all\n", rows - most_rows);
}

void costs_line(std::string& text, const farm_model::Costs& costs, std::uint32_t granularity, bool divides) {
    const auto out = std::back_inserter(text);
    fmt::format_to(out, "\n  measured{}: Te {}, be {}, bf {}, manager {}, link {} down and {} up\n",
                   granularity > 1 ? fmt::format(" of a bundle of {}", granularity) : std::string(), us(costs.compute(0)),
                   us(costs.execute_s), us(costs.forward_s), us(costs.manager_s), us(costs.task_link_s),
                   us(costs.result_link_s));
    if (divides) fmt::format_to(out, "  a split with its join {}\n", us(costs.split_s));
    if (costs.monitored())
        fmt::format_to(out, "  monitored: a record of a node below {}, on a link {}\n", us(costs.relay_s),
                       us(costs.record_link_s));
}

}  // namespace

std::string prediction_text(const scenario::Scenario& scenario, const Prediction& prediction, const oracle::Measured* run,
                            const std::vector<OnTopology>& topologies) {
    std::string text;
    const auto out = std::back_inserter(text);
    const auto members = scenario.farm.members().size();
    fmt::format_to(out, "Prediction for {}: {} tasks on {} nodes of {}{}\n", scenario.name, scenario.farm.tasks, members,
                   scenario.machine.name, scenario.monitor ? ", monitored" : "");
    figures(text, prediction, run);
    if (prediction.pilot) text += pilot_text(scenario, prediction);
    fmt::format_to(out, "  speed-up     {:.2f} of {} workers\n", prediction.speed_up, members - 1);
    fmt::format_to(out, "  critical     n{}: {}\n", prediction.critical_node.value(), prediction.critical_reason);
    if (prediction.best_total_s > 0)
        fmt::format_to(out, "  granularity  {} is best, with a total of {}; {} is set\n", prediction.best_granularity,
                       ms(prediction.best_total_s), scenario.farm.granularity);
    if (!scenario.tree_choice.empty()) text += tree_text(scenario);
    for (const std::string& caveat : prediction.caveats) fmt::format_to(out, "  caution      {}\n", caveat);
    if (!topologies.empty())
        fmt::format_to(out, "\n  {:<10} {:>14} {:>14} {:>14}\n", "topology", "tasks/s", "start-up", "total");
    for (const OnTopology& on : topologies) {
        fmt::format_to(out, "  {:<10} {:>14.1f} {:>14} {:>14}{}\n", on.name, on.prediction.tasks_per_second,
                       ms(on.prediction.start_up_s), ms(on.prediction.total_s),
                       on.wired ? "" : "  (not wired on this machine)");
        for (const std::string& caveat : on.prediction.caveats) fmt::format_to(out, "    caution    {}\n", caveat);
    }
    nodes_table(text, prediction, run);
    if (prediction.costs.pass_s > 0) costs_line(text, prediction.costs, scenario.farm.granularity, scenario.farm.divides());
    return text;
}

namespace {

Json pilot_json(const Prediction& prediction) {
    if (!prediction.pilot) return nullptr;
    const farm_model::Pilot& pilot = *prediction.pilot;
    const bool has_figures = pilot.formula_tasks_per_second > 0;
    return {{"tasks", pilot.tasks},
            {"formula_tasks_per_second", has_figures ? Json(pilot.formula_tasks_per_second) : Json(nullptr)},
            {"formulas_refuse", has_figures ? Json(nullptr) : Json(pilot.formulas_refuse)}};
}

}  // namespace

std::string prediction_json(const scenario::Scenario& scenario, const Prediction& prediction, const oracle::Measured* run,
                            const std::vector<OnTopology>& topologies) {
    const farm_model::Costs& costs = prediction.costs;
    const bool has_best = prediction.best_total_s > 0;
    Json json = {{"schema", "magicwire.predict/1"},
                 {"scenario", scenario.name},
                 {"machine", scenario.machine.name},
                 {"tasks", scenario.farm.tasks},
                 {"tasks_per_second", prediction.tasks_per_second},
                 {"start_up_s", prediction.start_up_s},
                 {"total_s", prediction.total_s},
                 {"speed_up", prediction.speed_up},
                 {"critical_node", prediction.critical_node.value()},
                 {"critical_reason", prediction.critical_reason},
                 {"best_granularity", has_best ? Json(prediction.best_granularity) : Json()},
                 {"best_total_s", has_best ? Json(prediction.best_total_s) : Json()},
                 {"tasks_of_node", prediction.tasks_of_node},
                 {"busy_of_node", prediction.busy_of_node},
                 {"caveats", prediction.caveats},
                 {"pilot", pilot_json(prediction)},
                 {"costs",
                  {{"compute_s", costs.compute_s},
                   {"execute_s", costs.execute_s},
                   {"forward_s", costs.forward_s},
                   {"split_s", costs.split_s},
                   {"manager_s", costs.manager_s},
                   {"manager_pass_s", costs.manager_pass_s},
                   {"task_link_s", costs.task_link_s},
                   {"result_link_s", costs.result_link_s},
                   {"pass_s", costs.pass_s},
                   {"fill_s", costs.fill_s},
                   {"hop_down_s", costs.hop_down_s},
                   {"hop_up_s", costs.hop_up_s},
                   {"relay_s", costs.relay_s},
                   {"manager_relay_s", costs.manager_relay_s},
                   {"record_link_s", costs.record_link_s}}}};
    if (!scenario.tree_choice.empty()) json["tree_choice"] = scenario.tree_choice;
    for (const OnTopology& on : topologies) {
        json["topologies"].push_back({{"name", on.name},
                                      {"tasks_per_second", on.prediction.tasks_per_second},
                                      {"start_up_s", on.prediction.start_up_s},
                                      {"total_s", on.prediction.total_s},
                                      {"caveats", on.prediction.caveats},
                                      {"wired", on.wired}});
    }
    if (run != nullptr) {
        const auto value = [](const std::optional<double>& seen) { return seen ? Json(*seen) : Json(nullptr); };
        json["run"] = {{"tasks_per_second", value(run->tasks_per_second)},
                       {"start_up_s", value(run->start_up_s)},
                       {"total_s", value(run->total_s)},
                       {"tasks_of_node", run->tasks_of_node}};
    }
    return json.dump(2);
}

}  // namespace prediction
