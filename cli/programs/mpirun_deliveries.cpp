#include "programs/mpirun_deliveries.hpp"

#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include <mpi_runs/flips.hpp>
#include <mpi_runs/polls.hpp>
#include <text/output_file.hpp>
#include <vocabulary/errors.hpp>

#include "frame/command.hpp"

namespace cli {
namespace {

using tmon_replay::CallKind;
using tmon_replay::CallOutcome;

std::string receives_text(const CallOutcome& its) {
    return its.first == its.last ? fmt::format("receive {}", its.first) : fmt::format("receives {} to {}", its.first, its.last);
}

std::string came_text(const lam_mpi::Divergence& its) {
    switch (its.came) {
        case LAM_CAME_END:
            return "the program has ended before";
        case LAM_CAME_INACTIVE:
            return its.kind == LAM_EVENT_CANCEL ? "the message has been received" : "no request of this index is active";
        case LAM_CAME_MORE:
            return fmt::format("the program has begun {} receives", its.counter);
        default:
            return fmt::format("the program names rank {}", its.came);
    }
}

std::string wanted_text(const lam_mpi::Divergence& its) {
    if (its.came == LAM_CAME_MORE) return fmt::format("{} receives in all", its.wanted);
    switch (static_cast<CallKind>(its.kind)) {
        case CallKind::Receive:
        case CallKind::Iprobe:
            return its.wanted < 0 ? "no message" : fmt::format("a message of rank {}", its.wanted);
        case CallKind::Test:
        case CallKind::Cancel:
            return "success";
        default:
            return fmt::format("the request of index {}", its.wanted);
    }
}

}  // namespace

void DeliveryOptions::add_to(CLI::App& command) {
    command.add_flag("--races", races, "tell which receives could have taken another message");
    command.add_option("--record", record, "write what came in which order, for --replay")
        ->type_name("F.mwo")
        ->check(file_name());
    command.add_option("--replay", replay, "let the same messages come in the same order")
        ->type_name("F.mwo")
        ->check(file_name());
    command.add_flag("--other-build", other_build,
                     "with --replay: the program is another build of the recorded one, as for a real MPI");
    command.add_option("--rule", rule, "of races. exact: none is missed; annai: as its authors printed it")
        ->check(CLI::IsMember({"exact", "annai"}))
        ->type_name("RULE");
    command.add_option("--stamps", stamps, "clocks in the messages. full: whole ones; changed: what has changed of them")
        ->check(CLI::IsMember({"full", "changed"}))
        ->type_name("FORM");
    command.add_flag("-f,--force", force, "replace the file of --record");
}

Deliveries::Deliveries(const DeliveryOptions& options, tmon_replay::RunIdentity run) : options_(options), run_(std::move(run)) {
    if (!options_.replay.empty() || !options_.record.empty()) run_.program_hash = tmon_replay::hash_of_file(run_.program);
    if (!options_.replay.empty() && (options_.races || !options_.record.empty()))
        throw CLI::ValidationError("--replay",
                                   "a replay sends no stamps, so it finds and records nothing; leave --record and --races");
    if (!options_.replay.empty()) {
        replayed_ = tmon_replay::read_mwo(options_.replay);
        tmon_replay::RunIdentity now = run_;
        if (options_.other_build) now.program_hash = replayed_.run.program_hash;
        const std::string other = tmon_replay::difference(replayed_.run, now);
        const bool is_hash = replayed_.run.program_hash != now.program_hash;
        if (!other.empty())
            throw vocabulary::InputError({options_.replay, 0, 0},
                                         other + "; only the same run can be repeated" +
                                             (is_hash ? "; --other-build takes it for another build of the same program" : ""));
    }
    run_.rule = options_.rule;
    run_.stamps = options_.stamps;
    run_.all_sources = options_.races;
    ranks_.resize(run_.ranks);
    if (options_.record.empty()) return;
    text::check_output_file(options_.record, options_.force ? text::Replace::Yes : text::Replace::No);
    writer_ = std::make_unique<tmon_replay::MwoWriter>(options_.record, run_);
}

void Deliveries::plan(mpi_runs::Plan& plan) {
    if (!options_.replay.empty()) plan.repeats = &replayed_;
    if (!writer_ && !options_.races) return;
    plan.stamping = mpi_runs::Stamping{
        .changes = options_.stamps == "changed", .annai = options_.rule == "annai", .all_sources = options_.races};
    plan.recorded = [this](std::size_t rank, const tmon_replay::RankOrder& news) {
        if (rank >= ranks_.size()) return;
        if (options_.races) {
            ranks_[rank].outcomes.insert(ranks_[rank].outcomes.end(), news.outcomes.begin(), news.outcomes.end());
            if (news.known != tmon_replay::Counters{}) ranks_[rank].known = news.known;
        }
        if (!writer_) return;
        writer_->add(rank, news.outcomes);
        if (!news.clock.empty()) writer_->clock(rank, news.clock);
        if (news.ended) return writer_->ended(rank, *news.ended);
        if (news.known != tmon_replay::Counters{}) writer_->known(rank, news.known);
    };
}

void Deliveries::finish(const mpi_runs::Result& result) {
    if (writer_) writer_->finish(mpi_runs::end_name(result.end));
    for (tmon_replay::RankOrder& rank : ranks_) rank.outcomes = tmon_replay::in_order(std::move(rank.outcomes), false);
    if (options_.races) tell_races();
}

void Deliveries::tell_races() const {
    std::size_t receives = 0;
    std::string lines;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
        for (const CallOutcome& its : ranks_[rank].outcomes) {
            if (its.kind != CallKind::Receive || its.others.empty()) continue;
            receives += static_cast<std::size_t>(its.last - its.first) + 1;
            lines += fmt::format("  rank {}, {}: rank {} came, and rank{} {} could have\n", rank, receives_text(its),
                                 its.source, its.others.size() == 1 ? "" : "s", fmt::join(its.others, ", "));
        }
    }
    std::fflush(stdout);
    const std::string left_out = mpi_runs::left_out({.ranks = ranks_}, run_.rule == "annai");
    if (receives == 0) {
        std::fprintf(stderr, "races: no receive could have taken another message%s\n",
                     left_out.empty() ? "" : ("; " + left_out).c_str());
    } else {
        std::fprintf(stderr, "races: %zu receive%s could have taken another message\n%s", receives, receives == 1 ? "" : "s",
                     lines.c_str());
    }
    const std::vector<mpi_runs::Poll> polls = mpi_runs::polls_of(ranks_);
    if (polls.empty()) return;
    std::fprintf(stderr, "polls: what these calls find depends on time\n");
    for (const mpi_runs::Poll& poll : polls) std::fprintf(stderr, "  %s\n", mpi_runs::text_of(poll).c_str());
}

