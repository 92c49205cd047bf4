// races: the races of a recorded run of an MPI program, and their effects.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <host_files/host_files.hpp>
#include <lam_mpi/places.hpp>
#include <mpi_runs/flips.hpp>
#include <tmon_replay/mwo_file.hpp>
#include <vocabulary/errors.hpp>

#include "frame/command.hpp"
#include "frame/interrupt.hpp"
#include "programs/mpirun_deliveries.hpp"
#include "programs/real_runs.hpp"

namespace cli {
namespace {

using mpi_runs::Effect;
using mpi_runs::Flip;
using mpi_runs::Summary;

struct RacesOptions {
    std::string file, flip, files, runs = "1000", limit = "1000";
    bool explore = false, whole = false, json = false;
};

struct Flipped {
    std::size_t id = 0;  // from 1
    Flip flip{};
    std::optional<Effect> effect{};
    std::string what{};
};

const char* effect_text(Effect effect) {
    constexpr const char* names[] = {"deadlock", "abort", "other output", "other time", "nothing", "impossible", "unknown"};
    return names[static_cast<std::size_t>(effect)];
}

// The first line that one of two sorted texts alone has.
std::string other_line(const std::string& run, const std::string& base) {
    std::size_t start = 0;
    for (std::size_t i = 0; i < run.size() && i < base.size() && run[i] == base[i]; ++i) {
        if (run[i] == '\n') start = i + 1;
    }
    if (start >= run.size()) return "a line is missing";
    return "'" + run.substr(start, run.find('\n', start) - start) + "'";
}

std::string what_changes(const Summary& run, const Summary& base, Effect effect) {
    switch (effect) {
        case Effect::Deadlock:
            return fmt::format("rank{} {} wait{} for ever", run.waiting.size() == 1 ? "" : "s", fmt::join(run.waiting, ", "),
                               run.waiting.size() == 1 ? "s" : "");
        case Effect::Abort:
            return fmt::format("the run is {}, exit code {}", mpi_runs::end_name(run.end), run.status);
        case Effect::Output:
            return other_line(run.output, base.output);
        case Effect::Time:
            return fmt::format("{:+.3f} ms", static_cast<double>(run.ended_us - base.ended_us) * 1e-3);
        case Effect::Nothing:
            break;
        case Effect::Impossible:
            return "the other message never comes";
        case Effect::Unknown:
            return "the other message had not come at the limit; raise --limit";
    }
    return {};
}

mpi_runs::Plan plan_of(const tmon_replay::RunIdentity& run, const RacesOptions& options) {
    const auto check = [&](const auto& make) {
        try {
            return make();
        } catch (const CLI::Error& error) {
            throw vocabulary::InputError({options.file, 0, 0}, error.what());
        }
    };
    mpi_runs::Plan plan{.machine = mpi_runs::machine_of(run.machine),
                        .costs = check([&] { return costs_of(run.settings); }),
                        .program = run.program,
                        .arguments = run.arguments,
                        .places = {},
                        .print = {}};
    plan.places = lam_mpi::places_of(run.ranks, plan.machine.nodes.size(), run.map);
    plan.seed = run.seed;
    plan.buffers = run.buffers;
    plan.checks = run.checks;
    plan.limit =
        vocabulary::SimTime::us(static_cast<std::int64_t>(std::min(positive_number("--limit", options.limit), 1e6) * 1e6));
    plan.stamping =
        mpi_runs::Stamping{.changes = run.stamps == "changed", .annai = run.rule == "annai", .all_sources = run.all_sources};
    return plan;
}

tmon_replay::DeliveryOrder recorded(const RacesOptions& options) {
    tmon_replay::DeliveryOrder order = order_in(options.file);
    const bool runs = !options.flip.empty() || options.explore;
    if (runs && tmon_replay::is_of_real_mpi(order.run))
        throw vocabulary::InputError(
            {options.file, 0, 0},
            "it was recorded under a real MPI, which cannot be made to take the other message at the same "
            "moment; record the program with 'magicwire mpirun --races --record F.mwo'");
    if (!order.whole() && !tmon_replay::is_of_real_mpi(order.run))
        throw vocabulary::InputError({options.file, 0, 0},
                                     "the run was killed, so not all of its races are there; record it anew");
    return order;
}

void check_program(const tmon_replay::RunIdentity& run, const RacesOptions& options) {
    if (!std::filesystem::is_regular_file(run.program))
        throw vocabulary::InputError({options.file, 0, 0},
                                     "its program '" + run.program + "' is not here; go to the folder of the run");
    tmon_replay::RunIdentity now = run;
    now.program_hash = tmon_replay::hash_of_file(run.program);
    const std::string other = tmon_replay::difference(run, now);
    if (!other.empty()) throw vocabulary::InputError({options.file, 0, 0}, other + "; record it anew");
}

std::vector<Flipped> races_of(const tmon_replay::DeliveryOrder& order) {
    std::vector<Flipped> races;
    for (const Flip& flip : mpi_runs::flips_of(order)) races.push_back({.id = races.size() + 1, .flip = flip});
    return races;
}

std::vector<std::size_t> chosen(const std::vector<Flipped>& races, const std::string& which) {
    std::vector<std::size_t> numbers;
    if (which == "all") {
        for (std::size_t i = 0; i < races.size(); ++i) numbers.push_back(i);
    } else {
        const std::uint64_t id = whole_number("--flip", which);
        if (id == 0 || id > races.size())
            throw CLI::ValidationError("--flip", fmt::format("expected all or the number of a race, 1 to {}", races.size()));
        numbers.push_back(id - 1);
    }
    return numbers;
}

mpi_runs::Way way_of(const RacesOptions& options) {
    return options.whole ? mpi_runs::Way::Whole : mpi_runs::Way::Forked;
}

// False: the base run does not come out as the file says.
bool flip(const mpi_runs::Plan& plan, const tmon_replay::DeliveryOrder& order, const RacesOptions& options,
          std::vector<Flipped>& races) {
    const std::vector<std::size_t> numbers = chosen(races, options.flip);
    std::vector<mpi_runs::Choice> flips;
    for (const std::size_t i : numbers) flips.push_back({races[i].flip.rank, races[i].flip.receive, races[i].flip.other});
    const std::vector<Summary> runs = mpi_runs::run_flips(plan, {}, flips, way_of(options), [] { return interrupted == 0; });
    const Summary& base = runs.front();
    if (base.failure.empty()) {
        const std::vector<Flipped> again = races_of(base.order);
        const auto same = [](const Flipped& a, const Flipped& b) {
            return a.flip.rank == b.flip.rank && a.flip.receive == b.flip.receive && a.flip.source == b.flip.source &&
                   a.flip.other == b.flip.other;
        };
        if (!std::equal(again.begin(), again.end(), races.begin(), races.end(), same) ||
            mpi_runs::end_name(base.end) != order.end)
            return false;
    }
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const Summary& run = runs[i + 1];
        Flipped& its = races[numbers[i]];
        const std::string& failure = base.failure.empty() ? run.failure : base.failure;
        if (!failure.empty()) {
            its.what = failure;
            continue;
        }
        its.effect = mpi_runs::effect_of(run, base);
        its.what = what_changes(run, base, *its.effect);
    }
    return true;
}

std::string flip_text(const Flip& flip) {
    return fmt::format("rank {}, receive {}: rank {} came, and rank {} could have", flip.rank, flip.receive, flip.source,
                       flip.other);
}

void put_races(const std::vector<Flipped>& races, bool flipped, const std::string& left_out) {
    if (races.empty()) return put(left_out.empty() ? "no races" : "no races are seen; " + left_out);
    std::string text = fmt::format("{} race{}", races.size(), races.size() == 1 ? "" : "s");
    std::vector<const Flipped*> sorted;
    for (const Flipped& one : races) sorted.push_back(&one);
    std::stable_sort(sorted.begin(), sorted.end(), [](const Flipped* a, const Flipped* b) {
        return a->effect.value_or(Effect::Impossible) < b->effect.value_or(Effect::Impossible);
    });
    for (const Flipped* one : sorted) {
        if (flipped && !one->effect && one->what.empty()) continue;
        text += fmt::format("\n{:>4}  ", one->id);
        if (one->effect) text += fmt::format("{:<12}  ", effect_text(*one->effect));
        text += flip_text(one->flip);
        if (!one->what.empty()) text += "\n      " + one->what;
    }
    put(text);
}

nlohmann::ordered_json choices_json(const std::vector<mpi_runs::Choice>& choices) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const mpi_runs::Choice& one : choices)
        all.push_back({{"rank", one.rank}, {"receive", one.receive}, {"source", one.source}});
    return all;
}

