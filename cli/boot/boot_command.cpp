// boot: a boot image of machine code on a modelled machine with T800 cores.
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <boot_runs/boot_run.hpp>
#include <host_files/host_files.hpp>
#include <iserver/no_files.hpp>
#include <oracle/fault_report.hpp>
#include <t800_assembly/assembler.hpp>
#include <text/output_file.hpp>
#include <topologies/cost_settings.hpp>
#include <topologies/fault_plan.hpp>
#include <topologies/machine_checks.hpp>
#include <topologies/machine_parser.hpp>
#include <topologies/shapes.hpp>
#include <topologies/strict_yaml.hpp>
#include <topologies/watch.hpp>
#include <trace_record/trace_file.hpp>
#include <vocabulary/errors.hpp>
#include <vocabulary/source_position.hpp>

#include "boot/boot_profile.hpp"
#include "boot/boot_report.hpp"
#include "boot/boot_shell.hpp"
#include "frame/command.hpp"
#include "frame/interrupt.hpp"
#include "programs/mpirun_deliveries.hpp"
#include "shell/shell_reader.hpp"

namespace cli {
namespace {

using vocabulary::SimTime;

struct BootOptions {
    std::string image, machine = "chain:1", ram, root, seed = "1", limit, links = "message";
    std::string faults, vcd, watch, trace, profile, input;
    std::vector<std::string> set, environment, arguments;
    bool raw = false, json = false, says = false, trace_instructions = false, force = false, shell = false;
};

class BootTerminal final : public iserver::Console {
public:
    // `input`: instead of standard input.
    BootTerminal(std::FILE* out, std::optional<std::string> input) : out_(out), input_(std::move(input)) {}
    void write(std::string_view text) override {
        std::fwrite(text.data(), 1, text.size(), out_);
        std::fflush(out_);
    }
    void write_error(std::string_view text) override {
        std::fwrite(text.data(), 1, text.size(), stderr);
        std::fflush(stderr);
    }
    std::optional<char> read() override {
        if (input_) return at_ < input_->size() ? std::optional((*input_)[at_++]) : std::nullopt;
        char next = 0;
        ssize_t got = 0;
        do got = ::read(STDIN_FILENO, &next, 1);
        while (got < 0 && errno == EINTR && interrupted == 0);
        return got == 1 ? std::optional(next) : std::nullopt;
    }
    // Input that is no terminal is all there from the beginning, so that equal input gives equal runs.
    std::optional<char> poll() override {
        pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
        if (!input_ && isatty(STDIN_FILENO) == 1 && ::poll(&input, 1, 0) <= 0) return std::nullopt;
        return read();
    }

private:
    std::FILE* out_;
    std::optional<std::string> input_;
    std::size_t at_ = 0;
};

std::optional<std::string> program_input(const BootOptions& options) {
    if (!options.input.empty()) return text::read_text_file(options.input, "the program's input");
    return options.shell ? std::optional(std::string()) : std::nullopt;
}

// The bytes of an image, or those that the assembler makes of a source. `program` gets its labels.
std::vector<std::byte> image_bytes(const std::string& file, std::optional<t800_assembly::Program>& program) {
    std::ifstream in(file, std::ios::binary);
    if (!in || !std::filesystem::is_regular_file(file))
        throw vocabulary::InputError({file, 0, 0},
                                     "there is no such image; give the file of a boot image, as compilers for "
                                     "transputers write it, or of a source in T800 "
                                     "assembly, NAME.s");
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    std::vector<std::byte> bytes;
    if (file.ends_with(".s")) {
        const auto read = [](const std::string& path) { return text::read_text_file(path, "an assembler source"); };
        program = t800_assembly::assemble(text, file, read);
        for (const std::uint8_t byte : t800_assembly::boot_image(*program)) bytes.push_back(static_cast<std::byte>(byte));
    } else {
        for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
    }
    return bytes;
}

topologies::MachineDescription machine_with_cores(const BootOptions& options) {
    const std::string place = "--ram " + options.ram;
    topologies::MachineDescription machine;
    if (std::filesystem::is_regular_file(options.machine)) {
        if (!options.ram.empty())
            throw vocabulary::InputError({place, 0, 0}, options.machine +
                                                            " says how much memory each of its nodes has; leave "
                                                            "--ram out, or change `nodes.ram` there");
        machine = topologies::read_machine(options.machine);
        topologies::check_has_host(machine, {options.machine, 0, 0});
    } else {
        machine = as_usage([&] { return topologies::make_shape(options.machine); });
        if (!options.ram.empty()) {
            const std::uint64_t bytes = topologies::YamlValue::parse(options.ram, place).byte_size();
            topologies::check_ram(bytes, {place, 0, 0});
            for (topologies::NodeDescription& node : machine.nodes) node.ram_bytes = bytes;
            topologies::check_machine(machine);
        }
    }
    return boot_runs::with_cores(std::move(machine));
}

// NAME=VALUE as it is, NAME with the value that it has here. Run-times of C ask for the size of the first node's memory.
std::map<std::string, std::string> program_environment(const BootOptions& options,
                                                       const topologies::MachineDescription& machine) {
    std::map<std::string, std::string> all{{"IBOARDSIZE", fmt::format("#{:X}", machine.nodes.front().ram_bytes)}};
    for (const std::string& text : options.environment) {
        const std::size_t equals = text.find('=');
        if (text.empty() || equals == 0) throw CLI::ValidationError("--env", "expected NAME or NAME=VALUE");
        const char* const value = equals == std::string::npos ? std::getenv(text.c_str()) : nullptr;
        if (equals != std::string::npos)
            all[text.substr(0, equals)] = text.substr(equals + 1);
        else if (value != nullptr)
            all[text] = value;
    }
    return all;
}

// Outputs that cannot be written, and options that exclude each other, before anything runs.
void check_boot_outputs(const BootOptions& options) {
    for (const std::string& file : {options.vcd, options.profile}) {
        if (!file.empty()) text::check_output_file(file, text::Replace::Yes);
    }
    if (!options.trace.empty()) text::check_output_file(options.trace, options.force ? text::Replace::Yes : text::Replace::No);
}

// The run hash, and whether it was whole, come with the closing block.
std::string boot_trace_manifest(const BootOptions& options, const boot_runs::Plan& plan) {
    return nlohmann::ordered_json{{"version", version_text},    {"program", options.image},
                                  {"machine", options.machine}, {"links", options.links},
                                  {"seed", plan.seed},          {"arguments", options.arguments},
                                  {"machine_code", true},       {"expected_nodes", plan.machine.nodes.size()}}
        .dump();
}

void write_boot_profile(const BootOptions& options, const boot_runs::Result& result, const boot_runs::Plan& plan,
                        const std::optional<t800_assembly::Program>& program) {
    if (options.profile.empty()) return;
    const bool json = options.profile.ends_with(".json");
    text::write_text_file(options.profile,
                          json ? boot_profile_json(result, plan, program) + "\n" : boot_profile_text(result, plan, program),
                          text::Replace::Yes);
}

int boot_shell(const BootOptions& options, const boot_runs::Plan& plan, const std::optional<t800_assembly::Program>& program) {
    ShellWire wire;
    const ShellReading reading{.commands = BootShell::commands_with_arguments(),
                               .greeting =
                                   "The image is on its way. 'help' lists the commands, 'run' lets modelled time go on, "
                                   "'quit' ends.",
                               .hash = Hash::Address,
                               .json = options.json};
    return read_shell(reading, wire, [&] {
        try {
            BootShell(plan, program, wire).serve();
        } catch (const std::exception& error) {
            wire.answer({.ok = false, .over = true, .text = error.what(), .kind = vocabulary::kind_of(error)});
            _exit(exit_code::of(vocabulary::kind_of(error)));
        }
    });
}

int run_boot(const BootOptions& options) {
    check_boot_outputs(options);
    std::optional<t800_assembly::Program> program;
    boot_runs::Plan plan{.machine = machine_with_cores(options), .costs = costs_of(options.set)};
    plan.seed = whole_number("--seed", options.seed);
    plan.links = options.links == "byte" ? topologies::LinkLevel::Byte : topologies::LinkLevel::Message;
    plan.image_name = options.image;
    plan.image = image_bytes(options.image, program);
    plan.settings.command_line = fmt::format("{}", fmt::join(options.arguments, " "));
    plan.settings.whole_command_line = options.image + (options.arguments.empty() ? "" : " ") + plan.settings.command_line;
    plan.settings.environment = program_environment(options, plan.machine);
    plan.raw = options.raw;
    const double limit = options.limit.empty() ? 1e6 : positive_number("--limit", options.limit);
    plan.limit = SimTime::us(static_cast<std::int64_t>(std::min(limit, 1e6) * 1e6));
    const std::unique_ptr<trollius_os::FileStore> files =
        options.root.empty() ? std::unique_ptr<trollius_os::FileStore>(std::make_unique<iserver::NoFiles>())
                             : std::make_unique<host_files::HostFiles>(options.root);
    BootTerminal terminal(options.json ? stderr : stdout, program_input(options));
    plan.files = files.get();
    plan.console = &terminal;
    plan.goes_on = [] { return interrupted == 0; };
    if (!options.faults.empty()) plan.faults = topologies::read_fault_plan(options.faults, plan.machine);
    plan.wave_file = options.vcd;
    if (!options.vcd.empty()) plan.watches = topologies::parse_watches(options.watch, plan.machine, "--watch");
    plan.profile = !options.profile.empty();
    std::optional<trace_record::TraceFileWriter> trace;
    if (!options.trace.empty()) {
        trace.emplace(options.trace, boot_trace_manifest(options, plan),
                      trace_record::TraceFileOptions{.compress = true, .force = options.force});
        plan.trace = &*trace;
        plan.trace_instructions = options.trace_instructions;
    }
    if (options.shell) return boot_shell(options, plan, program);
    stop_at_interrupt();
    const boot_runs::Result result = boot_runs::run(plan);
    if (trace) {
        trace->closing(nlohmann::ordered_json{{"run_hash", fmt::format("{:016x}", result.run_hash)}}.dump());
        trace->close();
    }
    write_boot_profile(options, result, plan, program);
    std::fflush(stdout);
    if (options.says) {
        std::uint64_t instructions = 0;
        for (const boot_runs::NodeEnd& node : result.nodes) instructions += node.instructions;
        std::fprintf(stderr, "%s on %s: %.9f s of modelled time, %llu instructions on %zu nodes, run hash %016llx\n",
                     options.image.c_str(), options.machine.c_str(), modelled_seconds(result.ended),
                     static_cast<unsigned long long>(instructions), result.nodes.size(),
                     static_cast<unsigned long long>(result.run_hash));
        if (!plan.faults.faults.empty()) std::fputs(oracle::faults_text(plan.faults, result.faults).c_str(), stderr);
    }
    if (options.json) put(boot_json(result, plan, options.machine));
    return tell_boot_end(result, plan);
}

// Those that a session cannot have.
std::vector<CLI::Option*> add_boot_views(CLI::App& command, BootOptions& options) {
    command
        .add_option("--faults", options.faults,
                    "fault plan ('magicwire faults' lists the verbs); -v and --json tell what struck")
        ->type_name("FILE")
        ->check(file_name());
    CLI::Option* trace =
        command
            .add_option("--trace", options.trace, "new file for a trace of processes and messages, for sort, export and order")
            ->type_name("FILE")
            ->check(file_name());
    command.add_flag("--trace-instructions", options.trace_instructions, "a record for each instruction, too")->needs(trace);
    command.add_flag("-f,--force", options.force, "replace the file of --trace");
    CLI::Option* profile =
        command
            .add_option("--profile", options.profile,
                        "file for cycles and executions by label and address, the costliest first; JSON if its name ends with "
                        ".json; replaced if it exists")
            ->type_name("FILE")
            ->check(file_name());
    CLI::Option* vcd =
        command.add_option("--vcd", options.vcd, "file for waveforms of --watch (VCD, for GTKWave); replaced if it exists")
            ->type_name("FILE")
            ->check(file_name());
    CLI::Option* watch =
        command
            .add_option("--watch", options.watch,
                        "NAME,NAME,...: links (n0.1, host.0), outputs of switches (x0.5), and event, ack, error, "
                        "halted or busy of a node (n0.busy)")
            ->type_name("NAMES");
    vcd->needs(watch);
    watch->needs(vcd);
    return {trace, profile, vcd};
}

}  // namespace

void add_boot(CLI::App& app, int& result) {
    auto options = std::make_shared<BootOptions>();
    CLI::App* command = app.add_subcommand("boot", "Run a boot image of machine code on a modelled machine of T800 cores");
    command
        ->add_option("image", options->image,
                     "the boot image, or a source in T800 assembly (NAME.s); the host sends it to n0, byte by byte")
        ->required()
        ->type_name("IMAGE");
    command->add_option("arguments", options->arguments, "the program's arguments, behind --")->type_name("ARGUMENT");
    command
        ->add_option(
            "--machine", options->machine,
            "a shape ('magicwire topology make'), or a machine file; default: one node. Without 'core: t800' in it each "
            "node has a core")
        ->type_name("SHAPE|FILE");
    command->add_option("--ram", options->ram, "memory of each node of a shape")->type_name("SIZE");
    command->add_option("--root", options->root, "the folder below which the program's files lie; default: no files")
        ->type_name("DIR");
    command
        ->add_option(
            "-x,--env", options->environment,
            "a variable for the program: NAME=VALUE, or NAME with the value that it has here; IBOARDSIZE is always set")
        ->type_name("NAME[=VALUE]")
        ->allow_extra_args(false);
    command->add_option("--links", options->links, "level of the links: message or byte")
        ->check(CLI::IsMember({"message", "byte"}));
    command->add_option("--seed", options->seed, "of the machine's clocks")->type_name("N");
    command->add_option("--limit", options->limit, "stop after this modelled time")->type_name("SECONDS");
    command->add_option("--set", options->set, "COST=VALUE: change a cost ('magicwire costs')")
        ->type_name("COST=VALUE")
        ->allow_extra_args(false);
    command->add_flag("--raw", options->raw,
                      "no server: standard input goes to the link behind the image, and what comes goes to standard output");
    command->add_option("--input", options->input, "the program's input; default: standard input, with --shell none")
        ->type_name("FILE")
        ->check(file_name());
    CLI::Option* verbose =
        command->add_flag("-v,--verbose", options->says, "tell time and instructions on standard error at the end");
    CLI::Option* shell =
        command->add_flag("--shell", options->shell,
                          "read commands from standard input: breakpoints, steps, registers, memory, who waits, snapshots");
    for (CLI::Option* view : add_boot_views(*command, *options)) shell->excludes(view);
    shell->excludes(verbose);
    command->add_flag("--json", options->json, "print JSON; what the program prints goes to standard error");
    command->footer(
        "The exit code is the program's. A standstill is told on standard error, with who waits where: exit code 1.\n\n"
        "Examples:\n  magicwire boot hello.btl\n"
        "  magicwire boot examples/t800/worm.s --machine mesh:3x3\n"
        "  magicwire boot sieve.btl --machine chain:8 -- 1000\n"
        "  magicwire boot cc.b8h --root work --ram 2MiB -- hello.c -o hello.tco\n"
        "  magicwire boot worm.btl --machine grid.yaml --links byte -v\n"
        "  magicwire boot farm.s --machine tree:2:7 --trace farm.mwt --profile farm.txt\n"
        "  magicwire boot worm.s --machine mesh:3x3 --shell\n"
        "  printf 'break generate\\nrun\\nregisters\\n' | magicwire boot examples/t800/sieve.s --shell\n"
        "  magicwire boot farm.s --machine tree:2:7 --faults plan.faults --vcd farm.vcd --watch n0.1,n1.busy\n");
    command->callback([options, &result] { result = run_boot(*options); });
}

}  // namespace cli
