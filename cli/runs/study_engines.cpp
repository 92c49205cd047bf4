#include "runs/study_engines.hpp"

#include <chrono>
#include <filesystem>
#include <optional>
#include <thread>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sweeps/mpi_engine.hpp>
#include <sweeps/slurm_engine.hpp>
#include <sweeps/study_database.hpp>
#include <topologies/strict_yaml.hpp>
#include <vocabulary/errors.hpp>

#include "frame/command.hpp"
#include "frame/progress_line.hpp"
#include "frame/run_options.hpp"
#include "runs/study_pilot.hpp"
#include "runs/study_point.hpp"
#include "runs/study_work.hpp"

namespace cli {

using sweeps::Points;
using sweeps::Study;
using sweeps::StudyDatabase;

namespace {

double seconds_since(std::chrono::steady_clock::time_point began) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

// A study of this command, with its database, and what the command says at its end.
class Undertaking {
public:
    Undertaking(const StudyOptions& options, const Study& study, const Points& points, sweeps::Failures failures)
        : options_(options), study_(study), points_(points), database_(options.out, study, points, program_text(), failures) {
        sweeps::collect_parts(options.out, database_);
        for (std::size_t i = part().first; i < points.size(); i += part().step, ++all_)
            if (!database_.done()[i]) wanted_.push_back(i);
        kept_ = all_ - wanted_.size();
    }

    StudyDatabase& database() { return database_; }
    const std::vector<std::size_t>& wanted() const { return wanted_; }
    std::size_t all() const { return all_; }
    std::size_t kept() const { return kept_; }
    std::size_t done() const {
        std::size_t count = 0;
        for (std::size_t i = part().first; i < points_.size(); i += part().step) count += database_.done()[i] ? 1 : 0;
        return count;
    }

    // `own`: the share of the processor time that was the points', 0 to 1; empty: not known.
    int finish(std::optional<double> own, bool was_interrupted) {
        database_.flush();
        const std::size_t there = done();
        put(fmt::format("study {}: {} of {} points{} are in {}{}", study_.name, there, all_,
                        options_.part.empty() ? "" : " of part " + options_.part, options_.out,
                        kept_ > 0 ? fmt::format(", {} of them from before", kept_) : ""));
        if (database_.outdated() > 0)
            put(fmt::format("  {} rows from before no longer held, since an input, the program or the study has changed; "
                            "{}.before has them",
                            database_.outdated(), options_.out));
        if (database_.failures() > 0)
            put(fmt::format("  {} of them failed; 'magicwire study show {}' tells why", database_.failures(), quoted(options_.out)));
        if (there > kept_)
            put(fmt::format("  {} for {} points{}", duration_text(seconds_since(began_)), there - kept_,
                            own ? fmt::format("; {:.0f} % of the processor time was the points' own", 100 * *own) : ""));
        if (there < all_) put("  the same command goes on from here");
        if (!sweeps::SlurmEngine::is_under_way(options_.out)) sweeps::remove_parts_folder(options_.out);
        if (was_interrupted) return exit_code::interrupted;
        return database_.failures() > 0 ? exit_code::unknown : exit_code::nothing_found;
    }

private:
    struct Stride {
        std::size_t first = 0, step = 1;
    };
    Stride part() const {  // "3/10" has been checked
        const std::size_t slash = options_.part.find('/');
        if (slash == std::string::npos) return {};
        return {std::stoul(options_.part.substr(0, slash)) - 1, std::stoul(options_.part.substr(slash + 1))};
    }

