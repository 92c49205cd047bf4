// topology make, check, solve, draw: networks as machine files, room for them on a machine with switches, and pictures.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <text/output_file.hpp>
#include <tmon_pictures/drawing_program.hpp>
#include <topologies/draw.hpp>
#include <topologies/draw_network.hpp>
#include <topologies/end_names.hpp>
#include <topologies/link_speeds.hpp>
#include <topologies/machine_checks.hpp>
#include <topologies/machine_parser.hpp>
#include <topologies/machine_writer.hpp>
#include <topologies/shapes.hpp>
#include <topologies/solution_report.hpp>
#include <topologies/solver.hpp>
#include <topologies/strict_yaml.hpp>
#include <topologies/ubc_machine.hpp>
#include <vocabulary/source_position.hpp>

#include "frame/command.hpp"
#include "machines/run_load.hpp"
#include "machines/solution_check.hpp"

namespace cli {
namespace {

using topologies::MachineDescription;
using vocabulary::InputError;

constexpr const char* ubc_shape = "ubc:75";
constexpr std::size_t most_drawn = 512;

// A result goes to standard output, or whole into a file that is not there yet.
struct Output {
    std::string file;
    bool force = false;

    void add_to(CLI::App& command, const char* what) {
        command.add_option("--out", file, what)->type_name("FILE")->check(file_name());
        command.add_flag("-f,--force", force, "replace that file");
    }
    bool to_file() const { return !file.empty(); }
    void check() const {  // before the work, not after it
        if (to_file()) text::check_output_file(file, force ? text::Replace::Yes : text::Replace::No);
    }
    void write(const std::string& text) const {
        if (to_file()) {
            text::write_text_file(file, text, force ? text::Replace::Yes : text::Replace::No);
        } else {
            put(text);
        }
    }
};

struct ShapeOptions {
    topologies::NetworkOptions network;
    std::string ram;

