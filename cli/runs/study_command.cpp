// study: one question over many points; its results are a database that goes on where it was interrupted.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <thread>

#include <fmt/format.h>

#include <scenario/scenario.hpp>
#include <sweeps/slurm_engine.hpp>
#include <sweeps/study_database.hpp>
#include <vocabulary/source_position.hpp>

#include "frame/command.hpp"
#include "frame/interrupt.hpp"
#include "runs/study_engines.hpp"
#include "runs/study_options.hpp"
#include "runs/study_pilot.hpp"
#include "runs/study_point.hpp"
#include "runs/study_run.hpp"

namespace cli {

using sweeps::Points;
using sweeps::Study;

std::size_t processors() {
    return std::max(1u, std::thread::hardware_concurrency());
}

std::size_t jobs_of(const StudyOptions& options, std::size_t otherwise) {
    if (options.jobs.empty()) return otherwise;
    const std::uint64_t jobs = whole_number("--jobs", options.jobs);
    if (jobs == 0 || jobs > 1000) throw CLI::ValidationError("--jobs", "1 to 1000 points at once");
    return static_cast<std::size_t>(jobs);
}

std::string program_text() {
    static const std::string text = fmt::format("{} build {}", version_text, scenario::content_hash("/proc/self/exe"));
    return text;
}

std::string fingerprint_of(const StudyOptions& options) {
    return scenario::content_hash(options.file) + ' ' + program_text();
}

std::string own_path() {
    return std::filesystem::read_symlink("/proc/self/exe").string();
}

std::string duration_text(double seconds) {
    if (seconds < 120) return fmt::format("{:.3g} s", seconds);
    if (seconds < 7200) return fmt::format("{:.3g} min", seconds / 60);
    return fmt::format("{:.3g} h", seconds / 3600);
}

Part part_of(const StudyOptions& options) {
    const std::string& text = options.part;
    if (text.empty()) return {};
    const std::size_t slash = text.find('/');
    if (slash == std::string::npos) throw CLI::ValidationError("--part", "expected NUMBER/PARTS, as 3/10");
    const Part part{static_cast<std::size_t>(whole_number("--part", text.substr(0, slash))),
                    static_cast<std::size_t>(whole_number("--part", text.substr(slash + 1)))};
    if (part.number < 1 || part.number > part.of)
        throw CLI::ValidationError("--part", "the number is from 1 to the number of parts");
    return part;
}

namespace {

// Brings parts together. Points that no part has can be run afterwards by the same study.
int collect(const StudyOptions& options, const Study& study, const Points& points) {
    for (const std::string& path : options.collect)
        if (!std::filesystem::is_regular_file(path))
            throw vocabulary::InputError({path, 0, 0}, "there is no such file; each part makes one with --part");
    sweeps::StudyDatabase database(options.out, study, points, program_text());
    for (const std::string& path : options.collect) put(fmt::format("  {}: {} points", path, database.take_from(path)));
    const auto missing = std::count(database.done().begin(), database.done().end(), false);
    put(fmt::format("study {}: {} of {} points are in {}", study.name, points.size() - static_cast<std::size_t>(missing),
                    points.size(), options.out));
    return missing > 0 ? exit_code::unknown : exit_code::nothing_found;
}

void refuse_what_does_not_fit(const StudyOptions& options) {
    const auto only_slurm = [&](const char* name, bool is_given) {
        if (is_given && options.engine != "slurm") throw CLI::ValidationError(name, "is for --engine slurm");
    };
    only_slurm("--chunk", !options.chunk.empty());
    only_slurm("--sbatch", !options.sbatch.empty());
    only_slurm("--no-wait", options.no_wait);
    if (options.engine != "local" && !options.part.empty())
        throw CLI::ValidationError("--part", "is for --engine local; the other engines make parts themselves");
}

int study(StudyOptions& options) {
    refuse_what_does_not_fit(options);
    jobs_of(options, 1);
    if (options.out.empty()) options.out = std::filesystem::path(options.file).stem().string() + ".db";
    const Part part = part_of(options);
    if (!options.part.empty()) options.out += fmt::format(".{}-of-{}", part.number, part.of);
    stop_at_interrupt();
    if (options.engine == "mpi") return study_over_mpi(options);
    const Study study = sweeps::read_study(options.file);
    const Points points(study, repeat_line);
    if (!options.collect.empty()) return collect(options, study, points);
    if (!options.chunk_of.empty()) return study_chunk(options, study, points);
    check_values(study, points);
    return options.engine == "slurm" ? study_on_slurm(options, study, points) : study_here(options, study, points);
}

}  // namespace

void add_engine_options(CLI::App& command, StudyOptions& options) {
    command
        .add_option("--engine", options.engine, "where points run: local (this computer), slurm (jobs), or mpi (under mpirun)")
        ->check(CLI::IsMember({"local", "slurm", "mpi"}))
        ->capture_default_str();
    command
        .add_option(
            "-j,--jobs", options.jobs,
            "points at once (default: one more than processors); with slurm of each job, with mpi of each rank (default: 1)")
        ->type_name("NUMBER");
    command
        .add_option("--chunk", options.chunk,
                    "slurm: points of a job, or its time, as 10min (default: minutes, by the first point)")
        ->type_name("POINTS|TIME");
    command
        .add_option("--sbatch", options.sbatch, "slurm: options for sbatch, as '--partition=long --mem=2G'; may be repeated")
        ->type_name("OPTIONS");
    command.add_flag("--no-wait", options.no_wait,
                     "slurm: submit, or collect what is done, and return; the same command goes on");
    command.add_option("--chunk-of", options.chunk_of)->group("");    // of a job that the Slurm engine has submitted
    command.add_option("--part-name", options.part_name)->group("");  // likewise
}

int run_study(StudyOptions& options) {
    options.quiet = true;
    return study(options);
}

void add_study_views(CLI::App& command, int& result);  // study_views.cpp

void add_study(CLI::App& app, int& result) {
    auto options = std::make_shared<StudyOptions>();
    CLI::App* command = app.add_subcommand(
        "study", "Run a scenario at many points of a space of settings, machines and seeds; the results are a database");
    command->add_option("FILE", options->file, "study file (YAML, docs/formats/study_file.md)");
    command
        ->add_option("-o,--out", options->out, "the database (default: the study's name with .db); one that is there goes on")
        ->type_name("FILE")
        ->check(file_name());
    add_engine_options(*command, *options);
    command->add_flag("--dry-run", options->dry_run,
                      "only check, run the first point, and tell the number of points, time and disk");
    CLI::Option* part =
        command->add_option("--part", options->part, "NUMBER/PARTS: only every PARTS-th point, into a database of its own")
            ->type_name("K/N");
    command->add_option("--collect", options->collect, "databases of parts: bring them together; nothing is run")
        ->type_name("FILE")
        ->excludes(part);
    command->add_option("--progress", options->progress, "auto, always or never")
        ->check(CLI::IsMember({"auto", "always", "never"}))
        ->capture_default_str();
    command->footer(
        "Exit codes: 0 done, 4 some points failed, 130 interrupted; the same command goes on.\n"
        "Examples:\n  magicwire study examples/studies/buffers.yaml --dry-run\n"
        "  magicwire study examples/studies/buffers.yaml && magicwire study show buffers.db\n"
        "  magicwire study show buffers.db --pivot farm.buffers,farm.tree,rate\n"
        "  magicwire study big.yaml --engine slurm --sbatch '--partition=long --mem=2G'\n"
        "  mpirun -np 16 magicwire study big.yaml --engine mpi\n"
        "  magicwire study big.yaml --part 2/3 && magicwire study big.yaml --collect big.db.*-of-3   # parts by hand\n");
    command->require_subcommand(0, 1);
    add_study_views(*command, result);
    command->callback([command, options, &result] {
        if (!command->get_subcommands().empty()) return;
        if (options->file.empty()) throw CLI::RequiredError("FILE");
        result = study(*options);
    });
}

}  // namespace cli
