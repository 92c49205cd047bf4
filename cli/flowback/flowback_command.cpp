// flowback: where a value of a recorded run came from.
#include <memory>
#include <optional>
#include <string>

#include <fmt/format.h>

#include <text/output_file.hpp>
#include <tmon_flowback/deadlock.hpp>
#include <tmon_flowback/explanation.hpp>
#include <tmon_flowback/races.hpp>
#include <tmon_flowback/recorded_run.hpp>
#include <tmon_flowback/slice.hpp>
#include <tmon_flowback/state.hpp>
#include <vocabulary/source_position.hpp>

#include "frame/command.hpp"

namespace cli {
namespace {

using tmon_flowback::Certainty;
using tmon_flowback::EventId;
using tmon_flowback::RecordedRun;

struct FlowbackOptions {
    std::string folder, why, open, slice, forward, state;
    unsigned depth = 5;
    bool races = false, deadlock = false, json = false, dot = false;
};

std::string ending_of(const tmon_flowback::Interval& interval) {
    constexpr const char* ends[] = {"returned", "ended without a return", "was running when the log ended"};
    return ends[static_cast<std::size_t>(interval.how)];
}

// The processes, their intervals, and how these ended.
nlohmann::ordered_json overview_json(const RecordedRun& run) {
    nlohmann::ordered_json json = {{"schema", "magicwire.flowback_logs/1"}, {"unusable", run.unusable()}};
    json["processes"] = nlohmann::ordered_json::array();
    for (const auto& log : run.processes()) {
        nlohmann::ordered_json its = {{"name", log->name()},          {"log_bytes", log->log().file_bytes()},
                                      {"whole", log->whole()},        {"problem", log->problem()},
                                      {"calls", log->roots().size()}, {"messages", log->passed_messages()}};
        its["intervals"] = log->intervals().size();
        its["rank"] = log->rank() ? nlohmann::ordered_json(*log->rank()) : nlohmann::ordered_json();
        its["unfinished"] = nlohmann::ordered_json::array();
        for (std::size_t i = 0; i < log->intervals().size(); ++i) {
            const auto& interval = log->intervals()[i];
            if (interval.how == tmon_flowback::Interval::End::Left) continue;
            its["unfinished"].push_back(
                {{"interval", i}, {"function", run.program().function(interval.function).name}, {"end", ending_of(interval)}});
        }
        json["processes"].push_back(its);
    }
    return json;
}

std::string overview_text(const RecordedRun& run) {
    std::string text =
        fmt::format("{:24} {:>10} {:>8} {:>10} {:>10}\n", "process", "log bytes", "calls", "intervals", "messages");
    for (const auto& log : run.processes()) {
        text += fmt::format("{:24} {:>10} {:>8} {:>10} {:>10}\n",
                            log->rank() ? fmt::format("{} (rank {})", log->name(), *log->rank()) : log->name(),
                            log->log().file_bytes(), log->roots().size(), log->intervals().size(), log->passed_messages());
        if (!log->whole()) text += "  not whole: " + log->problem() + "\n";
        for (std::size_t i = 0; i < log->intervals().size(); ++i) {
            const auto& interval = log->intervals()[i];
            if (interval.how != tmon_flowback::Interval::End::Left)
                text += fmt::format("  {}() {} (interval {})\n", run.program().function(interval.function).name,
                                    ending_of(interval), i);
        }
    }
    for (const std::string& each : run.unusable()) text += "Not usable: " + each + "\n";
    return text;
}

// "n3.compute_fn:4": the statements of one interval as they ran.
std::string interval_text(RecordedRun& run, const std::string& name, int& result) {
    const EventId first = run.parse(name + ".0");
    const auto& emulation = run.emulation(first.process, first.interval);
    const auto& function = run.program().function(run.process(first.process).intervals()[first.interval].function);
    std::string text =
        fmt::format("{}(), {} statements, {} events\n", function.name, emulation.statements(), emulation.events().size());
    for (std::uint32_t i = 0; i < emulation.events().size(); ++i) {
        const auto& event = emulation.events()[i];
        const auto& site = run.program().site(event.site);
        if (site.kind == tmon_flowback::SiteKind::Statement)
            text += fmt::format("{:24} {}\n", run.program().place(site), run.program().text_of(site.file, site.line));
        const EventId id{first.process, first.interval, i};
        if (site.kind == tmon_flowback::SiteKind::Store) {
            const auto named = tmon_flowback::name_of(run, id, event.address, event.bytes);
            const auto content = emulation.content(event);
            text += fmt::format("{:26} {} = {}   [{}]\n", "", named.name,
                                named.type != 0 ? value_text(run.program(), content, named.type)
                                                : tmon_flowback::value_text(content, site.value),
                                run.text_of(id));
        }
        if (site.kind == tmon_flowback::SiteKind::Call && site.effect != tmon_flowback::inherited_call) {
            for (const std::uint32_t nested : emulation.call(event).nested)
                text += fmt::format("{:26} {}()   [{}:{}]\n", "",
                                    run.program().function(run.process(first.process).intervals()[nested].function).name,
                                    run.process(first.process).name(), nested);
        }
    }
    if (!emulation.complete()) text += "It stops here: " + emulation.stopped() + "\n";
    result = emulation.differs() ? exit_code::self_check : exit_code::nothing_found;
    return text;
}

int exit_of(const tmon_flowback::Answer& answer) {
    if (!answer.differences.empty()) return exit_code::self_check;
    return answer.root.certainty == Certainty::Unknown ? exit_code::unknown : exit_code::nothing_found;
}

// An event has an interval; anything else is taken as a question, whose reader says what is wrong with it.
bool is_question(const std::string& text) {
    return text.find('@') != std::string::npos || text.find(':') == std::string::npos;
}

// "n3.compute_fn:4" as it ends, an event, or "@pi.c:42#17".
EventId moment(RecordedRun& run, const std::string& text) {
    if (const std::size_t sign = text.find('@'); sign != std::string::npos) {
        std::string question = text;
        if (sign == 0 || text[sign - 1] == ':') question.insert(sign, "state");  // a place without a variable
        return find_execution(run, tmon_flowback::parse_question(question)).at;
    }
    const std::size_t colon = text.rfind(':');
    if (colon != std::string::npos && text.find('.', colon) != std::string::npos) return run.parse(text);
    EventId last = run.parse(text + ".0");
    last.event = static_cast<std::uint32_t>(run.emulation(last.process, last.interval).events().size() - 1);
    return last;
}

int put_state(RecordedRun& run, const FlowbackOptions& options) {
    const tmon_flowback::State state = state_before(run, moment(run, options.state));
    put(options.json ? json_of(run, state).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) : text_of(run, state));
    if (!state.differences.empty()) return exit_code::self_check;
    return state.doubt.empty() ? exit_code::nothing_found : exit_code::unknown;
}

int put_races(RecordedRun& run, bool json) {
    const tmon_flowback::Races races = find_races(run);
    put(json ? json_of(run, races).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) : text_of(run, races));
    if (!races.differences.empty()) return exit_code::self_check;
    if (!races.all.empty()) return exit_code::found;
    return races.doubts.empty() && races.damaged.empty() ? exit_code::nothing_found : exit_code::unknown;
}

