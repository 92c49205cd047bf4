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
#include <t800_assembly/assembler.hpp>
#include <text/output_file.hpp>
#include <topologies/cost_settings.hpp>
#include <topologies/machine_checks.hpp>
#include <topologies/machine_parser.hpp>
#include <topologies/shapes.hpp>
#include <topologies/strict_yaml.hpp>
#include <vocabulary/errors.hpp>
#include <vocabulary/source_position.hpp>

#include "frame/command.hpp"
#include "frame/interrupt.hpp"
#include "programs/mpirun_deliveries.hpp"

namespace cli {
namespace {

using vocabulary::SimTime;

struct BootOptions {
    std::string image, machine = "chain:1", ram, root, seed = "1", limit, links = "message";
    std::vector<std::string> set, environment, arguments;
    bool raw = false, json = false, says = false;
};

class BootTerminal final : public iserver::Console {
public:
    explicit BootTerminal(std::FILE* out) : out_(out) {}
    void write(std::string_view text) override {
        std::fwrite(text.data(), 1, text.size(), out_);
        std::fflush(out_);
    }
    void write_error(std::string_view text) override {
        std::fwrite(text.data(), 1, text.size(), stderr);
        std::fflush(stderr);
    }
    std::optional<char> read() override {
        char next = 0;
        ssize_t got = 0;
        do got = ::read(STDIN_FILENO, &next, 1);
        while (got < 0 && errno == EINTR && interrupted == 0);
        return got == 1 ? std::optional(next) : std::nullopt;
    }
    // Input that is no terminal is all there from the beginning, so that equal input gives equal runs.
    std::optional<char> poll() override {
        pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
        if (isatty(STDIN_FILENO) == 1 && ::poll(&input, 1, 0) <= 0) return std::nullopt;
        return read();
    }

private:
    std::FILE* out_;
};

// The bytes of an image, or those that the assembler makes of a source.
std::vector<std::byte> image_bytes(const std::string& file) {
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
        for (const std::uint8_t byte : t800_assembly::boot_image(t800_assembly::assemble(text, file, read)))
            bytes.push_back(static_cast<std::byte>(byte));
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

double modelled_seconds(SimTime time) {
    return static_cast<double>(time.in_ps()) * 1e-12;
}

const char* word_of_end(boot_runs::End end) {
    switch (end) {
        case boot_runs::End::Exit:
            return "exit";
        case boot_runs::End::Standstill:
            return "standstill";
        case boot_runs::End::Limit:
            return "limit";
        case boot_runs::End::Stopped:
            return "stopped";
        case boot_runs::End::NoPacket:
            break;
    }
    return "no_packet";
}

// A program of plain bytes ends when nothing can happen any more.
int exit_code_after(const boot_runs::Result& result, bool raw) {
    switch (result.end) {
        case boot_runs::End::Exit:
            return result.status & 0xff;
        case boot_runs::End::Standstill:
            return raw ? exit_code::nothing_found : exit_code::found;
        case boot_runs::End::Limit:
            return exit_code::budget;
        case boot_runs::End::Stopped:
            return exit_code::interrupted;
        case boot_runs::End::NoPacket:
            break;
    }
    return exit_code::bad_input;
}

std::string beyond_memory(const boot_runs::Result& result) {
    for (std::size_t i = 0; i < result.nodes.size(); ++i) {
        const boot_runs::NodeEnd& node = result.nodes[i];
        if (!node.stray_address) continue;
        const char* advice = *node.stray_address < 0x8000'0000U
                                 ? "no node has memory below #80000000, so the program has followed a wrong pointer"
                                 : "the image may be too large for the node, or not for a T800: try a larger --ram";
        return fmt::format("n{} has no memory at #{:08X}, where the instruction at #{:08X} reached; {}", i, *node.stray_address,
                           node.stray_iptr.value_or(0), advice);
    }
    return "";
}

std::string other_processor(const boot_runs::Result& result) {
    for (std::size_t i = 0; i < result.nodes.size(); ++i) {
        const boot_runs::NodeEnd& node = result.nodes[i];
        if (!node.unknown_operation) continue;
        return fmt::format(
            "n{} met operation #{:X} at #{:08X}, which a T800 does not have: the image may be for a T414 or a T425", i,
            *node.unknown_operation, node.unknown_iptr.value_or(0));
    }
    return "";
}

std::string boot_standstill(const boot_runs::Result& result, const boot_runs::Plan& plan) {
    std::string text =
        fmt::format("standstill at {:.9f} s of modelled time: nothing can happen any more", modelled_seconds(result.ended));
    for (const boot_runs::Wait& wait : result.waits) text += fmt::format("\n  n{} {}", wait.node.value(), wait.text);
    if (result.image_taken < plan.image.size())
        text += fmt::format(
            "\n  the image has {} bytes, and n0 took {} of them: it may be cut, have a wrong length byte, or be for "
            "other processors or another machine",
            plan.image.size(), result.image_taken);
    for (const std::string& more : {beyond_memory(result), other_processor(result)}) {
        if (!more.empty()) text += "\n  " + more;
    }
    return text;
}

int tell_boot_end(const boot_runs::Result& result, const boot_runs::Plan& plan) {
    const int code = exit_code_after(result, plan.raw);
    switch (result.end) {
        case boot_runs::End::Standstill:
            // Without a server a standstill is the usual end, but not one of these.
            if (!plan.raw || result.image_taken < plan.image.size() || !beyond_memory(result).empty() ||
                !other_processor(result).empty())
                tell_error(code, boot_standstill(result, plan));
            break;
        case boot_runs::End::Limit:
            tell_error(code, fmt::format("the run is not over after {:.6f} s of modelled time; raise --limit",
                                         modelled_seconds(result.ended)));
            break;
        case boot_runs::End::Stopped:
            tell_error(code, fmt::format("interrupted at {:.6f} s of modelled time", modelled_seconds(result.ended)));
            break;
        case boot_runs::End::NoPacket:
            tell_error(code, result.broken_by);
            break;
        case boot_runs::End::Exit:
            break;
    }
    return code;
}

nlohmann::ordered_json boot_json(const boot_runs::NodeEnd& node, std::size_t number) {
    nlohmann::ordered_json stray = nullptr;
    if (node.stray_address) stray = {{"address", *node.stray_address}, {"iptr", node.stray_iptr.value_or(0)}};
    nlohmann::ordered_json unknown = nullptr;
    if (node.unknown_operation) unknown = {{"operation", *node.unknown_operation}, {"iptr", node.unknown_iptr.value_or(0)}};
    return {{"node", fmt::format("n{}", number)},
            {"state", node.state},
            {"error", node.error},
            {"instructions", node.instructions},
            {"process_starts", node.process_starts},
            {"preemptions", node.preemptions},
            {"timeslices", node.timeslices},
            {"messages", node.messages},
            {"busy_s", modelled_seconds(node.busy)},
            {"bytes_sent", node.bytes_sent},
            {"stray", stray},
            {"unknown_operation", unknown}};
}

std::string boot_json(const boot_runs::Result& result, const BootOptions& options) {
    nlohmann::ordered_json all{{"schema", "magicwire.boot/1"},
                               {"image", options.image},
                               {"machine", options.machine},
                               {"links", options.links},
                               {"end", word_of_end(result.end)},
                               {"status", result.end == boot_runs::End::Exit ? nlohmann::ordered_json(result.status)
                                                                             : nlohmann::ordered_json(nullptr)},
                               {"ended_s", modelled_seconds(result.ended)},
                               {"image_bytes_taken", result.image_taken},
                               {"requests", result.requests},
                               {"run_hash", fmt::format("{:016x}", result.run_hash)},
                               {"nodes", nlohmann::ordered_json::array()},
                               {"waits", nlohmann::ordered_json::array()}};
    for (std::size_t i = 0; i < result.nodes.size(); ++i) all["nodes"].push_back(boot_json(result.nodes[i], i));
    for (const boot_runs::Wait& wait : result.waits)
        all["waits"].push_back({{"node", fmt::format("n{}", wait.node.value())}, {"text", wait.text}});
    return all.dump(2);
}

int run_boot(const BootOptions& options) {
    boot_runs::Plan plan{.machine = machine_with_cores(options), .costs = costs_of(options.set)};
    plan.seed = whole_number("--seed", options.seed);
    plan.links = options.links == "byte" ? topologies::LinkLevel::Byte : topologies::LinkLevel::Message;
    plan.image_name = options.image;
    plan.image = image_bytes(options.image);
    plan.settings.command_line = fmt::format("{}", fmt::join(options.arguments, " "));
    plan.settings.whole_command_line = options.image + (options.arguments.empty() ? "" : " ") + plan.settings.command_line;
    plan.settings.environment = program_environment(options, plan.machine);
    plan.raw = options.raw;
    const double limit = options.limit.empty() ? 1e6 : positive_number("--limit", options.limit);
    plan.limit = SimTime::us(static_cast<std::int64_t>(std::min(limit, 1e6) * 1e6));
    const std::unique_ptr<trollius_os::FileStore> files =
        options.root.empty() ? std::unique_ptr<trollius_os::FileStore>(std::make_unique<iserver::NoFiles>())
                             : std::make_unique<host_files::HostFiles>(options.root);
    BootTerminal terminal(options.json ? stderr : stdout);
    plan.files = files.get();
    plan.console = &terminal;
    plan.goes_on = [] { return interrupted == 0; };
    stop_at_interrupt();
    const boot_runs::Result result = boot_runs::run(plan);
    std::fflush(stdout);
    if (options.says) {
        std::uint64_t instructions = 0;
        for (const boot_runs::NodeEnd& node : result.nodes) instructions += node.instructions;
        std::fprintf(stderr, "%s on %s: %.9f s of modelled time, %llu instructions on %zu nodes, run hash %016llx\n",
                     options.image.c_str(), options.machine.c_str(), modelled_seconds(result.ended),
                     static_cast<unsigned long long>(instructions), result.nodes.size(),
                     static_cast<unsigned long long>(result.run_hash));
    }
    if (options.json) put(boot_json(result, options));
    return tell_boot_end(result, plan);
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
    command->add_flag("-v,--verbose", options->says, "tell time and instructions on standard error at the end");
    command->add_flag("--json", options->json, "print JSON; what the program prints goes to standard error");
    command->footer(
        "The exit code is the program's. A standstill is told on standard error, with who waits where: exit code 1.\n\n"
        "Examples:\n  magicwire boot hello.btl\n"
        "  magicwire boot examples/t800/worm.s --machine mesh:3x3\n"
        "  magicwire boot sieve.btl --machine chain:8 -- 1000\n"
        "  magicwire boot cc.b8h --root work --ram 2MiB -- hello.c -o hello.tco\n"
        "  magicwire boot worm.btl --machine grid.yaml --links byte -v\n");
    command->callback([options, &result] { result = run_boot(*options); });
}

}  // namespace cli