    void add_to(CLI::App& command) {
        command.add_flag("--gateway", network.gateway, "add a node for the host if the shape uses all links");
        command.add_option("--ram", ram, "memory of every node, such as 4MiB");
    }
    void set_ram(MachineDescription& machine) const {
        if (ram.empty()) return;
        const std::uint64_t bytes = topologies::YamlValue::parse(ram, "--ram " + ram).byte_size();
        topologies::check_ram(bytes, {"--ram " + ram, 0, 0});
        for (auto& node : machine.nodes) node.ram_bytes = bytes;
    }
    // A shape asks only for its network, and for memory when --ram does; the machine of the thesis is taken as it is.
    topologies::Asked asked(const std::string& shape) const {
        if (shape == ubc_shape) return {};
        return {.ram = !ram.empty(), .clock = false, .link_speed = false};
    }
    MachineDescription make(const std::string& shape) const {
        if (shape == ubc_shape && (network.gateway || network.through_switches))
            throw InputError({shape, 0, 0},
                             "the machine of the thesis has its host and its switches; leave out --gateway and "
                             "--through-switches");
        MachineDescription machine = shape == ubc_shape ? topologies::ubc_machine() : topologies::make_shape(shape, network);
        set_ram(machine);
        return machine;
    }
};

// "ring:32" is a shape; an existing file is taken as a file, whatever its name.
bool is_shape(const std::string& text) {
    std::error_code refused;  // a name that no file can have
    return text.find(':') != std::string::npos && text.find('/') == std::string::npos &&
           !std::filesystem::exists(text, refused);
}

std::string shape_list() {
    std::string text = "Shapes:\n";
    for (const auto& shape : topologies::shapes())
        text += fmt::format("  {:<12} {:<16} {}\n", shape.name + ":", shape.parameters, shape.what);
    return text +
           fmt::format("  {:<29} {}\n", ubc_shape, "the machine of the thesis: 75 nodes, 10 switches, nothing connected");
}

void add_make(CLI::App& topology, int& result) {
    struct Options {
        std::string shape;
        ShapeOptions options;
        Output output;
    };
    auto options = std::make_shared<Options>();
    CLI::App* command =
        topology.add_subcommand("make", "Print the machine file of a regular network, or of the machine of the thesis");
    command->add_option("SHAPE", options->shape, "NAME:NUMBERS, such as mesh:6x8")->required();
    options->options.add_to(*command);
    command->add_flag("--through-switches", options->options.network.through_switches,
                      "lead every wire between nodes through a C004");
    options->output.add_to(*command, "new machine file instead of standard output");
    command->footer(shape_list() +
                    "\nExamples:\n  magicwire topology make mesh:6x8 > mesh.yaml\n"
                    "  magicwire topology make hypercube:16 --gateway --ram 1MiB --out cube.yaml\n");
    command->callback([options, &result] {
        options->output.check();
        options->output.write(
            topologies::write_machine(options->options.make(options->shape), options->options.asked(options->shape)));
        result = exit_code::nothing_found;
    });
}

void add_check(CLI::App& topology, int& result) {
    struct Options {
        std::string file;
        bool json = false;
    };
    auto options = std::make_shared<Options>();
    CLI::App* command =
        topology.add_subcommand("check", "Check whether a machine can be built, and describe it; exit code 3 if it cannot");
    command->add_option("FILE", options->file, "machine file (YAML)")->required();
    command->add_flag("--json", options->json, "print JSON");
    command->footer("Example:\n  magicwire topology check topologies/machines/btree_8.yaml\n");
    command->callback([options, &result] {
        const MachineDescription machine = topologies::read_machine(options->file);
        put(options->json ? topologies::check_json(machine) : topologies::check_text(machine));
        result = exit_code::nothing_found;
    });
}

// Connections of the host: "any", or numbers such as "2" and "0,2".
void set_host_ports(topologies::SolverOptions& options, const std::string& text) {
    options.any_host_link = text == "any";
    if (options.any_host_link) return;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(',', begin), text.size());
        const std::string word = text.substr(begin, end - begin);
        const std::uint64_t number = word.size() == 1 ? whole_number("--host-port", word) : topologies::host_connections;
        if (number >= topologies::host_connections)
            throw CLI::ValidationError("--host-port", fmt::format("'{}' is no connection of the host; write 0 to {}, several "
                                                                  "with commas, or any",
                                                                  word, topologies::host_connections - 1));
        const topologies::LinkNo link(static_cast<topologies::LinkNo::value_type>(number));
        if (std::find(options.host_links.begin(), options.host_links.end(), link) != options.host_links.end())
            throw CLI::ValidationError("--host-port", fmt::format("'{}' is there twice; leave one out", word));
        options.host_links.push_back(link);
        begin = end + 1;
    }
}

struct SolveOptions {
    std::string wanted, onto, name;
    topologies::SolverOptions solver;
    ShapeOptions shape;
    Output output;
    bool json = false, verify = false;

    // Values that it does not ask for are set to the smallest that exist.
    MachineDescription read_wanted() {
        const bool is_made = is_shape(wanted);
        topologies::WantedMachine file;
        if (is_made) {
            file = {shape.make(wanted), {.ram = !shape.ram.empty(), .clock = false, .link_speed = false}};
        } else {
            file = topologies::read_wanted_machine(wanted);
            shape.set_ram(file.machine);
        }
        for (auto& node : file.machine.nodes) {
            if (!file.asked.clock) node.clock_hz = topologies::least_clock_hz;
            if (!file.asked.ram && shape.ram.empty()) node.ram_bytes = topologies::least_ram_bytes;
        }
        solver.link_bits_per_second = file.asked.link_speed ? topologies::wire_speeds(file.machine).back() : 0;
        return file.machine;
    }
    MachineDescription read_target() const { return onto.empty() ? topologies::ubc_machine() : topologies::read_machine(onto); }
};

#ifdef MAGICWIRE_SIMULATION
constexpr const char* verify_help =
    "program the modelled machine's switches and let its nodes find their neighbours; exit code 5 if the network differs";
void check_verify(bool) {}
SolutionCheck verified(const MachineDescription& solved, const MachineDescription& wanted) {
    return check_solution(solved, wanted);
}
#else
constexpr const char* verify_help = "not in this build, which has no modelled machine";
void check_verify(bool asked) {
    if (asked)
        throw CLI::ValidationError("--verify",
                                   "this magicwire was built without the modelled machine (MAGICWIRE_SIMULATION=OFF); "
                                   "use one that was built with it, or leave the option out");
}
SolutionCheck verified(const MachineDescription&, const MachineDescription&) {
    return {};  // check_verify() has refused
}
#endif