int put_deadlock(RecordedRun& run, bool json) {
    const tmon_flowback::Deadlock deadlock = find_deadlock(run);
    put(json ? json_of(run, deadlock).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) : text_of(run, deadlock));
    if (!deadlock.differences.empty()) return exit_code::self_check;
    if (deadlock.found()) return exit_code::found;
    return deadlock.waiting.empty() && deadlock.doubts.empty() ? exit_code::nothing_found : exit_code::unknown;
}

int run(const FlowbackOptions& options) {
    RecordedRun recorded(options.folder);
    if (!options.open.empty()) {
        int result = exit_code::nothing_found;
        put(interval_text(recorded, options.open, result));
        return result;
    }
    if (options.races) return put_races(recorded, options.json);
    if (options.deadlock) return put_deadlock(recorded, options.json);
    if (!options.state.empty()) return put_state(recorded, options);
    if (!options.slice.empty() || !options.forward.empty()) {
        const bool forward = !options.forward.empty();
        const auto question = tmon_flowback::parse_question(forward ? options.forward : options.slice);
        const tmon_flowback::Slice slice =
            forward ? tmon_flowback::forward_slice(recorded, question) : tmon_flowback::backward_slice(recorded, question);
        put(options.json ? json_of(recorded, slice).dump(2, ' ', false, nlohmann::json::error_handler_t::replace)
                         : text_of(recorded, slice));
        return slice.differences.empty() ? exit_code::nothing_found : exit_code::self_check;
    }
    if (options.why.empty()) {
        put(options.json ? overview_json(recorded).dump(2) : overview_text(recorded));
        return exit_code::nothing_found;
    }
    const tmon_flowback::Answer answer =
        is_question(options.why) ? tmon_flowback::why(recorded, tmon_flowback::parse_question(options.why), options.depth)
                                 : tmon_flowback::why(recorded, recorded.parse(options.why), options.depth);
    put(options.json  ? json_of(answer).dump(2, ' ', false, nlohmann::json::error_handler_t::replace)
        : options.dot ? dot_of(answer)
                      : text_of(answer));
    return exit_of(answer);
}

}  // namespace