nlohmann::ordered_json json_of(const std::vector<Flipped>& races) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const Flipped& one : races) {
        nlohmann::ordered_json its{{"id", one.id},
                                   {"rank", one.flip.rank},
                                   {"receive", one.flip.receive},
                                   {"source", one.flip.source},
                                   {"other", one.flip.other}};
        if (one.effect) its["effect"] = effect_text(*one.effect);
        if (!one.what.empty()) its["what"] = one.what;
        all.push_back(its);
    }
    return all;
}

void put_exploration(const mpi_runs::Exploration& found) {
    std::string text = fmt::format("{} order{} in {} runs, {}", found.orders, found.orders == 1 ? "" : "s", found.runs,
                                   !found.complete          ? "and there are more"
                                   : found.left_out.empty() ? "which are all"
                                                            : "and there may be more: " + found.left_out);
    for (const auto& kind : found.kinds) {
        text += fmt::format("\n{:>6}  {}, exit code {}", kind.orders, mpi_runs::end_name(kind.first.end), kind.first.status);
        if (&kind == &found.kinds.front()) {
            text += ": as recorded";
            continue;
        }
        if (kind.first.output != found.kinds.front().first.output)
            text += ": " + other_line(kind.first.output, found.kinds.front().first.output);
        for (const mpi_runs::Choice& one : kind.choices)
            text += fmt::format("\n        when receive {} of rank {} takes a message of rank {}", one.receive, one.rank,
                                one.source);
    }
    put(text);
}

