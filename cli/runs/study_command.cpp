// study: one question over many points; its results are a database that goes on where it was interrupted.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <thread>

#include <fmt/format.h>

#include <forks/bytes.hpp>
#include <sweeps/local_engine.hpp>
#include <sweeps/measures.hpp>
#include <sweeps/study_database.hpp>
#include <vocabulary/source_position.hpp>

#include "frame/command.hpp"
#include "frame/progress_line.hpp"
#include "frame/run_options.hpp"
#include "frame/scenario_options.hpp"
#include "runs/point_folder.hpp"
#include "runs/study_point.hpp"

namespace cli {
namespace {

using sweeps::Point;
using sweeps::PointRow;
using sweeps::Study;

struct StudyOptions {
    std::string file, out, progress = "auto";
    std::string jobs, part;
    std::vector<std::string> collect;
    bool dry_run = false;
};

// "3/10": every tenth point from the third on, in a database of its own.
struct Part {
    std::size_t number = 1, of = 1;
};
Part part_of(const std::string& text) {
    if (text.empty()) return {};
    const std::size_t slash = text.find('/');
    if (slash == std::string::npos) throw CLI::ValidationError("--part", "expected NUMBER/PARTS, as 3/10");
    const Part part{static_cast<std::size_t>(whole_number("--part", text.substr(0, slash))),
                    static_cast<std::size_t>(whole_number("--part", text.substr(slash + 1)))};
    if (part.number < 1 || part.number > part.of)
        throw CLI::ValidationError("--part", "the number is from 1 to the number of parts");
    return part;
}

constexpr std::size_t most_checked = 256;  // of the values of a template

// The values of an axis, each with the first point that has it. A range is given by its ends: its values stand at one place.
std::map<std::size_t, const sweeps::AxisValue*> first_points(const sweeps::Axis& axis, std::size_t number,
                                                             const std::vector<Point>& points) {
    std::map<std::string, std::size_t> first;
    for (std::size_t i = points.size(); i-- > 0;) first[points[i].values[number]] = i;
    std::map<std::size_t, const sweeps::AxisValue*> chosen;
    const std::size_t every = axis.is_template ? axis.values.size() / most_checked + 1 : 0;  // each may be wrong in its own way
    for (std::size_t i = 0; i < axis.values.size(); ++i) {
        const auto is_same = [&](const sweeps::AxisValue& other) {
            return other.where.line == axis.values[i].where.line && other.where.column == axis.values[i].where.column;
        };
        const bool is_end =
            i == 0 || i + 1 == axis.values.size() || !is_same(axis.values[i - 1]) || !is_same(axis.values[i + 1]);
        if (!is_end && (every == 0 || i % every != 0)) continue;
        if (const auto found = first.find(axis.values[i].given); found != first.end())
            chosen.emplace(found->second, &axis.values[i]);
    }
    return chosen;
}

// Every value makes a valid scenario with the others of its first point: a mistake is told at its place, before the first run.
void check_values(const Study& study, const std::vector<Point>& points) {
    for (std::size_t number = 0; number < study.axes.size(); ++number) {
        for (const auto& [which, value] : first_points(study.axes[number], number, points)) {
            ScenarioOptions options;
            options.file = points[which].scenario;
            std::optional<scenario::Scenario> made;
            try {
                made = options.without_tree(points[which].settings);
            } catch (const vocabulary::InputError& error) {
                throw vocabulary::InputError(value->where, fmt::format("point {}, with '{}: {}', is refused: {}", which + 1,
                                                                       study.axes[number].name, value->given, error.what()));
            }
            check_wanted(study, *made,
                         fmt::format("point {}, with '{}: {}',", which + 1, study.axes[number].name, value->given));
        }
    }
}

// The first point, run once beside the study: it shows whether the measures are there, and what a point costs.
struct Pilot {
    std::optional<double> seconds;  // empty: it failed, which the study will tell
    std::size_t row_bytes = 0;
};
Pilot pilot(const Study& study, const Point& first) {
    forks::ChildAnswer answer;
    sweeps::LocalEngine{.at_once = 1,
                        .seconds = study.seconds,
                        .memory = study.memory,
                        .work =
                            [&](std::size_t) {
                                const PointRun run = run_point(study, first);
                                if (run.documents.is_null()) throw vocabulary::RequestError(run.row.failure);
                                forks::Bytes bytes;
                                bytes.put(run.row.seconds);
                                bytes.put_text(run.documents.dump());
                                return bytes.take_bytes();
                            },
                        .ended = [&](std::size_t, forks::ChildAnswer its) { answer = std::move(its); },
                        .go_on = [] { return interrupted == 0; }}
        .run({0});
    if (!study.commands.empty()) clear_point_folders();
    Pilot made;
    made.row_bytes = 120 + first.repeat.size() + 16 * study.measures.size();
    for (const std::string& value : first.values) made.row_bytes += 12 + value.size();
    if (answer.how != forks::ChildAnswer::How::Done) return made;
    forks::Bytes bytes(answer.bytes);
    made.seconds = bytes.get<double>();
    sweeps::check_measures(study, nlohmann::ordered_json::parse(bytes.get_text()));
    return made;
}

std::size_t processors(const StudyOptions& options) {
    if (options.jobs.empty()) return std::max(1u, std::thread::hardware_concurrency());
    const std::uint64_t jobs = whole_number("--jobs", options.jobs);
    if (jobs == 0 || jobs > 1000) throw CLI::ValidationError("--jobs", "1 to 1000 points at once");
    return static_cast<std::size_t>(jobs);
}

// Another build may have another model, so a row of one does not hold for another.
std::string program_text() {
    return fmt::format("{} build {}", version_text, scenario::content_hash("/proc/self/exe"));
}

std::string duration_text(double seconds) {
    if (seconds < 120) return fmt::format("{:.3g} s", seconds);
    if (seconds < 7200) return fmt::format("{:.3g} min", seconds / 60);
    return fmt::format("{:.3g} h", seconds / 3600);
}

// Rows wait for each other at most this long, so a kill costs little work.
constexpr auto flush_every = std::chrono::milliseconds(500);

class StudyRun {
public:
    StudyRun(const StudyOptions& options, const Study& study, const std::vector<Point>& points, sweeps::StudyDatabase& database)
        : options_(options), study_(study), points_(points), database_(database), line_(options.progress) {}

