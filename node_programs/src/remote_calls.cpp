// The calls that ask the daemons of a node: kenyad, bufferd, echod, loadd.
#include <algorithm>

#include "node_process.hpp"

namespace node_programs {

using trollius_os::Doomed;
using vocabulary::NodeId;

int NodeProcess::loadgo(int dest, const char* file, int rtf, char** argv, int* pid, int* index) {
    const auto to = node_at(dest);
    call_.name = text_at("rploadgo", "a file name", file);
    call_.words.clear();
    for (std::size_t i = 0; argv != nullptr; ++i) {
        require("rploadgo", "argv", argv + i, sizeof *argv, false);
        if (argv[i] == nullptr) break;
        if (i > 0) call_.words.push_back(text_at("rploadgo", "an argument", argv[i]));
    }
    if (pid != nullptr) require("rploadgo", "pid", pid, sizeof *pid, true);
    if (index != nullptr) require("rploadgo", "index", index, sizeof *index, true);
    if (!to) return -EBADNODE;
    call_.to = *to;
    call_.flags = rtf & RTF_WAIT;
    talk([this](trollius_os::Api& api) {
        call_.created = trollius_os::loadgo(api, call_.to, api.kernel().host(), call_.name, call_.words, call_.flags);
    });
    if (!call_.created) return call_.created.error == trollius_os::CreateError::UnknownProgram ? -ENOENT : -ENOPDESCRIPTORS;
    if (call_.flags != 0) ++children_;
    if (pid != nullptr) *pid = static_cast<int>(call_.created.pid.value());
    if (index != nullptr) *index = static_cast<int>(call_.created.index);
    return 0;
}

int NodeProcess::wait_for_child(int* node, int* pid, int* status) {
    for (int* place : {node, pid, status}) {
        if (place != nullptr) require("rpwait", "a result", place, sizeof *place, true);
    }
    if (children_ == 0) return -ENOTPROCESS;
    on_caller([this] {
        call_.child = trollius_os::wait_for_child(seat_.api());
        seat_.api().settle();
        take_signals();
    });
    --children_;
    if (node != nullptr) *node = call_.child.node.value();
    if (pid != nullptr) *pid = static_cast<int>(call_.child.pid.value());
    if (status != nullptr) *status = call_.child.status;
    return 0;
}

int NodeProcess::doom(int where, int selection, int value, int signal) {
    const auto at = node_at(where);
    if (!at) return -EBADNODE;
    if (selection != SELECT_PID && selection != SELECT_INDEX) return -EINVAL;
    call_.to = *at;
    talk([this, selection, value, signal](trollius_os::Api& api) {
        call_.pid = vocabulary::ProcessId(static_cast<std::uint32_t>(value));
        if (selection == SELECT_INDEX) {
            call_.lines = trollius_os::state(api, call_.to);
            const auto line = std::find_if(call_.lines.begin(), call_.lines.end(),
                                           [value](const auto& l) { return l.index == static_cast<std::uint32_t>(value); });
            call_.pid = line == call_.lines.end() ? vocabulary::ProcessId() : line->pid;
        }
        call_.doomed = trollius_os::doom(api, call_.to, call_.pid, signal);
    });
    if (call_.doomed == Doomed::Done) return 0;
    return call_.doomed == Doomed::NoProcess ? -ENOTPROCESS : call_.doomed == Doomed::Service ? -ESERVICE : -EINVAL;
}

int NodeProcess::processes(int where, pstate* table, int most) {
    const auto at = node_at(where);
    if (!at) return -EBADNODE;
    require("rpstate", "a table", table, require_length("rpstate", "a size", most) * sizeof *table, true);
    call_.to = *at;
    talk([this](trollius_os::Api& api) { call_.lines = trollius_os::state(api, call_.to); });
    std::vector<pstate> all;
    for (const trollius_os::ProcessLine& line : call_.lines) {
        pstate& record = all.emplace_back();
        record = {.ps_index = static_cast<int>(line.index),
                  .ps_pid = static_cast<int>(line.pid.value()),
                  .ps_priority = line.priority,
                  .ps_state = line.state,
                  .ps_event = line.event.value(),
                  .ps_type = line.type,
                  .ps_name = {}};
        line.name.copy(record.ps_name, sizeof record.ps_name - 1);
    }
    return give_table(table, most, all);
}

int NodeProcess::buffers(int where, bfstate* table, int most) {
    const auto at = node_at(where);
    if (!at) return -EBADNODE;
    require("rbfstate", "a table", table, require_length("rbfstate", "a size", most) * sizeof *table, true);
    call_.to = *at;
    talk([this](trollius_os::Api& api) { call_.buffered = trollius_os::buffer_state(api, call_.to); });
    std::vector<bfstate> all;
    for (const auto& packet : call_.buffered.packets)
        all.push_back({packet.node.word, packet.event.value(), packet.type, static_cast<int>(packet.length)});
    return give_table(table, most, all);
}

int NodeProcess::sweep(int where, int event, bool only) {
    const auto at = node_at(where);
    if (!at) return -EBADNODE;
    call_.to = *at;
    talk([this, event, only](trollius_os::Api& api) {
        call_.swept = only ? trollius_os::sweep_buffers(api, call_.to, vocabulary::EventNo(event))
                           : trollius_os::sweep_buffers(api, call_.to);
    });
    return static_cast<int>(call_.swept);
}

int NodeProcess::echo(int where, const char* out, char* in, int length) {
    const auto at = node_at(where);
    if (!at) return -EBADNODE;
    const std::size_t bytes = require_length("recho", "a length", length);
    if (bytes > seat_.api().kernel().costs().most_packet) return -EMSGLEN;
    require("recho", "the second buffer", in, bytes, true);
    require("recho", "the first buffer", out, bytes, false);
    call_.body = copy_message("recho", out, bytes, *at != node());
    call_.to = *at;
    talk([this](trollius_os::Api& api) {
        const trollius_os::services::EchoRequest request{.unused = 0, .caller = trollius_os::services::caller(api)};
        call_.message = trollius_os::services::request_to(call_.to, trollius_os::events::echod, request, call_.body);
        api.nsend(call_.message);
        call_.message = trollius_os::services::await_answer(api, call_.body);
    });
    give_body(in);
    return finish_call(trollius_os::Outcome::Done);
}

}  // namespace node_programs
