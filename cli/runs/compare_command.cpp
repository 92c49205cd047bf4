// compare: one farm on several networks, each run beside its prediction. A ready study; its database is a study's.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>

#include <fmt/format.h>

#include <comparison/comparison.hpp>
#include <study_pictures/page.hpp>
#include <text/output_file.hpp>
#include <text/shell_words.hpp>
#include <topologies/machine_checks.hpp>
#include <topologies/machine_parser.hpp>
#include <topologies/machine_writer.hpp>
#include <topologies/shapes.hpp>
#include <topologies/solver.hpp>
#include <topologies/ubc_machine.hpp>
#include <vocabulary/is_file.hpp>
#include <vocabulary/source_position.hpp>

#include "frame/command.hpp"
#include "frame/run_options.hpp"
#include "frame/scenario_options.hpp"
#include "runs/study_run.hpp"

namespace cli {
namespace {

namespace fs = std::filesystem;
using topologies::MachineDescription;
using vocabulary::InputError;
using vocabulary::is_file;

struct CompareOptions {
    std::string file, onto, seeds = "1", out, page, jobs, progress = "auto";
    std::vector<std::string> topologies, set;
    bool json = false;
};

constexpr const char* ubc_shape = "ubc:75";
constexpr std::uint64_t most_seeds = 10'000;

// A file has its own host; a shape that uses all links gets a node for it.
MachineDescription network_of(const std::string& name) {
    if (is_file(name)) return topologies::read_machine(name);
    return name == ubc_shape ? topologies::ubc_machine() : topologies::make_shape(name, {.gateway = true});
}

// Nodes that the farm may use: a gateway is none of the shape's own.
std::uint32_t farm_nodes(const std::string& name, const MachineDescription& machine) {
    if (is_file(name) || name == ubc_shape) return static_cast<std::uint32_t>(machine.nodes.size());
    return static_cast<std::uint32_t>(topologies::make_shape(name).nodes.size());
}

// "torus:4x4" -> "torus_4x4", for the name of a file.
std::string as_file_name(const std::string& name) {
    std::string text = fs::path(name).filename().string();
    for (char& c : text)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '-') c = '_';
    return text;
}

MachineDescription solved(const std::string& name, MachineDescription wanted, const MachineDescription& target) {
    for (auto& node : wanted.nodes) {  // only the network is wanted
        node.clock_hz = topologies::least_clock_hz;
        node.ram_bytes = topologies::least_ram_bytes;
    }
    auto answer = topologies::solve(wanted, target);
    if (const auto* nothing = std::get_if<topologies::NotFound>(&answer))
        throw InputError(
            {"--topologies " + name, 0, 0},
            fmt::format("does not fit onto {}: {}; 'magicwire topology solve' has more options", target.name, nothing->text()));
    return std::get<topologies::Solution>(std::move(answer)).machine;
}

class Comparing {
public:
    explicit Comparing(const CompareOptions& options) : options_(options) {
        wanted_.seeds = whole_number("--seeds", options.seeds);
        if (wanted_.seeds < 1 || wanted_.seeds > most_seeds)
            throw CLI::ValidationError("--seeds", fmt::format("1 to {} seeds", most_seeds));
        const std::string stem = fs::path(options.file).stem().string();
        wanted_.name = stem + "_topologies";
        database_ = options.out.empty() ? wanted_.name + ".db" : options.out;
        study_ = fs::path(database_).replace_extension(".yaml").string();
        if (study_ == database_)
            throw CLI::ValidationError("--out", "the study's own file ends with .yaml; give the database another end");
        folder_ = fs::path(database_).parent_path();
    }

    int run() {
        if (!is_file(options_.file))
            throw InputError({options_.file, 0, 0}, "there is no such file; name a scenario, or a farm program's .farm file");
        refuse_foreign_study();
        put_settings();
        put_networks();
        check_one();
        text::write_text_file(study_, comparison::study_text(wanted_), text::Replace::Yes);
        StudyOptions study;
        study.file = study_;
        study.out = database_;
        study.jobs = options_.jobs;
        study.progress = options_.progress;
        const int result = run_study(study);
        if (result != exit_code::nothing_found && result != exit_code::unknown) return result;
        const sweeps::StoredStudy stored = sweeps::read_database(database_);
        const auto rows = comparison::rows_of(stored, wanted_.networks);
        if (!options_.page.empty())
            text::write_text_file(options_.page, study_pictures::study_page(stored, stored.rows, ""), text::Replace::Yes);
        put(options_.json ? comparison::comparison_json(wanted_, study_, database_, rows) : text(rows));
        return result;
    }

private:
    // A file that the user wrote under that name is not replaced.
    void refuse_foreign_study() const {
        if (!options_.page.empty()) text::check_output_file(options_.page, text::Replace::Yes);
        std::ifstream file(study_);
        std::string line;
        if (!file || !std::getline(file, line) || line == comparison::first_line) return;
        throw InputError({study_, 0, 0},
                         "would be replaced, and was not made by magicwire compare; name another database by --out");
    }

    std::string seen_from_study(const std::string& path) const {
        if (fs::path(path).is_absolute()) return path;
        return fs::relative(path, folder_.empty() ? fs::path(".") : folder_).string();
    }