// The solution, and under it the result of the check on the modelled machine.
int put_solution(const SolveOptions& options, const topologies::SolutionReport& from, const topologies::Solution& solution) {
    std::string text = options.json ? topologies::solution_json(from, solution) : topologies::solution_text(from, solution);
    int result = exit_code::nothing_found;
    if (options.verify) {
        const SolutionCheck check = verified(solution.machine, from.wanted);
        if (options.json) {
            auto json = nlohmann::ordered_json::parse(text);
            json["verified"] = nlohmann::ordered_json::parse(check.json);
            text = json.dump(2);
        } else {
            text += "\n" + check.text;
        }
        if (!check.good) result = exit_code::self_check;
    }
    put(text);
    return result;
}

std::string what_next(const SolveOptions& options, const topologies::NotFound& nothing) {
    if (!nothing.impossible) return "try another --seed or more --steps";
    if (options.solver.keep_links) return "leave out --keep-links";
    if (options.solver.keep_places && !options.solver.any_host_link && options.solver.host_links.empty())
        return "try --host-port any, or leave out --keep-places";
    if (options.solver.keep_places) return "leave out --keep-places";
    if (!options.solver.any_host_link) return "ask for less, or try --host-port any";
    return "ask for less";
}

int solve(SolveOptions& options) {
    check_verify(options.verify);
    if (!options.name.empty() && !topologies::is_machine_name(options.name))
        throw InputError(
            {"--name", 0, 0},
            fmt::format("'{}' is no machine name; begin with a letter and use letters, digits, _, . and -", options.name));
    options.output.check();
    const MachineDescription wanted = options.read_wanted(), target = options.read_target();
    auto answer = topologies::solve(wanted, target, options.solver);
    const topologies::SolutionReport from{wanted, target, options.solver.seed, options.solver.link_bits_per_second};
    if (const auto* nothing = std::get_if<topologies::NotFound>(&answer)) {
        put(options.json
                ? topologies::not_found_json(from, *nothing)
                : fmt::format("{} on {}: {}; {}", wanted.name, target.name, nothing->text(), what_next(options, *nothing)));
        return nothing->impossible ? exit_code::bad_input : exit_code::unknown;
    }
    auto& solution = std::get<topologies::Solution>(answer);
    if (!options.name.empty()) solution.machine.name = options.name;
    if (options.output.to_file()) options.output.write(topologies::write_machine(solution.machine));
    return put_solution(options, from, solution);
}

void add_solve(CLI::App& topology, int& result) {
    auto options = std::make_shared<SolveOptions>();
    CLI::App* command = topology.add_subcommand(
        "solve",
        "Find places, links and switch settings for a network; exit code 3 if it does not fit, 4 if that is not known");
    command->add_option("WANTED", options->wanted, "machine file, or shape such as ring:32 ('magicwire topology make --help')")
        ->required();
    command->add_option("--onto", options->onto, "machine file of the target")
        ->default_str("the machine of the thesis, ubc:75");
    options->shape.add_to(*command);
    command->add_flag("--keep-places", options->solver.keep_places,
                      "node k stays node k of the target; only links and settings are sought");
    command->add_flag("--keep-links", options->solver.keep_links, "each edge keeps its links of WANTED, the host's links too");
    command->add_flag("--fewest-changes", options->solver.fewest_changes, "change as few switch connections as possible");
    command
        ->add_option_function<std::string>(
            "--host-port", [options](const std::string& text) { set_host_ports(options->solver, text); },
            "host connections to use: 0 to 3, several with commas between, or any")
        ->type_name("PORTS")
        ->default_str("those in use now, then the lowest wired ones");
    command
        ->add_option_function<std::string>(
            "--seed", [options](const std::string& text) { options->solver.seed = whole_number("--seed", text); },
            "seed of the search")
        ->type_name("NUMBER")
        ->default_str("1");
    command
        ->add_option_function<std::string>(
            "--steps", [options](const std::string& text) { options->solver.steps = whole_number("--steps", text); },
            "most steps of the search before it stops")
        ->type_name("NUMBER")
        ->default_str(fmt::format("{}", options->solver.steps));
    command->add_option("--name", options->name, "name of the machine in the file of --out")->default_str("WANTED_on_TARGET");
    command->add_flag("--verify", options->verify, verify_help);
    command->add_flag("--json", options->json, "print JSON");
    options->output.add_to(*command, "new machine file for the target, renumbered and with its switches set");
    command->footer(
        "Examples:\n  magicwire topology solve mesh:6x8 --verify\n  magicwire topology solve ring:32 --out ring.yaml\n"
        "  magicwire topology solve tree:3:12 --onto ring.yaml --keep-places --fewest-changes --json\n");
    command->callback([options, &result] { result = solve(*options); });
}

