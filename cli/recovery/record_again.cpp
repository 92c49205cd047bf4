#include "recovery/record_again.hpp"

#include <exception>
#include <functional>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <forks/forks.hpp>
#include <mpi_runs/event_gate.hpp>
#include <tmon_recovery/message_log.hpp>
#include <vocabulary/errors.hpp>
#include <vocabulary/source_position.hpp>

#include "frame/command.hpp"
#include "frame/interrupt.hpp"
#include "recovery/fixed_addresses.hpp"
#include "recovery/image_folder.hpp"
#include "recovery/line_of_run.hpp"

namespace cli {

using namespace tmon_recovery;

LoggingChoice kept_choice() {
    return logging_choice("mrt", "printed");
}

namespace {

// The run itself, in the child.
class Keeper {
public:
    Keeper(const RecordedRun& record, const Intervals& intervals, const std::string& folder, bool all)
        : record_(record), intervals_(intervals), place_(folder), files_(place_.draft()) {
        messages_.emplace(files_.messages(), ImageFolder::manifest_of(record, all));
        keeping_.log = log_of(record.graph(), intervals, kept_choice());
        if (all) keeping_.log.assign(keeping_.log.size(), LogRule::Every);
        for (ProcessNo process = 0; process < record.graph().processes(); ++process) {
            auto& its = keeping_.images.emplace_back();
            for (CheckpointNo at = intervals.first_of(process); at <= intervals.last_of(process); ++at) {
                const EventNo after = intervals.checkpoints()[at].after;
                const bool is_new = its.empty() || its.back() < after;
                // Behind the last event there is no call in which an image could be made.
                if (after > 0 && after < record.graph().events(process) && is_new) its.push_back(after);
            }
            wanted_ += its.size();
        }
        keeping_.image = [this, identity = ImageFolder::identity_of(record)](mpi_runs::RankImage& image) {
            const Checkpoint& its = intervals_.checkpoints()[intervals_.before(image.rank, image.after)];
            image.run = identity;
            guarded([&] { kept_.image_bytes += write_image(files_.image(image.rank, its.index), image); });
            ++kept_.images;
        };
        keeping_.no_image = [this](std::size_t rank, EventNo after, const std::string& why) {
            if (kept_.why.empty()) kept_.why = fmt::format("P{} behind event {}: {}", rank, after, why);
        };
        keeping_.message = [this](MessageNo message, std::span<const std::byte> words, std::span<const std::byte> body) {
            guarded([&] { messages_->add(message, words, body); });
            kept_.message_bytes += words.size() + body.size();
            ++kept_.messages;
        };
    }

    Kept run(ScenarioRun& scenario) {
        BreakpointSet ends;
        for (ProcessNo process = 0; process < record_.graph().processes(); ++process)
            ends.push_back(record_.graph().events(process));
        mpi_runs::EventGate gate(record_.graph(), record_.record(), ends);
        gate.keeps(keeping_);
        stop_ = [&scenario] { scenario.stop(); };
        const mpi_runs::Result result = scenario.run(gate);
        if (failure_) {
            files_.remove();
            std::rethrow_exception(failure_);
        }
        kept_.took_ns = (result.ended - result.began).in_ps() / 1000;
        kept_.missing = wanted_ - kept_.images;
        kept_.too_long = result.end == mpi_runs::End::Limit;
        if (gate.divergence())
            kept_.divergence = *gate.divergence();
        else if (kept_.too_long)
            kept_.divergence = "the run is not over at the limit of modelled time; raise --limit";
        else if (gate.reached() < ends.size())
            kept_.divergence = fmt::format("the run ends ({}) before all processes have come to the end of the record",
                                           mpi_runs::end_name(result.end));
        kept_.interrupted = interrupted != 0;
        if (kept_.divergence.empty() && !kept_.interrupted) {
            messages_->finish();
            place_.keep(files_);
        } else {
            files_.remove();
        }
        return kept_;
    }

private:
    // An exception does not find its way through the simulation.
    template <class Write>
    void guarded(const Write& write) {
        if (failure_) return;
        try {
            write();
        } catch (const std::exception&) {
            failure_ = std::current_exception();
            stop_();
        }
    }