    void put_settings() {
        wanted_.scenario = seen_from_study(options_.file);
        for (const auto& [name, value] : settings_of(options_.set)) {
            if (name == "machine")
                throw InputError({"--set machine=" + value, 0, 0}, "the machines are those of --topologies; leave it out");
            if (name == "seed")
                throw InputError({"--set seed=" + value, 0, 0}, "--seeds says how many there are; leave it out");
            has_nodes_ = has_nodes_ || name == "farm.nodes";
            has_tree_ = has_tree_ || name == "farm.tree";
            wanted_.settings.emplace_back(name, is_file(value) ? seen_from_study(value) : value);
        }
        // A tree that a network does not have would be led over several links.
        if (!has_tree_) wanted_.settings.insert(wanted_.settings.begin(), {"farm.tree", "best"});
    }

    void put_networks() {
        std::set<std::string> seen;
        const MachineDescription target = options_.onto.empty() ? MachineDescription{} : network_of(options_.onto);
        for (const std::string& name : options_.topologies) {
            if (!seen.insert(name).second) throw CLI::ValidationError("--topologies", fmt::format("'{}' is there twice", name));
            const MachineDescription network = network_of(name);
            comparison::Network one{name, is_file(name) ? seen_from_study(name) : name,
                                    has_nodes_ ? 0 : farm_nodes(name, network)};
            if (!options_.onto.empty()) {
                const fs::path path = machine_folder() / (as_file_name(name) + "_on_" + as_file_name(options_.onto) + ".yaml");
                fs::create_directories(machine_folder());
                text::write_text_file(path.string(), topologies::write_machine(solved(name, network, target)),
                                      text::Replace::Yes);
                one.machine = seen_from_study(path.string());
            }
            wanted_.networks.push_back(std::move(one));
        }
    }
    fs::path machine_folder() const { return fs::path(database_).replace_extension(".machines"); }

    // A mistake in the scenario or a setting is told as `run` tells it, and not as one of a study that nobody wrote.
    void check_one() const {
        ScenarioOptions options;
        options.file = options_.file;
        options.set = options_.set;
        std::vector<scenario::Setting> more{{"machine", machine_for_check()}};
        if (!has_tree_) more.emplace_back("farm.tree", "best");
        if (!has_nodes_) more.emplace_back("farm.nodes", std::to_string(wanted_.networks.front().nodes));
        options.without_tree(more);
    }
    std::string machine_for_check() const {
        const std::string& machine = wanted_.networks.front().machine;
        const fs::path path = folder_ / machine;
        return is_file(path.string()) ? path.string() : machine;
    }

    std::string text(const std::vector<comparison::Row>& rows) const {
        std::string title = fmt::format("{} on {} networks{}", options_.file, rows.size(),
                                        options_.onto.empty() ? "" : " of the machine " + options_.onto);
        if (wanted_.seeds > 1) title += fmt::format(", means of {} seeds", wanted_.seeds);
        return comparison::comparison_text(title, rows) +
               fmt::format("\n  database     {}; 'magicwire study show {}' has every run\n", database_,
                           text::shell_word(database_));
    }

    const CompareOptions& options_;
    comparison::Wanted wanted_;
    std::string database_, study_;
    fs::path folder_;
    bool has_nodes_ = false, has_tree_ = false;
};

}  // namespace

void add_compare(CLI::App& app, int& result) {
    auto options = std::make_shared<CompareOptions>();
    CLI::App* command = app.add_subcommand("compare", "Run one farm on several networks, each beside its prediction");
    command->add_option("SCENARIO", options->file, "scenario file, or specification of a farm program (.farm)")
        ->required()
        ->check(file_name("give the scenario file"));
    command->add_option("--topologies", options->topologies, "shapes ('magicwire topology make --help') or machine files")
        ->required()
        ->delimiter(',')
        ->type_name("SHAPE,...");
    command->add_option("--onto", options->onto, "solve each onto the crossbars of this machine: ubc:75, or a machine file")
        ->type_name("MACHINE");
    command
        ->add_option(
            "--set", options->set,
            "NAME=VALUE: change a value of every run; farm.tree is best, and farm.nodes that of the shape, if not given")
        ->take_all();
    command->add_option("--seeds", options->seeds, "runs of each, with the seeds 1, 2, ...; 1: with the scenario's own")
        ->type_name("NUMBER")
        ->capture_default_str();
    command->add_option("--out", options->out, "the database (default: NAME_topologies.db); its study is beside it, with .yaml")
        ->type_name("FILE")
        ->check(file_name());
    command->add_option("--page", options->page, "file for the database as an HTML page; replaced if it exists")
        ->type_name("FILE")
        ->check(file_name());
    command->add_option("-j,--jobs", options->jobs, "runs at once (default: one more than processors)")->type_name("NUMBER");
    command->add_option("--progress", options->progress, "auto, always or never")
        ->check(CLI::IsMember({"auto", "always", "never"}))
        ->capture_default_str();
    command->add_flag("--json", options->json, "print JSON");
    command->footer(
        "Exit codes: 0 done, 4 some runs failed, 130 interrupted; the same command goes on.\n"
        "Examples:\n  magicwire compare examples/studies/farm.yaml --topologies "
        "ring:16,torus:4x4,hypercube:16,tree:2:15,mesh:4x4\n"
        "  magicwire compare examples/farms/mandelbrot/mandelbrot.farm --topologies ring:16,mesh:4x4 --onto ubc:75 --seeds "
        "3\n");
    command->callback([options, &result] { result = Comparing(*options).run(); });
}

}  // namespace cli
