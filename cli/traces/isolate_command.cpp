// isolate: one call of a user's function of a stored run, done again on this computer.
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <forks/forks.hpp>
#include <isolation/isolation_report.hpp>
#include <scenario/scenario.hpp>
#include <session/applications.hpp>
#include <vocabulary/is_file.hpp>
#include <vocabulary/source_position.hpp>

#include "frame/command.hpp"
#include "frame/interrupt.hpp"
#include "frame/scenario_options.hpp"
#include "traces/isolate_line.hpp"
#include "traces/stored_farm.hpp"

namespace cli {
namespace {

using isolation::Certainty;
using isolation::End;
using isolation::Isolated;
using isolation::Request;
using isolation::UserProcess;
using vocabulary::InputError;

struct IsolateOptions {
    std::string place, task, subtask, process, program, input;
    std::optional<std::uint16_t> node;
    unsigned limit = 1000;
    bool alone = false, gdb = false, stops = false, dump = false, json = false;
};

const std::map<std::string, UserProcess>& processes() {
    static const std::map<std::string, UserProcess> all = {{"generate", UserProcess::Generate},
                                                           {"compute", UserProcess::Compute},
                                                           {"split", UserProcess::Split},
                                                           {"join", UserProcess::Join},
                                                           {"post-process", UserProcess::PostProcess}};
    return all;
}

// Like deTrEK's -p, PLACE may be the prefix of the trace's files.
std::string trace_of(const std::string& place) {
    for (const char* ending : {".mwt", ".mwt.incomplete"})
        if (vocabulary::is_file(place + ending)) return place + ending;
    return place;
}

struct Program {
    std::string module;
    farm_programs::CostSource costs = farm_programs::CostSource::Explicit;
    std::vector<std::string> doubts;
};

// A word of the trace's manifest; empty: it has none.
std::string word(const nlohmann::json& manifest, const char* key) {
    const auto found = manifest.find(key);
    return found != manifest.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Program program_of(const StoredFarm& farm, const IsolateOptions& options) {
    const auto manifest = nlohmann::json::parse(farm.manifest);
    Program program;
    const std::string name = options.program.empty() ? word(manifest, "program") : options.program;
    if (name.empty())
        throw InputError({farm.file, 0, 0},
                         "does not say which farm program ran, as the simulated application is none; name the module with "
                         "--program FILE.so if there was one");
    const bool is_path = name.find('/') != std::string::npos || std::filesystem::path(name).extension() == ".so";
    program.module = is_path ? name : session::find_program(name);
    if (!vocabulary::is_file(program.module))
        throw InputError({program.module, 0, 0},
                         "is not there, and the run used this program; go to the folder where the run was started, build it "
                         "again, or name it with --program FILE.so");
    if (word(manifest, "program_costs") == "estimated") program.costs = farm_programs::CostSource::Estimated;
    for (const auto& input : manifest.value("inputs", nlohmann::json::array())) {
        if (word(input, "role") == "compute" && rests_on_compute(options.process))
            throw InputError({farm.file, 0, 0},
                             "workers ran T800 code instead of compute_fn (application.compute), and this computer cannot make "
                             "its results again; generate and split can be done again, or run the farm without that code");
        if (word(input, "role") == "bugs")
            program.doubts.emplace_back("the run had planted bugs, which change what functions hand on");
    }
    const std::string then = word(manifest, "program_xxh3"), now = scenario::content_hash(program.module);
    if (then.empty()) program.doubts.emplace_back("the run did not come to note which build of the program it used");
    if (!then.empty() && then != now)
        program.doubts.emplace_back("the program was built anew since the run, and is another one");
    return program;
}

// The same command in a debugger. It stops right before the function, then at its first line.
[[noreturn]] void debug(const IsolateOptions& options) {
    const std::map<UserProcess, const char*> functions = {{UserProcess::Generate, "data_generator"},
                                                          {UserProcess::Compute, "compute_fn"},
                                                          {UserProcess::Split, "split_fn"},
                                                          {UserProcess::Join, "join_fn"},
                                                          {UserProcess::PostProcess, "result_receiver"}};
    const std::string function = functions.at(processes().at(options.process));
    std::vector<std::string> words = {"gdb", "-q"};
    for (const std::string& line :
         {std::string("set confirm off"), std::string("set startup-with-shell off"), std::string("set breakpoint pending on"),
          std::string("handle SIGSYS SIGVTALRM nostop noprint pass"), std::string("run"), "tbreak -qualified " + function,
          std::string("continue")})
        words.insert(words.end(), {"-ex", line});
    words.insert(words.end(),
                 {"--args", std::filesystem::read_symlink("/proc/self/exe").string(), "isolate", options.place, options.task});
    if (!options.subtask.empty()) words.push_back(options.subtask);
    words.insert(words.end(), {"--process", options.process, "--stop-before", "--limit", std::to_string(options.limit)});
    if (options.node) words.insert(words.end(), {"--node", std::to_string(*options.node)});
    if (options.alone) words.emplace_back("--alone");
    if (options.dump) words.emplace_back("--dump");
    for (const auto& [option, value] : {std::pair{"--program", &options.program}, std::pair{"--input", &options.input}})
        if (!value->empty()) words.insert(words.end(), {option, *value});
    std::vector<char*> arguments;
    for (std::string& each : words) arguments.push_back(each.data());
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    throw vocabulary::HostError("gdb cannot be run; install it, on Debian with: apt-get install gdb");
}

int code_of(const Isolated& call) {
    if (call.input_claim.certainty == Certainty::Unknown || call.state_claim.certainty == Certainty::Unknown)
        return exit_code::unknown;
    const bool needs_output = call.process != UserProcess::PostProcess;
    const bool bad = call.end == End::Stopped || call.end == End::Endless || call.end == End::NotMade ||
                     (needs_output && call.output.empty());
    return bad ? exit_code::found : exit_code::nothing_found;
}

Request request_of(const IsolateOptions& options) {
    Request request;
    request.process = processes().at(options.process);
    request.task = task_number(options.task);
    if (!options.subtask.empty()) request.subtask = part_number(options.subtask);
    request.node = options.node;
    request.alone = options.alone;
    if (!options.input.empty()) request.input = scenario::read_input(options.input);
    constexpr std::int64_t cycles_a_second = 20'000'000;  // of a T800-20
    request.most_cycles = cycles_a_second * options.limit;
    if (options.stops) request.before_call = [] { std::raise(SIGTRAP); };
    return request;
}

int isolate(const IsolateOptions& options) {
    if (options.gdb && options.json) throw CLI::ValidationError("--gdb", "a debugger prints no JSON; leave --json out");
    Request request = request_of(options);
    const StoredFarm farm = load_farm(trace_of(options.place));
    const Program program = program_of(farm, options);
    if (options.gdb) debug(options);
    request.doubts = program.doubts;
    if (!farm.complete) request.doubts.push_back("the trace is " + farm.status);
    request.readings = isolation::Readings(farm.trace);
    const tmon_stories::Stories stories(farm.trace, farm.spec);
    const tmon_stories::FarmActs acts(stories);
    stop_at_interrupt();
    const auto call = [&](const Request& what) {
        return as_request([&] { return isolation::isolate(acts, stories, program.module, program.costs, what); });
    };
    isolation::View view;
    view.dump = options.dump;
    if (options.alone) {
        Request whole = request;
        whole.alone = false;
        whole.before_call = nullptr;
        forks::Forks other;  // its heaps must not be those of the call alone
        if (other.start()) other.deliver_result([&] { return isolation::outcome_text(call(whole)); });
        other.wait(0);
        if (other.answers().front().how != forks::ChildAnswer::How::Done)
            forks::throw_failure("the call with the earlier ones", other.answers().front());
        view.with_earlier = other.answers().front().bytes;
    }
    const Isolated result = call(request);
    if (options.json) {
        auto json = isolation::isolated_json(result, farm.spec, view);
        json["program"] = program.module;
        json["trace"] = farm.trace_json();
        put(json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
    } else {
        std::string text = isolation::isolated_text(result, farm.spec, view);
        if (!farm.warning.empty()) text = farm.warning + "\n\n" + text;
        text.pop_back();
        put(text);
    }
    return code_of(result);
}

}  // namespace

void add_isolate(CLI::App& app, int& result) {
    auto options = std::make_shared<IsolateOptions>();
    CLI::App* command = app.add_subcommand(
        "isolate",
        "Do one call of a farm program's function again on this computer, with the input that it had in a stored run");
    command->add_option("PLACE", options->place, "folder of a run, its data.mwt, or their prefix as for detrek (out/data)")
        ->required()
        ->check(file_name(trace_expected));
    command->add_option("TASK", options->task, "number of the task, from 0")->required();
    command->add_option("SUBTASK", options->subtask,
                        "a part of it, in hexadecimal as in the list of faults: 0010; default 0000");
    std::vector<std::string> names;
    for (const auto& [name, process] : processes()) names.push_back(name);
    command->add_option("--process", options->process, "the function: compute, split, join, generate or post-process")
        ->required()
        ->check(CLI::IsMember(names));
    command->add_option("--node", options->node, "the node, where the records allow several")->type_name("NUMBER");
    command->add_flag("--alone", options->alone,
                      "leave out what the same process did before on its node, and say whether the outcome differs");
    command->add_flag("--gdb", options->gdb, "in the debugger gdb, which stops at the function's first line, and at a crash");
    command->add_flag("--dump", options->dump, "print the bytes of input and output");
    command->add_option("--input", options->input, "input of the program; -: standard input")->type_name("FILE");
    command->add_option("--program", options->program, "module of the program (.so), instead of the one that the trace names")
        ->type_name("FILE");
    command->add_option("--limit", options->limit, "seconds of a T800 that a call may compute, estimated")
        ->check(CLI::Range(1U, 1'000'000U))
        ->type_name("NUMBER")
        ->capture_default_str();
    command->add_flag("--stop-before", options->stops, "for --gdb: raise SIGTRAP before the function")->group("");
    command->add_flag("--json", options->json, "print JSON");
    command->footer(
        "Input and globals are said to be as in the run: certain, likely, or unknown when a record says otherwise.\n\n"
        "Exit codes: 0 the function came to its end; 1 it was stopped, or made no result; 4 a record says that input or\n"
        "globals are not those of the run.\n\n"
        "Examples:\n"
        "  magicwire farm run examples/farms/mergesort --monitor --out out\n"
        "  magicwire isolate out 3 --process generate\n"
        "  magicwire isolate out 3 0010 --process compute --dump\n"
        "  magicwire isolate out 3 --process join --node 1 --gdb\n");
    command->callback([options, &result] { result = isolate(*options); });
}

}  // namespace cli