    const StudyOptions& options_;
    const Study& study_;
    const Points& points_;
    StudyDatabase database_;
    std::vector<std::size_t> wanted_;
    std::size_t all_ = 0, kept_ = 0;
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace

int study_dry_run(const Study& study, const Points& points, std::size_t at_once) {
    const Pilot first = pilot(study, points);
    if (interrupted != 0) return exit_code::interrupted;
    const auto count = static_cast<double>(points.size());
    if (!first.seconds)
        throw vocabulary::RequestError(
            "the first point fails, so time and measures are not known; run one alone to see why: " + points[0].repeat);
    put(fmt::format("study {}: {} points, {} a point: about {} with {} at once; about {:.3g} MB", study.name, points.size(),
                    duration_text(*first.seconds), duration_text(*first.seconds * count / static_cast<double>(at_once)), at_once,
                    static_cast<double>(first.row_bytes) * count * 1e-6));
    return exit_code::nothing_found;
}

int study_here(const StudyOptions& options, const Study& study, const Points& points) {
    const std::size_t at_once = jobs_of(options, processors());
    if (options.dry_run) return study_dry_run(study, points, at_once);
    pilot(study, points);
    if (interrupted != 0) return exit_code::interrupted;
    Undertaking it(options, study, points, sweeps::Failures::RunAgain);
    StudyWork work(study, points, it.database());
    sweeps::PointList wanted(it.wanted());
    ProgressLine line(options.progress);
    const double before = processor_seconds();
    work.run(wanted, at_once, [&](std::size_t ended) { return line.steps("study", it.kept() + ended, it.all()); });
    line.clear();
    const double all = std::max(work.own_seconds(), processor_seconds() - before);
    return it.finish(all > 0 ? work.own_seconds() / all : 1, interrupted != 0);
}

int study_chunk(const StudyOptions& options, const Study& study, const Points& points) {
    const auto chunk = sweeps::points_of_chunk(options.chunk_of, fingerprint_of(options));
    const std::size_t at_once = jobs_of(options, 1);
    StudyDatabase database(sweeps::parts_file(options.out, options.part_name + ".db"), study, points, program_text(),
                           sweeps::Failures::Keep);
    sweeps::UnderWay under_way(sweeps::parts_file(options.out, options.part_name + ".running"), at_once);
    std::vector<std::size_t> wanted;
    for (const std::size_t point : chunk)
        if (!database.done().at(point)) wanted.push_back(point);
    sweeps::PointList list(std::move(wanted));
    StudyWork(study, points, database).run(list, at_once, [](std::size_t) { return interrupted == 0; }, &under_way);
    if (interrupted != 0) return exit_code::interrupted;
    under_way.done();
    return exit_code::nothing_found;
}

namespace {

// Minutes of work for a job, but several jobs for a study that has that much.
std::size_t chunk_size(const StudyOptions& options, double seconds, std::size_t at_once, std::size_t points) {
    constexpr double usual = 300, least = 20;
    constexpr double jobs = 100, most_jobs = 5000;
    double most = usual;
    if (!options.chunk.empty()) {
        if (options.chunk.find_first_not_of("0123456789") == std::string::npos) {
            const std::uint64_t count = whole_number("--chunk", options.chunk);
            if (count == 0) throw CLI::ValidationError("--chunk", "a job has one point at least");
            return static_cast<std::size_t>(count);
        }
        most = as_usage([&] { return topologies::parse_time(options.chunk, {"--chunk", 0, 0}); }).in_seconds();
    }
    const double of_one = std::max(1e-6, seconds) / static_cast<double>(at_once), count = static_cast<double>(points);
    double wanted = most / of_one;
    if (options.chunk.empty()) wanted = std::min(wanted, std::max(least / of_one, count / jobs));
    return static_cast<std::size_t>(std::clamp(std::max(wanted, count / most_jobs), 1.0, count));
}

std::string own_path() {
    return std::filesystem::read_symlink("/proc/self/exe").string();
}

std::vector<std::string> sbatch_words(const StudyOptions& options, std::size_t at_once) {
    std::vector<std::string> words{fmt::format("--cpus-per-task={}", at_once)};
    for (const std::string& text : options.sbatch)
        for (const std::string& word : CLI::detail::split_up(text)) words.push_back(word);
    return words;
}

int tell_of_jobs(const StudyOptions& options, Undertaking& it, const sweeps::SlurmResult& result) {
    it.database().flush();
    const std::string jobs = fmt::format("{}", fmt::join(result.jobs, " "));
    if (result.end == sweeps::SlurmEnd::Cancelled)
        put(fmt::format("{} of {} points are in {}; jobs were cancelled, so no more are submitted; the same command does it",
                        it.done(), it.all(), options.out));
    else
        put(fmt::format("{} of {} points are in {}; job {} goes on: the same command collects it, 'scancel {}' ends it", it.done(),
                        it.all(), options.out, jobs, jobs));
    return result.end == sweeps::SlurmEnd::Submitted ? exit_code::nothing_found
           : result.end == sweeps::SlurmEnd::Cancelled ? exit_code::unknown
                                                       : exit_code::interrupted;
}

}  // namespace

int study_on_slurm(const StudyOptions& options, const Study& study, const Points& points) {
    const std::size_t at_once = jobs_of(options, 1);
    if (options.dry_run) return study_dry_run(study, points, at_once);
    const bool goes_on = sweeps::SlurmEngine::is_under_way(options.out);
    const Pilot first = pilot(study, points);
    if (interrupted != 0) return exit_code::interrupted;
    Undertaking it(options, study, points, goes_on ? sweeps::Failures::Keep : sweeps::Failures::RunAgain);
    ProgressLine line(options.progress);
    sweeps::SlurmEngine engine;
    engine.out = options.out;
    engine.fingerprint = fingerprint_of(options);
    engine.command = fmt::format("{} study {} --out {} --jobs {} --progress never", quoted(own_path()), quoted(options.file),
                                 quoted(options.out), at_once);
    engine.chunk_option = "--chunk-of";
    engine.part_option = "--part-name";
    engine.sbatch = sbatch_words(options, at_once);
    engine.chunk = chunk_size(options, first.seconds.value_or(study.seconds), at_once, points.size());
    engine.wait = !options.no_wait;
    engine.go_on = [&](const std::string& jobs) {
        return line.steps(("study, " + jobs).c_str(), it.done(), it.all()) && interrupted == 0;
    };
    engine.tell = [&](const std::string& news) {
        line.clear();
        tell_error(exit_code::unknown, news);
    };
    const sweeps::SlurmResult result = engine.run(points, it.database());
    line.clear();
    if (result.end == sweeps::SlurmEnd::Complete) return it.finish(std::nullopt, false);
    return tell_of_jobs(options, it, result);
}

namespace {

// A killed job's processes may not be gone yet.
StudyDatabase open_part(const std::string& path, const Study& study, const Points& points) {
    constexpr auto pause = std::chrono::milliseconds(250);
    for (int attempts = 20;; --attempts) {
        try {
            return {path, study, points, program_text(), sweeps::Failures::Keep};
        } catch (const sweeps::DatabaseBusy&) {
            if (attempts == 0) throw;
        }
        std::this_thread::sleep_for(pause);
    }
}

int work_for_rank_0(const StudyOptions& options, sweeps::Ranks& ranks) {
    const std::size_t at_once = jobs_of(options, 1);
    sweeps::RankSource source(ranks, at_once);
    const auto fingerprint = source.begin();
    if (fingerprint) {
        if (*fingerprint != fingerprint_of(options))
            throw vocabulary::RequestError(fmt::format(
                "rank {} has another study file or another program than rank 0; all need the same", ranks.rank()));
        const Study study = sweeps::read_study(options.file);
        const Points points(study, repeat_line);
        StudyDatabase database =
            open_part(sweeps::parts_file(options.out, fmt::format("rank-{}.db", ranks.rank())), study, points);
        StudyWork work(study, points, database);
        std::size_t told = 0;
        work.run(source, at_once, [&](std::size_t ended) {
            for (; told < ended; ++told) source.ended();
            return interrupted == 0;
        });
        for (; told < work.ended(); ++told) source.ended();
    }
    if (interrupted != 0) return exit_code::interrupted;
    if (fingerprint) source.close();
    ranks.leave();
    return exit_code::nothing_found;
}

int hand_out(const StudyOptions& options, sweeps::Ranks& ranks) {
    const Study study = sweeps::read_study(options.file);
    const Points points(study, repeat_line);
    check_values(study, points);
    const std::size_t workers = ranks.size() - 1;
    if (options.dry_run) {
        const int result = study_dry_run(study, points, workers * jobs_of(options, 1));
        sweeps::HandOut::nothing(ranks);
        return result;
    }
    const Pilot first = pilot(study, points);
    if (interrupted != 0) return exit_code::interrupted;
    Undertaking it(options, study, points, sweeps::Failures::RunAgain);
    ProgressLine line(options.progress);
    sweeps::HandOut engine;
    constexpr double seconds_at_a_time = 2;
    engine.most = static_cast<std::size_t>(std::clamp(
        seconds_at_a_time * static_cast<double>(jobs_of(options, 1)) / std::max(1e-6, first.seconds.value_or(1)), 1.0, 1000.0));
    engine.go_on = [&](std::size_t ended) { return line.steps("study", it.kept() + ended, it.all()) && interrupted == 0; };
    engine.run(ranks, fingerprint_of(options), it.wanted());
    line.clear();
    sweeps::collect_parts(options.out, it.database());
    return it.finish(std::nullopt, interrupted != 0);
}

}  // namespace

int study_over_mpi(const StudyOptions& options) {
    sweeps::Ranks ranks(std::filesystem::path(own_path()).parent_path() / "magicwire-mpi");
    if (ranks.rank() > 0) return work_for_rank_0(options, ranks);
    if (ranks.size() == 1) {
        ranks.leave();
        const Study study = sweeps::read_study(options.file);
        const Points points(study, repeat_line);
        check_values(study, points);
        return study_here(options, study, points);
    }
    int result = exit_code::nothing_found;
    try {
        result = hand_out(options, ranks);
    } catch (const std::exception& error) {
        result = tell_error(error);
        sweeps::HandOut::nothing(ranks);
    }
    // The others of an interrupted job end with it.
    if (result != exit_code::interrupted) ranks.leave();
    return result;
}

}  // namespace cli