nlohmann::ordered_json json_of(const mpi_runs::Exploration& found) {
    nlohmann::ordered_json kinds = nlohmann::ordered_json::array();
    for (const auto& kind : found.kinds)
        kinds.push_back({{"orders", kind.orders},
                         {"end", mpi_runs::end_name(kind.first.end)},
                         {"status", kind.first.status},
                         {"output", kind.first.output},
                         {"choices", choices_json(kind.choices)}});
    return {{"runs", found.runs},
            {"orders", found.orders},
            {"impossible", found.impossible},
            {"complete", found.complete && found.left_out.empty()},
            {"kinds", kinds}};
}

int run(const RacesOptions& options) {
    const tmon_replay::DeliveryOrder order = recorded(options);
    std::vector<Flipped> races = races_of(order);
    nlohmann::ordered_json json{{"schema", "magicwire.races/1"}, {"file", options.file}};
    const std::string left_out = mpi_runs::left_out(order, order.run.rule == "annai");
    const int none = left_out.empty() ? exit_code::nothing_found : exit_code::unknown;
    // Messages that seem to race may be ordered by something that the recorder did not see.
    const bool doubtful = !order.run.unseen.empty();
    int code = races.empty() ? none : doubtful ? exit_code::unknown : exit_code::found;
    if (options.flip.empty() && !options.explore) {
        json["races"] = json_of(races);
        options.json ? put(json.dump(2)) : put_races(races, false, left_out);
        if (doubtful && !races.empty())
            tell_error(exit_code::unknown, left_out + ", so these may be none, and others may be missing");
        return code;
    }
    check_program(order.run, options);
    mpi_runs::Plan plan = plan_of(order.run, options);
    host_files::HostFiles store(options.files);
    plan.files = &store;
    stop_at_interrupt();
    if (!options.flip.empty()) {
        if (!races.empty() && !flip(plan, order, options, races)) {
            tell_error(exit_code::unknown, "the run does not come out as '" + options.file +
                                               "' says: its files or its input have changed, or it was recorded otherwise");
            return exit_code::unknown;
        }
        json["races"] = json_of(races);
        if (!options.json) put_races(races, true, left_out);
    }
    if (options.explore) {
        const mpi_runs::Exploration found =
            mpi_runs::explore(plan, whole_number("--runs", options.runs), way_of(options), [] { return interrupted == 0; });
        json["exploration"] = json_of(found);
        if (!options.json) put_exploration(found);
        code = found.left_out.empty() ? exit_code::nothing_found : exit_code::unknown;
        if (found.kinds.size() > 1) code = exit_code::found;
        if (!found.complete) code = exit_code::budget;
    }
    if (options.json) put(json.dump(2));
    return interrupted != 0 ? exit_code::interrupted : code;
}

}  // namespace

void add_races(CLI::App& app, int& result) {
    auto options = std::make_shared<RacesOptions>();
    CLI::App* command = app.add_subcommand("races", "Show the races of a recorded MPI program, and what each of them changes");
    command->add_option("FILE", options->file, "a file of 'magicwire mpirun --record', or a folder of 'magicwire record'")
        ->required()
        ->check(file_name());
    command
        ->add_option("--flip", options->flip,
                     "run it again with the other message: of all races, or of the one with this number")
        ->type_name("all|ID");
    command->add_flag("--explore", options->explore, "run a small program in all of its orders");
    command->add_option("--runs", options->runs, "most runs of --explore")->type_name("N")->capture_default_str();
    command->add_flag("--whole", options->whole,
                      "run each order from the start, not from its first difference: the same, but slower");
    command->add_option("--limit", options->limit, "stop a run after this modelled time")
        ->type_name("SECONDS")
        ->capture_default_str();
    command->add_option("--files", options->files, "the folder below which the program's files lie")->default_val(".");
    command->add_flag("--json", options->json, "print JSON");
    command->footer(
        "Effects, from the worst on: deadlock, abort, other output, other time, nothing. An impossible one is no race.\n"
        "It is unknown if the other message had not come at --limit.\n"
        "Exit code: 1 with races; 4 when the run does not repeat, or may have other orders; 6 when --runs are not enough.\n\n"
        "Examples:\n  magicwire mpirun -np 4 --races --record run.mwo ./farm; magicwire races run.mwo --flip all\n"
        "  magicwire races run.mwo --explore --runs 5000\n");
    command->callback([options, &result] { result = run(*options); });
}

}  // namespace cli
