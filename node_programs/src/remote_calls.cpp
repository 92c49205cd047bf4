// The calls that ask the daemons of a node: kenyad, bufferd, echod, loadd.
#include <algorithm>
#include <cstring>

#include "node_process.hpp"

namespace node_programs {

using trollius_os::Doomed;
using vocabulary::NodeId;

template <class Record>
int NodeProcess::give_table(Record* table, int most, const std::vector<Record>& all) {
    const std::size_t count = std::min(all.size(), static_cast<std::size_t>(std::max(most, 0)));
    if (count > 0) std::memcpy(table, all.data(), count * sizeof(Record));
    return static_cast<int>(all.size());
}

int NodeProcess::loadgo(int dest, const char* file, int rtf, char** argv, int* pid) {
    const auto to = node_at(dest);
    load_name_ = text_at("rploadgo", "a file name", file);
    load_words_.clear();
    for (std::size_t i = 0; argv != nullptr; ++i) {
        require("rploadgo", "argv", argv + i, sizeof *argv, false);
        if (argv[i] == nullptr) break;
        if (i > 0) load_words_.push_back(text_at("rploadgo", "an argument", argv[i]));
    }
    if (pid != nullptr) require("rploadgo", "pid", pid, sizeof *pid, true);
    if (!to) return -EBADNODE;
    to_ = *to;
    flags_ = rtf & RTF_WAIT;
    on_caller([this] {
        trollius_os::Api& api = seat_.api();
        created_ = trollius_os::loadgo(api, to_, api.kernel().host(), load_name_, load_words_, flags_);
        api.settle();
    });
    if (!created_) return created_.error == trollius_os::CreateError::UnknownProgram ? -ENOENT : -ENOPDESCRIPTORS;
    if (flags_ != 0) ++children_;
    if (pid != nullptr) *pid = static_cast<int>(created_.pid.value());
    return 0;
}

int NodeProcess::wait_for_child(int* node, int* pid, int* status) {
    for (int* place : {node, pid, status}) {
        if (place != nullptr) require("rpwait", "a result", place, sizeof *place, true);
    }
    if (children_ == 0) return -ENOTPROCESS;
    on_caller([this] {
        child_ = trollius_os::wait_for_child(seat_.api());
        seat_.api().settle();
    });
    --children_;
    if (node != nullptr) *node = child_.node.value();
    if (pid != nullptr) *pid = static_cast<int>(child_.pid.value());
    if (status != nullptr) *status = child_.status;
    return 0;
}

int NodeProcess::doom(int where, int selection, int value, int signal) {
    const auto at = node_at(where);
    if (!at) return -EBADNODE;
    if (selection != SELECT_PID && selection != SELECT_INDEX) return -EINVAL;
    to_ = *at;
    on_caller([this, selection, value, signal] {
        trollius_os::Api& api = seat_.api();
        other_pid_ = vocabulary::ProcessId(static_cast<std::uint32_t>(value));
        if (selection == SELECT_INDEX) {
            lines_ = trollius_os::state(api, to_);
            const auto line = std::find_if(lines_.begin(), lines_.end(),
                                           [value](const auto& l) { return l.index == static_cast<std::uint32_t>(value); });
            other_pid_ = line == lines_.end() ? vocabulary::ProcessId() : line->pid;
        }
        doomed_ = trollius_os::doom(api, to_, other_pid_, signal);
        api.settle();
    });
    if (doomed_ == Doomed::Done) return 0;
    return doomed_ == Doomed::NoProcess ? -ENOTPROCESS : doomed_ == Doomed::Service ? -ESERVICE : -EINVAL;
}

int NodeProcess::processes(int where, pstate* table, int most) {
    const auto at = node_at(where);
    if (!at) return -EBADNODE;
    require("rpstate", "a table", table, require_length("rpstate", "a size", most) * sizeof *table, true);
    to_ = *at;
    on_caller([this] {
        lines_ = trollius_os::state(seat_.api(), to_);
        seat_.api().settle();
    });
    std::vector<pstate> all;
    for (const trollius_os::ProcessLine& line : lines_) {
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
    to_ = *at;
    on_caller([this] {
        buffered_ = trollius_os::buffer_state(seat_.api(), to_);
        seat_.api().settle();
    });
    std::vector<bfstate> all;
    for (const auto& packet : buffered_.packets)
        all.push_back({packet.node.word, packet.event.value(), packet.type, static_cast<int>(packet.length)});
    return give_table(table, most, all);
}

int NodeProcess::sweep(int where, int event, bool only) {
    const auto at = node_at(where);
    if (!at) return -EBADNODE;
    to_ = *at;
    on_caller([this, event, only] {
        trollius_os::Api& api = seat_.api();
        swept_ = only ? trollius_os::sweep_buffers(api, to_, vocabulary::EventNo(event)) : trollius_os::sweep_buffers(api, to_);
        api.settle();
    });
    return static_cast<int>(swept_);
}

int NodeProcess::echo(int where, const char* out, char* in, int length) {
    const auto at = node_at(where);
    if (!at) return -EBADNODE;
    const std::size_t bytes = require_length("recho", "a length", length);
    if (bytes > seat_.api().kernel().costs().most_packet) return -EMSGLEN;
    require("recho", "the second buffer", in, bytes, true);
    require("recho", "the first buffer", out, bytes, false);
    body_ = copy_message("recho", out, bytes, *at != node());
    to_ = *at;
    on_caller([this] {
        trollius_os::Api& api = seat_.api();
        const trollius_os::services::EchoRequest request{.unused = 0, .caller = trollius_os::services::caller(api)};
        message_ = trollius_os::services::request_to(to_, trollius_os::events::echod, request, body_);
        api.nsend(message_);
        message_ = trollius_os::services::await_answer(api, body_);
        api.settle();
    });
    give_body(in);
    return finish_call(trollius_os::Outcome::Done);
}

}  // namespace node_programs
