#include "boot/boot_report.hpp"

#include <cstdint>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <oracle/fault_report.hpp>

#include "frame/command.hpp"

namespace cli {

using vocabulary::SimTime;

double modelled_seconds(SimTime time) {
    return static_cast<double>(time.in_ps()) * 1e-12;
}

namespace {

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

}  // namespace

std::string boot_end_text(const boot_runs::Result& result, const boot_runs::Plan& plan) {
    switch (result.end) {
        case boot_runs::End::Standstill:
            return boot_standstill(result, plan);
        case boot_runs::End::Limit:
            return fmt::format("the run is not over after {:.6f} s of modelled time; raise --limit",
                               modelled_seconds(result.ended));
        case boot_runs::End::Stopped:
            return fmt::format("interrupted at {:.6f} s of modelled time", modelled_seconds(result.ended));
        case boot_runs::End::NoPacket:
            return result.broken_by;
        case boot_runs::End::Exit:
            break;
    }
    return fmt::format("the program has ended with status {} at {:.9f} s of modelled time", result.status,
                       modelled_seconds(result.ended));
}

int tell_boot_end(const boot_runs::Result& result, const boot_runs::Plan& plan) {
    const int code = exit_code_after(result, plan.raw);
    // Without a server a standstill is the usual end, but not one of these.
    const bool usual = result.end == boot_runs::End::Exit ||
                       (result.end == boot_runs::End::Standstill && plan.raw && result.image_taken >= plan.image.size() &&
                        beyond_memory(result).empty() && other_processor(result).empty());
    if (!usual) tell_error(code, boot_end_text(result, plan));
    return code;
}

std::string boot_json(const boot_runs::Result& result, const boot_runs::Plan& plan, const std::string& machine) {
    nlohmann::ordered_json all{{"schema", "magicwire.boot/1"},
                               {"image", plan.image_name},
                               {"machine", machine},
                               {"links", plan.links == topologies::LinkLevel::Byte ? "byte" : "message"},
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
    if (!plan.faults.faults.empty()) all["faults"] = oracle::faults_json(plan.faults, result.faults);
    return all.dump(2);
}

}  // namespace cli
