// study --engine slurm.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sweeps/slurm_engine.hpp>
#include <text/shell_words.hpp>
#include <topologies/strict_yaml.hpp>

#include "frame/command.hpp"
#include "frame/progress_line.hpp"
#include "frame/run_options.hpp"
#include "runs/study_engines.hpp"
#include "runs/study_pilot.hpp"
#include "runs/study_undertaking.hpp"

namespace cli {

using sweeps::Points;
using sweeps::Study;

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

std::vector<std::string> sbatch_words(const StudyOptions& options, std::size_t at_once) {
    std::vector<std::string> words{fmt::format("--cpus-per-task={}", at_once)};
    for (const std::string& text : options.sbatch) {
        const text::ShellWords its = text::shell_words(text);
        if (its.open_quote != '\0') throw CLI::ValidationError("--sbatch", "a quote is not closed in " + text);
        words.insert(words.end(), its.all.begin(), its.all.end());
    }
    return words;
}

int tell_of_jobs(const StudyOptions& options, Undertaking& it, const sweeps::SlurmResult& result) {
    it.database().flush();
    const std::string jobs = fmt::format("{}", fmt::join(result.jobs, " "));
    if (result.end == sweeps::SlurmEnd::Cancelled)
        put(fmt::format("{} of {} points are in {}; jobs were cancelled, so no more are submitted; the same command does it",
                        it.done(), it.all(), options.out));
    else
        put(fmt::format("{} of {} points are in {}; job {} goes on: the same command collects it, 'scancel {}' ends it",
                        it.done(), it.all(), options.out, jobs, jobs));
    return result.end == sweeps::SlurmEnd::Submitted   ? exit_code::nothing_found
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
    engine.command = fmt::format("{} study {} --out {} --jobs {} --progress never", text::shell_word(own_path()),
                                 text::shell_word(options.file), text::shell_word(options.out), at_once);
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

}  // namespace cli
