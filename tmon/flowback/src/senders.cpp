#include "senders.hpp"

#include <fmt/format.h>

namespace tmon_flowback {

using flowback_log::Passed;

namespace {

// The runtime gives a part its parent's digits and its own, a hexadecimal digit a level (docs/formats/farm_program.md).
bool may_be_part(std::uint32_t subtask, std::uint32_t parent, std::uint32_t branch) {
    for (unsigned shift = 0; shift < 32; shift += 4) {
        if (subtask == (parent | branch << shift)) return true;
    }
    return false;
}

}  // namespace

bool is_command(const RecordedRun& run, const Origin& received) {
    return received.root != nothing && run.process(received.process).roots()[received.root].entry == main_entry;
}

std::uint64_t message_bytes(const RecordedRun& run, const Origin& received) {
    const ProcessLog& log = run.process(received.process);
    if (received.message != nothing) return log.messages()[received.message].place.second;
    return log.roots()[received.root].message[received.part].second;
}

Senders senders_of(const RecordedRun& run, const Origin& received) {
    const ProcessLog& log = run.process(received.process);
    const bool by_call = received.message != nothing;
    const Root* root = by_call ? nullptr : &log.roots()[received.root];
    const std::uint32_t task = by_call ? log.messages()[received.message].task : root->task;
    const std::uint32_t subtask = by_call ? log.messages()[received.message].subtask : root->subtask;
    constexpr std::uint32_t join = 5;
    const bool result = by_call || root->entry == join;
    Senders found;
    found.what = result ? fmt::format("the result of task {}", task) : fmt::format("task {}", task);
    for (std::uint32_t process = 0; process < run.processes().size(); ++process) {
        const auto& messages = run.process(process).messages();
        for (std::uint32_t i = 0; i < messages.size(); ++i) {
            const LoggedMessage& each = messages[i];
            if (each.task != task || each.place.second != message_bytes(run, received)) continue;
            bool fits = false;
            if (result) {
                fits = each.passed == Passed::Result;
            } else if (each.passed == Passed::Task) {
                fits = subtask == 0;
            } else if (each.passed == Passed::Part) {
                const Root& of = run.process(process).roots()[each.root];
                fits = may_be_part(subtask, of.subtask, each.subtask);
            }
            if (fits) found.candidates.push_back({process, i});
        }
    }
    return found;
}

std::vector<EventId> send_calls(RecordedRun& run, const Sender& sender) {
    std::vector<EventId> calls;
    const LoggedMessage& message = run.process(sender.process).messages()[sender.message];
    if (message.interval == nothing) return calls;
    const Emulation& emulation = run.emulation(sender.process, message.interval);
    for (std::uint32_t i = 0; i < emulation.events().size(); ++i) {
        const Event& event = emulation.events()[i];
        if (run.program().kind(event.site) != SiteKind::Call || event.extra == nothing) continue;
        if (emulation.call(event).message == sender.message) calls.push_back({sender.process, message.interval, i});
    }
    return calls;
}

}  // namespace tmon_flowback
