// study show, study compare: what a stored study says.
#include "runs/study_views.hpp"

#include <memory>

#include <fmt/format.h>

#include <vocabulary/source_position.hpp>

#include "frame/command.hpp"

namespace cli {

std::vector<std::pair<std::string, std::string>> wheres_of(const std::vector<std::string>& texts) {
    std::vector<std::pair<std::string, std::string>> wheres;
    for (const std::string& text : texts) {
        const std::size_t equals = text.find('=');
        if (equals == std::string::npos || equals == 0)
            throw vocabulary::InputError({"--where " + text, 0, 0}, "expected AXIS=VALUE, for example --where farm.buffers=2");
        wheres.emplace_back(text.substr(0, equals), text.substr(equals + 1));
    }
    return wheres;
}

void add_where(CLI::App& command, std::vector<std::string>& texts) {
    command.add_option("--where", texts, "AXIS=VALUE: only these points; may be repeated")->type_name("AXIS=VALUE");
}

std::vector<std::string> names_of(const char* option, const std::string& text, std::size_t least, std::size_t most,
                                  const std::string& expected) {
    std::vector<std::string> names;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        names.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    if (names.size() < least || names.size() > most) throw CLI::ValidationError(option, "expected " + expected);
    return names;
}

namespace {

struct ShowOptions {
    std::string file, best, worst, pivot;
    std::vector<std::string> where;
    std::string most;
    bool csv = false, json = false;
};

int show(const ShowOptions& options) {
    const sweeps::StoredStudy stored = sweeps::read_database(options.file);
    sweeps::Selection selection;
    selection.only = wheres_of(options.where);
    selection.sort_by = options.best.empty() ? options.worst : options.best;
    selection.falling = !options.best.empty();
    if (!selection.sort_by.empty()) selection.most = 10;
    if (!options.most.empty()) selection.most = static_cast<std::size_t>(whole_number("--most", options.most));
    const auto rows = sweeps::select(stored, selection);
    if (!options.pivot.empty()) {
        const auto names =
            names_of("--pivot", options.pivot, 2, 3, "AXIS,MEASURE or AXIS,AXIS,MEASURE, as farm.buffers,seed,rate");
        put(sweeps::pivot_text(stored, rows, names.front(), names.size() == 3 ? names[1] : "", names.back()));
        return exit_code::nothing_found;
    }
    if (options.json) {
        put(sweeps::table_json(stored, rows));
        return exit_code::nothing_found;
    }
    put(options.csv ? sweeps::table_csv(stored, rows) : sweeps::table_text(stored, rows));
    if (!options.csv && stored.rows.size() < stored.points)
        put(fmt::format("{} of {} points are there; the command that began the study goes on", stored.rows.size(),
                        stored.points));
    return exit_code::nothing_found;
}

struct CompareOptions {
    std::string one, other;
};

}  // namespace

void add_study_views(CLI::App& command, int& result) {
    auto options = std::make_shared<ShowOptions>();
    CLI::App* shown = command.add_subcommand("show", "Show the points of a database: settings, measures, failures");
    shown->add_option("FILE", options->file, "database of a study")->required();
    add_where(*shown, options->where);
    CLI::Option* best = shown->add_option("--best", options->best, "a measure: the ten points where it is largest");
    shown->add_option("--worst", options->worst, "a measure: the ten points where it is smallest")->excludes(best);
    shown->add_option("--most", options->most, "as many rows at most")->type_name("NUMBER");
    CLI::Option* pivot = shown->add_option("--pivot", options->pivot,
                                           "AXIS,MEASURE or AXIS,AXIS,MEASURE: mean (least-most) over the other axes");
    CLI::Option* csv = shown->add_flag("--csv", options->csv, "print CSV")->excludes(pivot);
    shown->add_flag("--json", options->json, "print JSON")->excludes(csv)->excludes(pivot);
    shown->callback([options, &result] { result = show(*options); });

    auto two = std::make_shared<CompareOptions>();
    CLI::App* compared = command.add_subcommand(
        "compare",
        "Compare two databases of a study: what changed beyond the spread of the seeds; exit code 1 if something did");
    compared->add_option("BEFORE", two->one, "database of a study")->required();
    compared->add_option("AFTER", two->other, "another one, of the same axes")->required();
    compared->callback([two, &result] {
        const auto done = sweeps::compare(sweeps::read_database(two->one), sweeps::read_database(two->other));
        put(done.text);
        result = done.changed ? exit_code::found : exit_code::nothing_found;
    });
    add_study_plot(command, result);
    add_study_page(command, result);
}

}  // namespace cli
