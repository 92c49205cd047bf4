// replay of a scenario's record: from images at the recovery line, or from the begin of the run.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <mpi_runs/event_gate.hpp>
#include <mpi_runs/rank_image.hpp>
#include <vocabulary/errors.hpp>

#include "frame/command.hpp"
#include "frame/interrupt.hpp"
#include "recovery/breakpoint_words.hpp"
#include "recovery/fixed_addresses.hpp"
#include "recovery/image_folder.hpp"
#include "recovery/line_of_run.hpp"
#include "recovery/record_again.hpp"
#include "recovery/recorded_run.hpp"
#include "recovery/scenario_run.hpp"
#include "recovery/scenario_runs.hpp"

namespace cli {
namespace {

using namespace tmon_recovery;
using nlohmann::ordered_json;

// The place where a replay begins: a line with all of its images, or the begin of the run and the reason.
struct Begin {
    std::optional<MessageLog> messages{};
    std::vector<std::optional<mpi_runs::RankImage>> images{};  // of each process; empty: it begins with the run
    std::vector<EventNo> after{};
    std::vector<std::int64_t> begins_ns{};  // clock of each process where it goes on
    std::string why_not{};                  // it is the begin of the run
    bool at_line() const { return messages.has_value(); }
};

class Preparation {
public:
    // `only` as for line_of_run().
    Preparation(const RecordedRun& record, const Intervals& intervals, const FoundLine& line, const std::string& folder,
                const std::vector<bool>& only)
        : record_(record), intervals_(intervals), line_(line), folder_(folder), files_(folder), only_(only) {}

    Begin run(ScenarioRun& scenario) {
        if (scenario.shares_nodes()) return from_start("some node has several ranks, which share its memory");
        scenario.load();
        std::string why;
        Begin begin;
        begin.messages = files_.log_of(record_, !only_.empty(), why);
        if (begin.messages && find_images(begin, scenario, why)) return begin;
        std::fprintf(stderr, "magicwire: %s%sthe run is made again for images\n", why.c_str(), why.empty() ? "" : "; ");
        Kept kept;
        try {
            kept = keep_images(record_, intervals_, scenario, folder_, !only_.empty());
        } catch (const std::exception& error) {  // as on a full disk
            return from_start(error.what());
        }
        if (!kept.divergence.empty()) return from_start("no images can be made: " + kept.divergence);
        std::fprintf(stderr, "magicwire: %s\n", text_of(kept).c_str());
        begin.messages = files_.log_of(record_, !only_.empty(), why);
        if (begin.messages && find_images(begin, scenario, why)) return begin;
        return from_start(why.empty() ? kept.why : why);
    }

    // Empty: there is no such image.
    std::optional<std::string> difference(ProcessNo process, EventNo after, const user_programs::ProcessImage& now) const try {
        const std::uint32_t index = intervals_.checkpoints()[intervals_.before(process, after)].index;
        const std::string path = files_.image(process, index);
        if (mpi_runs::read_image_head(path).memory_hash == now.memory_hash()) return "";
        return mpi_runs::read_image(path).process.first_difference(now);
    } catch (const vocabulary::InputError&) {
        return std::nullopt;
    }

    Begin from_start(const std::string& why) const {
        Begin begin;
        begin.after.resize(line_.set.size());
        begin.why_not = why;
        return begin;
    }

private:
    // False: one of them is missing, or belongs to other addresses.
    bool find_images(Begin& begin, const ScenarioRun& scenario, std::string& why) const {
        const std::uint64_t identity = ImageFolder::identity_of(record_);
        begin.images.clear();
        begin.after.clear();
        begin.begins_ns.clear();
        for (ProcessNo process = 0; process < line_.set.size(); ++process) {
            const EventNo after = intervals_.checkpoints()[line_.line[process]].after;
            begin.after.push_back(after);
            auto& image = begin.images.emplace_back();
            auto& begins_ns = begin.begins_ns.emplace_back(record_.graph().time(process, after));
            if (after == 0 || (!only_.empty() && !only_[process])) continue;
            const std::string path = files_.image(process, intervals_.checkpoints()[intervals_.before(process, after)].index);
            try {
                image = mpi_runs::read_image(path);
                begins_ns += std::int64_t{image->since_us} * 1000;
                const bool is_it = image->run == identity && image->rank == process && image->after == after;
                if (is_it && image->addresses.fit(scenario.loaded().addresses(process))) continue;
                why =
                    path + (is_it ? " was made with the program at other addresses" : " is an image of another run or moment");
            } catch (const vocabulary::InputError& error) {
                why = error.what();
            }
            return false;
        }
        return true;
    }