void add_flowback(CLI::App& app, int& result) {
    auto options = std::make_shared<FlowbackOptions>();
    CLI::App* command = app.add_subcommand("flowback", "Where a value of a run came from, over statements, messages and nodes");
    command->add_option("FOLDER", options->folder, "folder of a run with --flowback and --out")->required()->check(file_name());
    CLI::Option* why = command->add_option(
        "--why", options->why, "EXPR@LINE#N, a variable as an execution of a line begins; or an event of an answer");
    command->add_option("--depth", options->depth, "statements from the question to the leaves, 1 to 1000")
        ->check(CLI::Range(1U, 1000U))
        ->capture_default_str()
        ->needs(why);
    command->add_option("--open", options->open, "PROCESS:INTERVAL, the statements of one interval as they ran")->excludes(why);
    CLI::Option* slice =
        command->add_option("--slice", options->slice, "EXPR@LINE#N, all statements that its value depends on");
    CLI::Option* forward =
        command->add_option("--forward", options->forward, "EXPR@LINE#N, all statements that depend on its value");
    CLI::Option* state = command->add_option(
        "--state", options->state, "the variables of a process at @LINE#N, before an event, or as PROCESS:INTERVAL ends");
    for (CLI::Option* one : {slice, forward, state}) {
        for (CLI::Option* other : {why, command->get_option("--open"), slice, forward, state}) {
            if (one != other) one->excludes(other);
        }
    }
    CLI::Option* races = command->add_flag("--races", options->races,
                                           "accesses of memory that the manager's processes share, which no message orders");
    for (CLI::Option* other : {why, command->get_option("--open"), slice, forward, state}) races->excludes(other);
    CLI::Option* deadlock = command->add_flag("--deadlock", options->deadlock,
                                              "ranks of an MPI program that wait: for whom, and why it did not send");
    for (CLI::Option* other : {why, command->get_option("--open"), slice, forward, state, races}) deadlock->excludes(other);
    CLI::Option* json = command->add_flag("--json", options->json, "print JSON")->excludes(command->get_option("--open"));
    command->add_flag("--dot", options->dot, "print the answer as a graph for Graphviz")->excludes(json)->needs(why);
    command->footer(
        "Without a question it lists the processes. Exit codes: 1 a race or a deadlock, 4 the answer is unknown,\n"
        "5 an emulation contradicts its log.\n\n"
        "Examples:\n  magicwire flowback out --why 'Nsegs@image_group.c:81'\n"
        "  magicwire flowback out --why 'n3:compute_fn:sum@pi.c:42#17' --depth 3\n"
        "  magicwire flowback out --slice 'n0:result_receiver:result@image_group.c:90#2'\n"
        "  magicwire flowback out --state '@image_group.c:86'\n"
        "  magicwire flowback out --open n0.result_receiver:0\n"
        "  magicwire flowback out --deadlock\n");
    command->callback([options, &result] { result = run(*options); });
}

}  // namespace cli