std::string svg_of(const std::string& dot_text) {
    return tmon_pictures::drawn_by({"dot", "graphviz", "take --format dot"}, {"-Tsvg", "-o", "{out}", "{in}"}, dot_text,
                                   "--format svg");
}

void add_draw(CLI::App& topology, int& result) {
    struct Options {
        std::string file, format = "dot", load;
        ShapeOptions shape;
        Output output;
        bool network = false;

        std::string dot(const MachineDescription& machine) const {
            if (!load.empty()) return topologies::network_dot(machine, read_load(load, machine));
            return network ? topologies::network_dot(machine) : topologies::machine_dot(machine);
        }
    };
    auto options = std::make_shared<Options>();
    CLI::App* command =
        topology.add_subcommand("draw", "Draw a machine with its switches, and which links and connections are in use");
    command->add_option("FILE", options->file, "machine file (YAML), or shape such as ring:32")->required();
    command->add_option("--format", options->format, "dot (text for graphviz) or svg (made by graphviz)")
        ->check(CLI::IsMember({"dot", "svg"}))
        ->capture_default_str();
    command->add_flag("--network", options->network,
                      "only the network, without switches; rings, grids, cubes, trees and chains keep their form");
    command->add_flag("--gateway", options->shape.network.gateway, "add a node for the host if the shape uses all links");
    command
        ->add_option("--load", options->load,
                     "folder or JSON of a run on this machine: as --network, nodes and links coloured by their load")
        ->type_name("RUN");
    options->output.add_to(*command, "new file instead of standard output");
    command->footer(
        "Examples:\n  magicwire topology draw topologies/machines/btree_8_c004.yaml --format svg --out btree.svg\n"
        "  magicwire topology draw mesh:6x8 | dot -Tpng -o mesh.png\n"
        "  magicwire run farm.yaml --set machine=ring:16 --json > run.json\n"
        "  magicwire topology draw ring:16 --load run.json --format svg --out load.svg\n");
    command->callback([options, &result] {
        options->output.check();
        // A run of a shape had a node for its host.
        if (!options->load.empty() && options->file != ubc_shape) options->shape.network.gateway = true;
        const MachineDescription machine =
            is_shape(options->file) ? options->shape.make(options->file) : topologies::read_machine(options->file);
        if (options->format == "svg" && machine.nodes.size() > most_drawn)
            throw InputError(
                {"--format svg", 0, 0},
                fmt::format(
                    "graphviz takes minutes for {} nodes, and the picture is unreadable; draw at most {}, or use --format dot",
                    machine.nodes.size(), most_drawn));
        const std::string dot = options->dot(machine);
        options->output.write(options->format == "svg" ? svg_of(dot) : dot);
        result = exit_code::nothing_found;
    });
}

}  // namespace

void add_topology(CLI::App& app, int& result) {
    CLI::App* topology = app.add_subcommand("topology", "Make, check, solve and draw networks");
    topology->require_subcommand(1);
    topology->footer(
        "Examples:\n  magicwire topology make ring:32 > ring.yaml\n  magicwire topology solve ring.yaml --out "
        "ring_on_ubc.yaml\n"
        "  magicwire topology draw ring_on_ubc.yaml --format svg --out ring.svg\n");
    add_make(*topology, result);
    add_check(*topology, result);
    add_solve(*topology, result);
    add_draw(*topology, result);
}

}  // namespace cli
