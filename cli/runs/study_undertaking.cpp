#include "runs/study_undertaking.hpp"

#include <fmt/format.h>

#include <sweeps/slurm_engine.hpp>
#include <text/shell_words.hpp>

#include "frame/command.hpp"
#include "frame/run_options.hpp"

namespace cli {

Undertaking::Undertaking(const StudyOptions& options, const sweeps::Study& study, const sweeps::Points& points,
                         sweeps::Failures failures)
    : options_(options), study_(study), points_(points), database_(options.out, study, points, program_text(), failures) {
    sweeps::collect_parts(options.out, database_);
    const Part part = part_of(options);
    for (std::size_t i = part.number - 1; i < points.size(); i += part.of, ++all_)
        if (!database_.done()[i]) wanted_.push_back(i);
    kept_ = all_ - wanted_.size();
}

std::size_t Undertaking::done() const {
    std::size_t count = 0;
    const Part part = part_of(options_);
    for (std::size_t i = part.number - 1; i < points_.size(); i += part.of) count += database_.done()[i] ? 1 : 0;
    return count;
}

int Undertaking::finish(std::optional<double> own, bool was_interrupted) {
    database_.flush();
    const std::size_t there = done();
    if (!options_.quiet) tell(own, there);
    if (!sweeps::SlurmEngine::is_under_way(options_.out)) sweeps::remove_parts_folder(options_.out);
    if (was_interrupted) return exit_code::interrupted;
    return database_.failures() > 0 ? exit_code::unknown : exit_code::nothing_found;
}

void Undertaking::tell(std::optional<double> own, std::size_t there) const {
    put(fmt::format("study {}: {} of {} points{} are in {}{}", study_.name, there, all_,
                    options_.part.empty() ? "" : " of part " + options_.part, options_.out,
                    kept_ > 0 ? fmt::format(", {} of them from before", kept_) : ""));
    if (database_.outdated() > 0)
        put(
            fmt::format("  {} rows from before no longer held, since an input, the program or the study has changed; "
                        "{}.before has them",
                        database_.outdated(), options_.out));
    if (database_.failures() > 0)
        put(fmt::format("  {} of them failed; 'magicwire study show {}' tells why", database_.failures(),
                        text::shell_word(options_.out)));
    if (const std::size_t attempts = database_.attempts(); attempts > 0)
        put(fmt::format("  jobs ended before {} of their points had a row; the table 'attempts' tells which, and how",
                        attempts));
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
    if (there > kept_)
        put(fmt::format("  {} for {} points{}", duration_text(seconds), there - kept_,
                        own ? fmt::format("; {:.0f} % of the processor time was the points' own", 100 * *own) : ""));
    if (there < all_) put("  the same command goes on from here");
}

}  // namespace cli