    int go() {
        std::vector<std::size_t> wanted;
        const Part part = part_of(options_.part);
        for (std::size_t i = part.number - 1; i < points_.size(); i += part.of, ++all_)
            if (!database_.done()[i]) wanted.push_back(i);
        const std::size_t kept = all_ - wanted.size();
        done_ = kept;
        const auto began = std::chrono::steady_clock::now();
        sweeps::LocalEngine{.at_once = processors(options_),
                            .seconds = study_.seconds,
                            .memory = study_.memory,
                            .work = [this](std::size_t point) { return packed(run_point(study_, points_[point]).row); },
                            .ended = [this](std::size_t point, const forks::ChildAnswer& answer) { ended(point, answer); },
                            .go_on = [this] { return line_.steps("study", done_, all_) && interrupted == 0; }}
            .run(wanted);
        if (!study_.commands.empty()) clear_point_folders();
        database_.flush();
        line_.clear();
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
        tell(kept, seconds);
        if (interrupted != 0) return exit_code::interrupted;
        return failed_ > 0 ? exit_code::unknown : exit_code::nothing_found;
    }

private:
    void ended(std::size_t point, const forks::ChildAnswer& answer) {
        PointRow row;
        if (answer.how == forks::ChildAnswer::How::Done) {
            row = unpacked(answer.bytes);
            own_seconds_ += row.processor_seconds;
            if (!row.failure.empty()) ++failed_;
        } else {
            row.exit_code = exit_code::of(answer.kind);
            row.failure = answer.failure;
            ++failed_;
        }
        row.repeat = points_[point].repeat;
        row.number = point + 1;
        database_.add(row);
        ++done_;
        const auto now = std::chrono::steady_clock::now();
        if (now - flushed_ < flush_every) return;
        database_.flush();
        flushed_ = now;
    }