    const RecordedRun& record_;
    const Intervals& intervals_;
    const FoundLine& line_;
    const std::string folder_;
    const ImageFolder files_;
    const std::vector<bool>& only_;
};

// The checkpoints of each process between line and breakpoint.
std::vector<std::vector<EventNo>> checkpoints_on_the_way(const Intervals& intervals, const FoundLine& line,
                                                         const Begin& begin) {
    std::vector<std::vector<EventNo>> all(line.set.size());
    for (ProcessNo process = 0; process < line.set.size(); ++process) {
        for (CheckpointNo at = intervals.first_of(process); at <= intervals.last_of(process); ++at) {
            const EventNo after = intervals.checkpoints()[at].after;
            if (after <= begin.after[process] || after >= line.set[process]) continue;
            if (all[process].empty() || all[process].back() < after) all[process].push_back(after);
        }
    }
    return all;
}

std::string differences_text(const mpi_runs::EventGate& gate) {
    std::string text;
    for (const auto& its : gate.memory_differences())
        text += fmt::format("{}P{} behind event {} in {}", text.empty() ? "" : ", ", its.rank, its.after, its.where);
    return text;
}

struct Repeated {
    const FoundLine& line;
    const mpi_runs::EventGate& gate;
    const Begin& begin;
    const std::vector<bool>& only;  // empty: all ran
    bool ran(std::size_t rank) const { return only.empty() || only[rank]; }
    bool as_recorded(std::size_t rank) const {
        return gate.stop(rank).reached && gate.stop(rank).hash == gate.recorded_hash(rank);
    }
    std::int64_t predicted_ns = 0;
    std::int64_t took_us = 0;
};

std::string memory_text(const mpi_runs::EventGate& gate) {
    if (gate.compared_memories() == 0) return "memory was not compared, as no process passed a checkpoint with an image";
    return fmt::format("memory was compared at {} checkpoints on the way, and differed at {}", gate.compared_memories(),
                       gate.memory_differences().size());
}

std::string text_of(const RecordedRun& run, const Repeated& its) {
    std::string text = "PROCESS  BEGINS AT  EVENT     LINE                     EVENTS AND CONTENTS\n";
    for (std::size_t rank = 0; rank < its.line.set.size(); ++rank) {
        const auto stop = its.gate.stop(rank);
        if (!its.ran(rank)) continue;
        text += fmt::format("{:<8} {:<10} {:<9} {:<24} {:016x} {}\n", fmt::format("P{}", rank), its.begin.after[rank],
                            stop.event, run.line_of(static_cast<ProcessNo>(rank), stop.event), stop.hash,
                            its.as_recorded(rank) ? "as recorded" : "not at its breakpoint");
    }
    if (!its.begin.at_line())
        return text + fmt::format(
                          "\nreplayed from the begin of the run in {} of modelled time\n"
                          "from images: distance {}, predicted {}, bound {}\n",
                          seconds_text(its.took_us * 1000), seconds_text(its.line.distance_ns), seconds_text(its.predicted_ns),
                          seconds_text(its.line.bound_ns));
    return text + fmt::format(
                      "\nreplayed from images at the line in {} of modelled time; distance {}, predicted {}, bound {}\n"
                      "{} packets came from the log, and {} were swallowed\n"
                      "{}\n",
                      seconds_text(its.took_us * 1000), seconds_text(its.line.distance_ns), seconds_text(its.predicted_ns),
                      seconds_text(its.line.bound_ns), its.gate.fed_packets(), its.gate.swallowed_packets(),
                      memory_text(its.gate));
}

std::string json_of(const Repeated& its) {
    ordered_json json{{"schema", "magicwire.replay/1"},
                      {"begins_at", its.begin.at_line() ? "line" : "start"},
                      {"why_not_line", its.begin.at_line() ? ordered_json(nullptr) : ordered_json(its.begin.why_not)},
                      {"took_ns", its.took_us * 1000},
                      {"distance_ns", its.line.distance_ns},
                      {"predicted_ns", its.predicted_ns},
                      {"bound_ns", its.line.bound_ns},
                      {"fed_packets", its.gate.fed_packets()},
                      {"swallowed_packets", its.gate.swallowed_packets()},
                      {"compared_memories", its.gate.compared_memories()},
                      {"memory_differences", differences_text(its.gate)},
                      {"divergence", nullptr},
                      {"processes", ordered_json::array()}};
    if (its.gate.divergence()) json["divergence"] = *its.gate.divergence();
    for (std::size_t rank = 0; rank < its.line.set.size(); ++rank) {
        const auto stop = its.gate.stop(rank);
        json["processes"].push_back({{"runs", its.ran(rank)},
                                     {"begins_behind", its.begin.after[rank]},
                                     {"event", stop.event},
                                     {"breakpoint", its.line.set[rank]},
                                     {"reached", stop.reached},
                                     {"hash", fmt::format("{:016x}", stop.hash)},
                                     {"recorded_hash", fmt::format("{:016x}", its.gate.recorded_hash(rank))},
                                     {"took_ns", static_cast<std::int64_t>(stop.took_us) * 1000}});
    }
    return json.dump(2);
}

// Each rank is at its breakpoint, by the recorded events and contents.
bool holds(const Repeated& its) {
    for (std::size_t rank = 0; rank < its.line.set.size(); ++rank)
        if (its.ran(rank) && !its.as_recorded(rank)) return false;
    return !its.gate.divergence();
}

// Words of --only: "P1,P3". Empty: none is named.
std::vector<bool> processes_of(const RecordedRun& run, const std::string& words) {
    std::vector<bool> named;
    if (words.empty()) return named;
    named.resize(run.graph().processes());
    std::istringstream text(words + ",");
    for (std::string word; std::getline(text, word, ',');) {
        const std::uint64_t number =
            word.starts_with('P') ? whole_number("--only", word.substr(1)) : std::uint64_t{named.size()};
        if (number >= named.size())
            throw CLI::ValidationError(
                "--only", fmt::format("expected processes from P0 to P{}, as P0,P1, and got '{}'", named.size() - 1, word));
        named[number] = true;
    }
    return named;
}

int end_of(const RecordedRun& run, const Repeated& its, const mpi_runs::Result& result) {
    if (its.gate.divergence()) {
        tell_error(exit_code::self_check, *its.gate.divergence());
        return exit_code::self_check;
    }
    if (!its.gate.memory_differences().empty())
        std::fprintf(stderr,
                     "magicwire: memory is not what it was at %s: the program reads something that is not recorded, as a clock "
                     "or a file\n",
                     differences_text(its.gate).c_str());
    if (holds(its)) return run.exit_code();
    if (interrupted != 0) return exit_code::interrupted;
    if (result.end == mpi_runs::End::Limit) return tell_end(result);
    tell_error(exit_code::self_check, "not all processes came to their breakpoints; the table says which");
    return exit_code::self_check;
}

}  // namespace

int replay_scenario(const ScenarioReplayOptions& options) try {
    fix_addresses();
    const RecordedRun record(options.folder);
    const Intervals intervals = record.intervals();
    const std::vector<bool> only = processes_of(record, options.only);
    if (!only.empty() && options.from_start)
        throw CLI::ValidationError("--only", "needs images, so it does not go with --from-start");
    const FoundLine line =
        line_of_run(record, intervals, kept_choice(), breakpoint_set(record, options.at, options.causal), only);
    const scenario::Scenario its = scenario_of_record(record, options.folder, options.set, options.seed);
    ScenarioRun again(its, options.limit);
    Preparation preparation(record, intervals, line, options.folder, only);
    const Begin begin = options.from_start ? preparation.from_start("--from-start") : preparation.run(again);
    if (interrupted != 0) return exit_code::interrupted;
    if (!begin.at_line() && !options.from_start)
        std::fprintf(stderr, "magicwire: the replay begins with the run: %s\n", begin.why_not.c_str());
    if (!begin.at_line() && !only.empty())
        throw vocabulary::InputError({options.folder, 0, 0}, "processes cannot run alone without images: " + begin.why_not);
    const Replay predicted = predict(record.graph(), intervals, line.log, line.line, line.set, 0, begin.begins_ns);
    mpi_runs::EventGate gate(record.graph(), record.record(), line.set);
    std::optional<mpi_runs::ReplayStart> start;
    if (begin.at_line())
        gate.begins_at(start.emplace(
            mpi_runs::ReplayStart{.after = begin.after,
                                  .log = line.log,
                                  .messages = *begin.messages,
                                  .image = [&begin](std::size_t rank) { return *begin.images[rank]; },
                                  .runs = only.empty() ? std::vector<bool>(line.set.size(), true) : only,
                                  .compared = checkpoints_on_the_way(intervals, line, begin),
                                  .compare =
                                      [&](std::size_t rank, EventNo after, const user_programs::ProcessImage& now) {
                                          return preparation.difference(static_cast<ProcessNo>(rank), after, now);
                                      }}));
    if (options.json) again.keep_standard_output();
    const mpi_runs::Result result = again.run(gate);
    Repeated repeated{line, gate, begin, only};
    for (std::size_t rank = 0; rank < line.set.size(); ++rank) {
        if (!repeated.ran(rank)) continue;
        repeated.took_us = std::max(repeated.took_us, static_cast<std::int64_t>(gate.stop(rank).took_us));
        repeated.predicted_ns = std::max(repeated.predicted_ns, predicted.reached_ns[rank]);
    }
    std::fflush(stdout);
    if (options.json)
        put(json_of(repeated));
    else
        std::fputs(text_of(record, repeated).c_str(), stdout);
    return end_of(record, repeated, result);
} catch (const BehindCut& error) {
    tell_error(exit_code::unknown, error.what());
    return exit_code::unknown;
}

}  // namespace cli
