// score: what the judge of a campaign found about deTrEK's verdicts. A campaign is a study; this runs it, or reads its
// database.
#include <algorithm>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <scoring/score.hpp>
#include <sweeps/study.hpp>
#include <sweeps/study_database.hpp>
#include <text/output_file.hpp>
#include <tmon_pictures/curve_picture.hpp>
#include <vocabulary/is_file.hpp>
#include <vocabulary/source_position.hpp>

#include "frame/command.hpp"
#include "runs/study_run.hpp"

namespace cli {
namespace {

struct ScoreOptions {
    StudyOptions study;
    std::string by = scoring::by_loss, plot;
    bool force = false, json = false;

    text::Replace replace() const { return force ? text::Replace::Yes : text::Replace::No; }
};

bool is_database(const std::string& path) {
    const std::string magic = "SQLite format 3";
    std::ifstream file(path, std::ios::binary);
    std::string begin(magic.size(), '\0');
    return file.read(begin.data(), static_cast<std::streamsize>(begin.size())) && begin == magic;
}

// A curve over an axis needs two of its values among the points. What a measure will be is not known.
void check_groups(const ScoreOptions& options, const sweeps::Study& study) {
    const sweeps::Points points(study);
    const auto axis = std::find_if(study.axes.begin(), study.axes.end(),
                                   [&options](const sweeps::Axis& each) { return each.name == options.by; });
    const auto value_of = [&](std::size_t point) {
        return axis == study.axes.end() ? point : points.value_of(point, static_cast<std::size_t>(axis - study.axes.begin()));
    };
    const Part part = part_of(options.study);
    std::set<std::size_t> values;
    for (std::size_t i = part.number - 1; i < points.size() && values.size() < 2; i += part.of) values.insert(value_of(i));
    scoring::check_curve(values.size(), options.by);
}

// Before the first run.
void check_judge(const ScoreOptions& options) {
    const std::string &file = options.study.file, &by = options.by;
    const sweeps::Study study = sweeps::read_study(file);
    std::vector<std::string> names;
    for (const sweeps::Measure& measure : study.measures) names.push_back(measure.name);
    scoring::check_judged(study.name, names);
    for (const sweeps::Axis& axis : study.axes) names.push_back(axis.name);
    scoring::check_group(study.name, names, by);
    if (!options.plot.empty()) check_groups(options, study);
}

int score(ScoreOptions& options) {
    StudyOptions& study = options.study;
    if (!vocabulary::is_file(study.file))
        throw vocabulary::InputError({study.file, 0, 0},
                                     "there is no such file; name a campaign (a study file whose judge compares verdicts with "
                                     "what happened), or its database");
    if (study.engine == "mpi")
        throw CLI::ValidationError("--engine",
                                   "run 'mpirun -np N magicwire study CAMPAIGN --engine mpi', then score its database");
    if (!options.plot.empty()) {
        tmon_pictures::check_picture_kind(options.plot);
        text::check_output_file(options.plot, options.replace());
    }
    int done = exit_code::nothing_found;
    std::string database = study.file;
    if (!is_database(study.file)) {
        check_judge(options);
        done = run_study(study);
        if (done != exit_code::nothing_found && done != exit_code::unknown) return done;
        database = study.out;
    }
    const scoring::Score found = scoring::score_of(sweeps::read_database(database), options.by);
    put(options.json ? scoring::score_json(found) : scoring::score_text(found));
    if (!options.plot.empty()) tmon_pictures::draw_curves({scoring::score_curves(found)}, options.plot, options.replace());
    if (found.all.certain_wrong > 0) return exit_code::found;
    return found.all.failed > 0 || (study.part.empty() && found.all.points < found.points) ? exit_code::unknown : done;
}

}  // namespace

void add_score(CLI::App& app, int& result) {
    auto options = std::make_shared<ScoreOptions>();
    CLI::App* command =
        app.add_subcommand("score", "Score deTrEK over a campaign: right, unknown, likely and wrong, certain and wrong");
    command->add_option("CAMPAIGN", options->study.file, "a study file whose judge looks at each verdict, or its database")
        ->required();
    command->add_option("--by", options->by, "an axis or a measure: a row of the table for each of its values")
        ->type_name("NAME")
        ->capture_default_str();
    command
        ->add_option("-o,--out", options->study.out,
                     "the database (default: the study's name with .db); one that is there goes on")
        ->type_name("FILE")
        ->check(file_name());
    command->add_option("--part", options->study.part, "NUMBER/PARTS: only every PARTS-th point, into a database of its own")
        ->type_name("K/N");
    add_engine_options(*command, options->study);
    command->add_option("--plot", options->plot, "file for the curves of the table (SVG or PNG)")
        ->type_name("FILE")
        ->check(file_name());
    command->add_flag("-f,--force", options->force, "replace that file");
    command->add_option("--progress", options->study.progress, "auto, always or never")
        ->check(CLI::IsMember({"auto", "always", "never"}))
        ->capture_default_str();
    command->add_flag("--json", options->json, "print JSON");
    command->footer(
        "Exit codes: 0 scored, 1 a verdict is certain and wrong, 4 some points were not judged, 130 interrupted.\n"
        "Examples:\n  magicwire score campaigns/verdicts.yaml --part 1/20\n"
        "  magicwire score verdicts.db --plot verdicts.svg\n"
        "  magicwire score campaigns/bugs.yaml --engine slurm && magicwire score bugs.db --by bug\n");
    command->callback([options, &result] { result = score(*options); });
}

}  // namespace cli
