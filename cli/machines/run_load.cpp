#include "machines/run_load.hpp"

#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <text/json_depth.hpp>
#include <text/output_file.hpp>
#include <topologies/end_names.hpp>
#include <topologies/network.hpp>
#include <vocabulary/source_position.hpp>

namespace cli {
namespace {

using nlohmann::json;
using topologies::NetworkLoad;
using vocabulary::InputError;

constexpr const char* expected = "name the folder of 'magicwire run --out', or a file with what 'magicwire run --json' printed";

json read_run(const std::string& path) {
    std::error_code none;
    const bool is_folder = std::filesystem::is_directory(path, none);
    const std::string file = is_folder ? (std::filesystem::path(path) / "summary.json").string() : path;
    if (!std::filesystem::is_regular_file(file, none))
        throw InputError({path, 0, 0},
                         fmt::format("{}; {}", is_folder ? "has no summary.json" : "there is no such file", expected));
    const std::string text = text::read_text_file(file, "a run");
    json run = text::nests_too_deep(text) ? json() : json::parse(text, nullptr, false);
    if (!run.is_object() || !run.contains("schema") || run["schema"] != "magicwire.run/1")
        throw InputError({file, 0, 0}, fmt::format("holds no run (magicwire.run/1); {}", expected));
    return run;
}

// Nodes by their farm's processor time, links by the farm's messages.
void put_farm(const json& farm, NetworkLoad& load, std::map<std::pair<std::string, std::string>, double>& between) {
    for (const json& node : farm.at("nodes")) {
        const auto index = node.at("node").get<std::size_t>();
        if (load.of_node.size() <= index) load.of_node.resize(index + 1);
        load.of_node[index] = node.at("computing_share").get<double>() + node.at("high_share").get<double>();
    }
    for (const json& link : farm.at("links")) {
        const std::string parent = fmt::format("n{}", link.at("parent").get<std::size_t>()),
                          child = fmt::format("n{}", link.at("child").get<std::size_t>());
        between[{parent, child}] = link.at("busy_down_share").get<double>();
        between[{child, parent}] = link.at("busy_up_share").get<double>();
    }
}

std::string node_of(const std::string& end) {
    return end.substr(0, end.find('.'));
}

NetworkLoad farm_load(const json& run) {
    NetworkLoad load;
    std::map<std::pair<std::string, std::string>, double> between;
    put_farm(run.at("farm"), load, between);
    // Where two nodes have several links, the farm's messages are on the one that carried its bytes.
    for (const json& link : run.at("links")) {
        const std::string from = link.at("from"), to = link.at("to");
        const auto found = between.find({node_of(from), node_of(to)});
        if (found != between.end() && link.at("application_bytes").get<double>() > 0) load.of_link[{from, to}] = found->second;
    }
    load.words = fmt::format("shares of the farm's {:.3f} ms: processors in use, links with the farm's messages",
                             run.at("farm").at("window_us").get<double>() * 1e-3);
    return load;
}

NetworkLoad whole_load(const json& run) {
    NetworkLoad load;
    if (run.contains("nodes"))
        for (const json& node : run["nodes"]) {
            const auto index = node.at("node").get<std::size_t>();
            if (load.of_node.size() <= index) load.of_node.resize(index + 1);
            load.of_node[index] = node.at("busy_share").get<double>();
        }
    for (const json& link : run.at("links"))
        load.of_link[{link.at("from"), link.at("to")}] = link.at("busy_share").get<double>();
    load.words = fmt::format("shares of the whole run, {:.3f} ms with boot: processors and links in use",
                             run.at("modelled_us").get<double>() * 1e-3);
    return load;
}

// The same name, and every link of the run is there.
void refuse_another_machine(const std::string& path, const json& run, const topologies::MachineDescription& machine) {
    constexpr const char* remedy = "name the machine file or shape of the run";
    const std::string its = run.at("machine");
    if (its != machine.name)
        throw InputError({path, 0, 0}, fmt::format("the run was on '{}', and this is '{}'; {}", its, machine.name, remedy));
    for (const json& nodes : {run.value("nodes", json::array()), run.value("/farm/nodes"_json_pointer, json::array())})
        for (const json& node : nodes)  // the host is numbered after the last one
            if (const auto number = node.at("node").get<std::size_t>(); number > machine.nodes.size())
                throw InputError({path, 0, 0}, fmt::format("the run has a node n{}, and '{}' has {} nodes; {}", number,
                                                           machine.name, machine.nodes.size(), remedy));
    std::set<std::pair<std::string, std::string>> there;
    const topologies::Network network(machine);
    for (const topologies::Path& one : network.paths()) {
        const std::string a = topologies::end_name(machine, one.a), b = topologies::end_name(machine, one.b);
        there.emplace(a, b);
        there.emplace(b, a);
    }
    for (const json& link : run.at("links")) {
        const std::string from = link.at("from"), to = link.at("to");
        if (there.count({from, to}) > 0 || to == "-") continue;  // "-": a wire that leads nowhere
        throw InputError({path, 0, 0},
                         fmt::format("{} of the run led to {}, and '{}' has no such link; {}", from, to, machine.name, remedy));
    }
}

}  // namespace

NetworkLoad read_load(const std::string& path, const topologies::MachineDescription& machine) {
    const json run = read_run(path);
    try {
        refuse_another_machine(path, run, machine);
        const bool has_farm =
            run.contains("farm") && !run["farm"]["links"].empty() && run["farm"]["window_us"].get<double>() > 0;
        double busy = 0;  // without links of its tree's own, a farm has no times of links
        if (has_farm)
            for (const json& link : run["farm"]["links"])
                busy += link.at("busy_down_share").get<double>() + link.at("busy_up_share").get<double>();
        return busy > 0 ? farm_load(run) : whole_load(run);
    } catch (const json::exception& error) {
        throw InputError({path, 0, 0}, fmt::format("is no whole run: {}; {}", error.what(), expected));
    }
}

}  // namespace cli
