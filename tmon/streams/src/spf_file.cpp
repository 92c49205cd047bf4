// Reader and writer of .spf: the five numbers of the thesis; for a given tree also a line with the parents. What differs from
// the thesis is on a line of pairs.
#include <fmt/format.h>
#include <farm_spec/farm_tree.hpp>

#include <text/output_file.hpp>
#include <tmon_streams/thesis_files.hpp>
#include "text_scanner.hpp"

namespace tmon_streams {

namespace {

const std::vector<std::string> keys = {"granularity", "policy", "survives", "model"};
const std::vector<std::string> yes_no = {"no", "yes"};

std::vector<std::string> policies() {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < farm_spec::policies; ++i)
        names.emplace_back(farm_spec::policy_name(static_cast<farm_spec::Policy>(i)));
    return names;
}

void check_tree(const TextScanner& in, const farm_spec::FarmSpec& spec) {
    const farm_spec::FarmTree tree(spec);
    std::vector<bool> reached(spec.nodes);
    for (const std::uint16_t node : tree.from_the_top()) {
        reached[node] = true;
        if (tree.children(node).size() <= farm_spec::most_branches) continue;
        in.fail("node " + std::to_string(node) + " has more than " + std::to_string(farm_spec::most_branches) +
                " children; a node has that many links");
    }
    for (std::uint32_t node = 1; node < spec.nodes; ++node) {
        if (reached[node] || !spec.parents[node]) continue;
        in.fail("node " + std::to_string(node) + " does not lead up to node 0; give every node on its way a parent");
    }
    if (tree.children(0).empty()) in.fail("no node is below node 0; a farm has a manager and a worker");
}

void read_parents(TextScanner& in, farm_spec::FarmSpec& spec) {
    const std::string layout =
        "the parents of nodes 1 to " + std::to_string(spec.nodes - 1) + ", or - for one outside the farm";
    if (!in.next_line()) in.fail("Topology 4 needs a second line: " + layout);
    spec.parents.resize(spec.nodes);
    for (std::uint32_t node = 1; node < spec.nodes; ++node) {
        if (in.at_end_of_line())
            in.fail("the parent of node " + std::to_string(node) + " is missing; the line gives " + layout);
        if (in.takes("-")) continue;
        const auto parent = static_cast<std::uint32_t>(in.number("Parent", spec.nodes - 1));
        if (parent == node) in.fail("node " + std::to_string(node) + " cannot be its own parent");
        spec.parents[node] = vocabulary::NodeId(static_cast<std::uint16_t>(parent));
    }
    if (!in.at_end_of_line()) in.fail("'" + std::string(in.word("")) + "' is one parent too many; the line gives " + layout);
    check_tree(in, spec);
}

void read_pairs(TextScanner& in, farm_spec::FarmSpec& spec) {
    std::vector<bool> seen(keys.size());
    while (!in.at_end_of_line()) {
        const std::size_t key = in.one_of("key", keys);
        if (seen[key]) in.fail(keys[key] + " is given twice; remove one");
        seen[key] = true;
        if (in.at_end_of_line()) in.fail(keys[key] + " has no value; a key is followed by its value, as in 'granularity 4'");
        if (key == 0) {
            spec.granularity = static_cast<std::uint32_t>(in.number("granularity", farm_spec::most_granularity));
            if (spec.granularity == 0) in.fail("granularity 0 moves no task; use 1 for tasks that travel alone");
        } else if (key == 1) {
            spec.policy = static_cast<farm_spec::Policy>(in.one_of("policy", policies()));
        } else if (key == 2) {
            spec.survives = in.one_of("survives", yes_no) == 1;
        } else {
            spec.model = in.word("model");
        }
    }
}

}  // namespace

farm_spec::FarmSpec read_spf(const std::string& path) {
    std::string text = text::read_text_file(path, "a .spf file");
    if (!text.empty() && text.back() != '\n') text += '\n';  // a cut file of five integers shows in their number
    TextScanner in(path, text, "NumProc Topology NumTasks TaskDegree TaskDepth");
    if (!in.next_line()) in.fail("the file is empty; it holds five integers: NumProc Topology NumTasks TaskDegree TaskDepth");
    farm_spec::FarmSpec spec;
    spec.nodes = static_cast<std::uint32_t>(in.number("NumProc", farm_spec::most_processors));
    if (spec.nodes < 2) in.fail("NumProc " + std::to_string(spec.nodes) + " is too small; a farm has a manager and a worker");
    const std::uint64_t topology = in.number("Topology", 4);
    if (topology == 0)
        in.fail("Topology 0 does not exist; use 1 for a chain, 2 for a binary tree, 3 for a ternary tree, 4 for a given tree");
    spec.tree = static_cast<farm_spec::TreeKind>(topology);
    spec.tasks = static_cast<std::uint32_t>(in.number("NumTasks", farm_spec::most_tasks));
    spec.degree = static_cast<std::uint32_t>(in.number("TaskDegree", farm_spec::most_degree));
    if (spec.degree == 0) in.fail("TaskDegree 0 makes no sub-task; use 1 for a processor farm");
    spec.depth = static_cast<std::uint32_t>(in.number("TaskDepth", spec.degree == 1 ? most_number : farm_spec::most_depth));
    in.end_of_line();
    if (spec.tree == farm_spec::TreeKind::Given) read_parents(in, spec);
    if (in.next_line()) read_pairs(in, spec);
    if (in.next_line()) in.fail("'" + std::string(in.word("")) + "' follows the last line; nothing may follow it");
    return spec;
}

void write_spf(const std::string& path, const farm_spec::FarmSpec& spec, text::Replace replace) {
    std::string text =
        fmt::format("{} {} {} {} {}\n", spec.nodes, static_cast<int>(spec.tree), spec.tasks, spec.degree, spec.depth);
    for (std::size_t node = 1; node < spec.parents.size(); ++node) {
        text += node > 1 ? " " : "";
        text += spec.parents[node] ? std::to_string(spec.parents[node]->value()) : "-";
    }
    if (!spec.parents.empty()) text += "\n";
    std::string pairs;
    if (spec.granularity != 1) pairs += fmt::format(" granularity {}", spec.granularity);
    if (spec.policy != farm_spec::Policy::FloodFilling) pairs += fmt::format(" policy {}", farm_spec::policy_name(spec.policy));
    if (spec.survives) pairs += " survives yes";
    if (!spec.model.empty()) pairs += " model " + spec.model;
    if (!pairs.empty()) text += pairs.substr(1) + "\n";
    text::write_text_file(path, text, replace);
}

}  // namespace tmon_streams