    void tell(std::size_t kept, double seconds) const {
        put(fmt::format("study {}: {} of {} points{} are in {}{}", study_.name, done_, all_,
                        options_.part.empty() ? "" : " of part " + options_.part, options_.out,
                        kept > 0 ? fmt::format(", {} of them from before", kept) : ""));
        if (database_.outdated() > 0)
            put(
                fmt::format("  {} rows from before no longer held, since an input, the program or the study has changed; "
                            "{}.before has them",
                            database_.outdated(), options_.out));
        if (failed_ > 0)
            put(fmt::format("  {} of them failed; 'magicwire study show {}' tells why", failed_, quoted(options_.out)));
        if (done_ > kept)
            put(fmt::format("  {} for {} points; {:.0f} % of the processor time was the points' own", duration_text(seconds),
                            done_ - kept, 100 * own_seconds_ / std::max(own_seconds_, processor_seconds() - spent_before_)));
        if (done_ < all_) put("  the same command goes on from here");
    }

    const StudyOptions& options_;
    const Study& study_;
    const std::vector<Point>& points_;
    sweeps::StudyDatabase& database_;
    ProgressLine line_;
    std::size_t all_ = 0, done_ = 0, failed_ = 0;
    double own_seconds_ = 0;
    const double spent_before_ = processor_seconds();
    std::chrono::steady_clock::time_point flushed_ = std::chrono::steady_clock::now();
};

// Brings parts together. Points that no part has can be run afterwards by the same study.
int collect(const StudyOptions& options, const Study& study, const std::vector<Point>& points) {
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

int study(StudyOptions& options) {
    const Study study = sweeps::read_study(options.file);
    std::vector<Point> points = sweeps::points_of(study);
    for (Point& point : points) point.repeat = repeat_line(study, point);
    if (options.out.empty()) options.out = std::filesystem::path(options.file).stem().string() + ".db";
    const Part part = part_of(options.part);
    if (!options.part.empty()) options.out += fmt::format(".{}-of-{}", part.number, part.of);
    if (!options.collect.empty()) return collect(options, study, points);
    check_values(study, points);
    stop_at_interrupt();
    if (!study.commands.empty()) clear_point_folders();
    const std::size_t at_once = processors(options);
    Pilot first;
    for (const std::size_t which : std::set<std::size_t>{0, points.size() / 2, points.size() - 1})
        if (!first.seconds && interrupted == 0) first = pilot(study, points[which]);
    if (interrupted != 0) return exit_code::interrupted;
    if (options.dry_run) {
        const auto count = static_cast<double>(points.size());
        if (!first.seconds)
            throw vocabulary::RequestError(
                "the first point fails, so time and measures are not known; run one alone to see why: " +
                points.front().repeat);
        put(fmt::format("study {}: {} points, {} a point: about {} with {} at once; about {:.3g} MB", study.name, points.size(),
                        duration_text(*first.seconds), duration_text(*first.seconds * count / static_cast<double>(at_once)),
                        at_once, static_cast<double>(first.row_bytes) * count * 1e-6));
        return exit_code::nothing_found;
    }
    sweeps::StudyDatabase database(options.out, study, points, program_text());
    return StudyRun(options, study, points, database).go();
}

}  // namespace

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
    command->add_option("-j,--jobs", options->jobs, "points at once (default: one a processor)")->type_name("NUMBER");
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
        "  magicwire study big.yaml --part $SLURM_ARRAY_TASK_ID/100   # in each job of an array of 100\n"
        "  magicwire study big.yaml --collect big.db.*-of-100\n");
    command->require_subcommand(0, 1);
    add_study_views(*command, result);
    command->callback([command, options, &result] {
        if (!command->get_subcommands().empty()) return;
        if (options->file.empty()) throw CLI::RequiredError("FILE");
        result = study(*options);
    });
}

}  // namespace cli
