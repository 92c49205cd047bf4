// Figures that T800 code measures by its own timer: machine code on nodes with a core, over byte streams. Each program is
// booted by the host, and its last act is to output a number of microseconds to the host.
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <boot_runs/boot_run.hpp>
#include <iserver/no_files.hpp>
#include <t800_assembly/assembler.hpp>

#include "group.hpp"
#include "micro_machine.hpp"

namespace validation {
namespace {

using topologies::CostTable;
using topologies::Provenance;
using vocabulary::LinkNo;
using vocabulary::NodeId;
using vocabulary::SimTime;

// Takes the number that the program outputs.
class CodeConsole final : public iserver::Console {
public:
    void write(std::string_view text) override { got_ += text; }
    void write_error(std::string_view) override {}
    std::optional<char> read() override { return std::nullopt; }
    std::optional<char> poll() override { return std::nullopt; }
    double number() const {
        std::uint32_t value = 0;
        for (std::size_t i = got_.size(); i > 0; --i) value = value << 8 | static_cast<unsigned char>(got_[i - 1]);
        return got_.size() == 4 ? value : 0;
    }

private:
    std::string got_;
};

// n0.1 to n1.0 through so many switches; the host at n0.0.
topologies::MachineDescription two_nodes(std::int64_t bits_per_second, std::size_t switches, std::int64_t clock_hz) {
    topologies::MachineDescription machine = pairs_of_nodes(bits_per_second, std::array<std::size_t, 1>{switches}, clock_hz);
    machine.wires.push_back({topologies::HostEnd{LinkNo(0)}, topologies::NodeLink{NodeId(0), LinkNo(0)}});
    for (topologies::NodeDescription& node : machine.nodes) node.ram_bytes = 256 << 10;
    return boot_runs::with_cores(std::move(machine));
}

double microseconds(const CostTable& costs, const std::string& source, std::size_t switches = 0,
                    std::int64_t bits_per_second = 20'000'000, std::int64_t clock_hz = t800_20_hz) {
    boot_runs::Plan plan{.machine = two_nodes(bits_per_second, switches, clock_hz), .costs = costs};
    plan.image_name = "measurement";
    for (const std::uint8_t byte : t800_assembly::boot_image(t800_assembly::assemble(source, "measurement")))
        plan.image.push_back(static_cast<std::byte>(byte));
    CodeConsole console;
    iserver::NoFiles files;
    plan.console = &console;
    plan.files = &files;
    plan.raw = true;
    plan.limit = SimTime::s(20);
    boot_runs::run(plan);
    return console.number();
}

// Saves the boot link's channel, empties queues, starts the clocks. `measure` is to be timed: from word 8 of the workspace on
// it may use the words. The time since `begin` goes to the host.
std::string program(const std::string& before, const std::string& measured) {
    return R"(
start:  ajw 40
        stl 0
        stl 1
        stl 2
        mint
        sthf
        mint
        stlf
        mint
        mint
        stnl 9                  ; both timer queues are empty
        mint
        mint
        stnl 10
        ldc 0
        sttimer
)" + before +
           R"(
        ldtimer
        stl 3
)" + measured +
           R"(
        ldtimer
        ldl 3
        diff
        ldc 6
        shl                     ; ticks of 64 us
        stl 3
        ldl 2
        adc -16
        ldl 3
        outword
        stopp
)";
}

std::string repeated(int times, const std::string& body) {
    return fmt::format(R"(
        ldc 0
        stl 8
        ldc {}
        stl 9
again:
{}
        ldlp 8
        ldc over - again
        lend
over:
)",
                       times, body);
}

constexpr int link_bytes = 20'000, link_rounds = 10;

// Boots n1 with code that lies behind this program.
const char* const boot_n1 = R"(
        ldap child
        ldc 0x80000004
        ldc child_end - child
        out
)";

std::string child(const std::string& body) {
    return "child: .byte child_end - child_code\nchild_code:\n        ajw 40\n" + body + "child_end:\n";
}