    const RecordedRun& record_;
    const Intervals& intervals_;
    const ImageFolder place_, files_;  // `files_`: the draft
    std::exception_ptr failure_{};
    std::function<void()> stop_{};
    std::optional<MessageLogWriter> messages_{};
    mpi_runs::Keeping keeping_{};
    Kept kept_{};
    std::size_t wanted_ = 0;
};

nlohmann::ordered_json json_of(const Kept& kept) {
    return {{"images", kept.images},           {"missing_images", kept.missing},     {"image_bytes", kept.image_bytes},
            {"logged_packets", kept.messages}, {"logged_bytes", kept.message_bytes}, {"took_ns", kept.took_ns},
            {"first_missing", kept.why},       {"divergence", kept.divergence}};
}

Kept kept_of(const std::string& text) {
    const auto json = nlohmann::ordered_json::parse(text);
    return {.images = json["images"],
            .missing = json["missing_images"],
            .messages = json["logged_packets"],
            .image_bytes = json["image_bytes"],
            .message_bytes = json["logged_bytes"],
            .took_ns = json["took_ns"],
            .why = json["first_missing"],
            .divergence = json["divergence"],
            .too_long = json["too_long"]};
}

}  // namespace

Kept keep_images(const RecordedRun& record, const Intervals& intervals, ScenarioRun& run, const std::string& folder, bool all) {
    stop_at_interrupt();
    forks::Forks child;
    if (child.start())
        child.deliver_result([&] {
            run.keep_silent();
            const Kept kept = Keeper(record, intervals, folder, all).run(run);
            nlohmann::ordered_json json = json_of(kept);
            json["too_long"] = kept.too_long;
            return json.dump();
        });
    child.wait(0);
    const forks::ChildAnswer& answer = child.answers().front();
    if (answer.how != forks::ChildAnswer::How::Done) forks::throw_failure("the run that keeps images", answer);
    Kept kept = kept_of(answer.bytes);
    kept.interrupted = interrupted != 0;
    return kept;
}

std::string text_of(const Kept& kept) {
    std::string text =
        fmt::format("{} images of {} bytes and {} logged packets of {} bytes are kept, in {} of modelled time", kept.images,
                    kept.image_bytes, kept.messages, kept.message_bytes, seconds_text(kept.took_ns));
    if (kept.missing > 0)
        text += fmt::format("; {} missing{}",
                            kept.missing == 1 ? std::string("1 image is") : fmt::format("{} images are", kept.missing),
                            kept.why.empty() ? "" : ", the first of " + kept.why);
    return text;
}

int record_again(const RecordAgainOptions& options) {
    fix_addresses();
    const RecordedRun record(options.folder);
    const Intervals intervals = record.intervals();
    const scenario::Scenario its = scenario_of_record(record, options.folder, options.set, options.seed);
    ScenarioRun run(its, options.limit);
    if (run.shares_nodes())
        throw vocabulary::InputError({events_file(options.folder), 0, 0},
                                     "some node has several ranks, which share its memory; images need a node for each");
    run.load();
    const Kept kept = keep_images(record, intervals, run, options.folder, options.all_packets);
    if (kept.interrupted) return exit_code::interrupted;
    if (!kept.divergence.empty()) {
        const int code = kept.too_long ? exit_code::budget : exit_code::self_check;
        tell_error(code, kept.divergence);
        return code;
    }
    if (options.json) {
        nlohmann::ordered_json json{{"schema", "magicwire.images/1"}};
        json.update(json_of(kept));
        put(json.dump(2));
    } else {
        put(text_of(kept));
    }
    return record.exit_code();
}

}  // namespace cli