std::string Deliveries::divergence(const mpi_runs::Result& result) const {
    if (result.diverged) {
        const lam_mpi::Divergence& its = *result.diverged;
        return fmt::format("rank {} does not repeat '{}': at {} {} it had {}, and now {}", its.rank, options_.replay,
                           tmon_replay::call_names.at(static_cast<std::size_t>(its.kind)), its.counter, wanted_text(its),
                           came_text(its));
    }
    if (options_.replay.empty() || result.end != mpi_runs::End::Standstill || replayed_.end == mpi_runs::end_name(result.end))
        return {};
    return fmt::format("the run stands still, and that of '{}' {}; the message that a rank waits for does not come",
                       options_.replay, replayed_.whole() ? "did not" : "was cut off before it did");
}

void Deliveries::add_races(nlohmann::ordered_json& object) const {
    if (!options_.races) return;
    nlohmann::ordered_json races = nlohmann::ordered_json::array();
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
        for (const CallOutcome& its : ranks_[rank].outcomes) {
            if (its.kind != CallKind::Receive || its.others.empty()) continue;
            races.push_back(
                {{"rank", rank}, {"first", its.first}, {"last", its.last}, {"source", its.source}, {"others", its.others}});
        }
    }
    object["races"] = races;
    nlohmann::ordered_json polls = nlohmann::ordered_json::array();
    for (const mpi_runs::Poll& poll : mpi_runs::polls_of(ranks_))
        polls.push_back({{"rank", poll.rank},
                         {"function", mpi_runs::function_of(poll.kind)},
                         {"succeeded", poll.found},
                         {"calls", poll.calls},
                         {"otherwise", poll.likely ? "likely" : "unknown"}});
    object["polls"] = polls;
}

}  // namespace cli