// n1 takes what n0 sends, or both send and take at once. Kbyte/s, over both directions.
double link_rate(const CostTable& costs, bool both_ways, std::int64_t bits_per_second, std::size_t switches) {
    const std::string room = "        ldc 0x80004000\n", other = "        ldc 0x80010000\n",
                      count = fmt::format("        ldc {}\n", link_bytes);
    const std::string send = room + "        ldc 0x80000004\n" + count + "        out\n";
    const std::string back = R"(
        ldc receiver - started
        ldc 0x8000C000
        startp
started:
)";
    const std::string receive =
        "receiver:\n" + repeated(link_rounds, other + "        ldc 0x80000014\n" + count + "        in\n");
    if (!both_ways) {
        const std::string takes = "next:" + room + "        ldc 0x80000010\n" + count + "        in\n        j next\n";
        const double us =
            microseconds(costs, program(boot_n1, repeated(link_rounds, send)) + child(takes), switches, bits_per_second);
        return us > 0 ? link_bytes * link_rounds * 1000.0 / us : 0;
    }
    const std::string takes = R"(
        ldc other - begun
        ldc 0x8000C000
        startp
begun:
next:   ldc 0x80004000
        ldc 0x80000010
)" + count + R"(
        in
        j next
other:  ldc 0x80010000
        ldc 0x80000000
)" + count + R"(
        out
        j other
)";
    const std::string text =
        program(std::string(boot_n1) + back, repeated(link_rounds, send)) + receive + "        stopp\n" + child(takes);
    std::string unique = text;  // the second loop needs labels of its own
    const std::size_t second = unique.find("receiver:");
    for (const char* const label : {"again", "over"}) {
        for (std::size_t at = unique.find(label, second); at != std::string::npos; at = unique.find(label, at + 12))
            unique.replace(at, std::string_view(label).size(), std::string("rest_") + label);
    }
    const double us = microseconds(costs, unique, switches, bits_per_second);
    return us > 0 ? 2 * link_bytes * link_rounds * 1000.0 / us : 0;
}

double ping_pong(const CostTable& costs) {
    const std::string round = R"(
        ldlp 12
        ldc 0x80000004
        ldc 4
        out
        ldlp 12
        ldc 0x80000014
        ldc 4
        in
)";
    const std::string answers = R"(
next:   ldlp 4
        ldc 0x80000010
        ldc 4
        in
        ldlp 4
        mint
        ldc 4
        out
        j next
)";
    constexpr int rounds = 10'000;
    return microseconds(costs, program(boot_n1, repeated(rounds, round)) + child(answers)) / rounds;
}

// MB/s of block moves of so many bytes between two places.
double block_move(const CostTable& costs, const char* from, const char* to, int bytes, std::int64_t clock_hz) {
    const int times = 4'000'000 / bytes;
    const std::string move = fmt::format("        ldc {}\n        ldc {}\n        ldc {}\n        move\n", from, to, bytes);
    const double us = microseconds(costs, program("", repeated(times, move)), 0, 20'000'000, clock_hz);
    return us > 0 ? static_cast<double>(times) * bytes / us : 0;
}

Figure figure(const char* name, const char* what, const char* unit, double least, double most, double tolerance,
              const char* reason, Provenance provenance, const char* source, Proof proof) {
    return {.name = name,
            .what = what,
            .unit = unit,
            .least = least,
            .most = most,
            .tolerance_percent = tolerance,
            .reason = reason,
            .provenance = provenance,
            .source = source,
            .proof = proof};
}

constexpr const char* tick = "the code's timer has ticks of 64 us, 0.1 % of the measured time; the source rounds";
constexpr const char* sheet = "T800 data sheet, by T800 code";

}  // namespace

void add_code_groups(std::vector<Group>& groups) {
    using P = Provenance;
    struct LinkRow {
        const char *name, *what;
        double published, tolerance;
        Proof proof;
        bool both_ways;
        std::int64_t bits_per_second;
        std::size_t switches;
    };
    static constexpr std::array rows = {
        LinkRow{"code_link_20.one_way", "T800 code: link, 20 Mbit/s", 1740, 1.5, Proof::Fitted, false, 20'000'000, 0},
        LinkRow{"code_link_20_both.both_ways", "T800 code: link, 20 Mbit/s, both ways", 2350, 2, Proof::Fitted, true,
                20'000'000, 0},
        LinkRow{"code_link_10.one_way", "T800 code: link, 10 Mbit/s", 910, 1.5, Proof::Rule, false, 10'000'000, 0},
        LinkRow{"code_link_10_both.both_ways", "T800 code: link, 10 Mbit/s, both ways", 1250, 2, Proof::Fitted, true,
                10'000'000, 0},
        LinkRow{"code_link_5.one_way", "T800 code: link, 5 Mbit/s", 450, 1.5, Proof::Rule, false, 5'000'000, 0},
        LinkRow{"code_link_c004.one_way", "T800 code: link through a C004", 1320, 2, Proof::Rule, false, 20'000'000, 1},
    };
    for (const LinkRow& row : rows) {
        const std::string name = row.name;
        groups.push_back({.name = name.substr(0, name.find('.')),
                          .figures = {figure(row.name, row.what, "Kbyte/s", row.published, row.published, row.tolerance, tick,
                                             P::Recalled, sheet, row.proof)},
                          .measure = [&row](const CostTable& costs) {
                              return std::vector<double>{link_rate(costs, row.both_ways, row.bits_per_second, row.switches)};
                          }});
    }
    groups.push_back(
        {.name = "code_ping_pong",
         .figures = {figure("code_ping_pong.round", "T800 code: ping-pong of 4 bytes", "us", 8, 9, 8,
                            "the range is an estimate from set-up, bytes and wake-up; the model charges both ends in full",
                            P::Derived, "two T800-20, one link at 20 Mbit/s", Proof::Rule)},
         .measure = [](const CostTable& costs) { return std::vector<double>{ping_pong(costs)}; }});
    struct MoveRow {
        const char *name, *what, *from, *to;
        int bytes;
        std::int64_t clock_hz;
        double published, tolerance_percent;
        const char* reason;
        P provenance;
        const char* source;
    };
    static constexpr const char* rounds = "the source rounds; a move of 16 000 bytes has a start and a loop of 28 cycles";
    static constexpr const char* short_moves = "a move of 1400 bytes, 700 cycles, has a start and a loop of 28 cycles and more";
    static constexpr std::array moves = {
        MoveRow{"code_move_external.rate", "T800 code: block move, external", "0x80004000", "0x80010000", 16'000, 20'000'000,
                13.3, 1, rounds, P::Seen, "T800-20, external DRAM of 3 cycles"},
        MoveRow{"code_move_external_30mhz.rate", "T800 code: block move, external, 30 MHz", "0x80004000", "0x80010000", 16'000,
                30'000'000, 20, 1, rounds, P::Seen, "T800-30, external DRAM of 3 cycles"},
        MoveRow{"code_move_on_chip.rate", "T800 code: block move, on chip", "0x80000400", "0x80000A00", 1'400, 20'000'000, 40,
                7, short_moves, P::Derived, "two accesses a word, one cycle each"},
    };
    for (const MoveRow& row : moves) {
        const std::string name = row.name;
        groups.push_back({.name = name.substr(0, name.find('.')),
                          .figures = {figure(row.name, row.what, "MB/s", row.published, row.published, row.tolerance_percent,
                                             row.reason, row.provenance, row.source, Proof::Independent)},
                          .measure = [&row](const CostTable& costs) {
                              return std::vector<double>{block_move(costs, row.from, row.to, row.bytes, row.clock_hz)};
                          }});
    }
}

}  // namespace validation
