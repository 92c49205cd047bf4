#include "shell/shell_why.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <trollius_os/circuits.hpp>
#include <trollius_os/services.hpp>
#include <vocabulary/source_position.hpp>

namespace cli {
namespace {

using trollius_hosted::Doing;
using trollius_os::Process;
using trollius_os::ProcessState;
using vocabulary::EventNo;
using vocabulary::LinkNo;
using vocabulary::NodeId;

class Why {
public:
    explicit Why(session::LiveSession& session, Computing computing = {})
        : machine_(session.machine()), computing_(std::move(computing)) {}

    std::string deadlock_text() {
        std::string text;
        const auto of = [this](const trollius_os::CircuitName& circuit) {
            return fmt::format("the circuit of {} p{}", name(circuit.source_node()), circuit.pid().value());
        };
        for (const auto& wait : trollius_os::circuit_deadlock(kernels()))
            text += fmt::format("\ndeadlock: {} waits on {} for link {}, which {} holds", of(wait.waits), name(wait.at),
                                wait.link.value(), of(wait.holds));
        return text;
    }
    // The process, and then its threads.
    std::string text(NodeId node, const Process& process) {
        std::string lines = chain(node, &process);
        for (const auto& thread : machine_.kernel(node).threads())
            if (thread->owner() == &process && thread->state() != ProcessState::Ended) lines += chain(node, thread.get());
        return lines;
    }

private:
    // One line each for the process, for the process that it waits for, and so on.
    std::string chain(NodeId node, const Process* process) {
        std::string lines;
        seen_.clear();
        while (process != nullptr && seen_.emplace(node, process->pid()).second) {
            auto [reason, next_node, next] = reason_of(node, *process);
            lines += fmt::format("{:<6} p{} {}: {}\n", name(node), process->pid().value(), process->name(), reason);
            node = next_node;
            process = next;
        }
        if (process != nullptr)
            lines += fmt::format("{:<6} p{} {}: the circle is closed, a deadlock\n", name(node), process->pid().value(),
                                 process->name());
        return lines;
    }

    struct Reason {
        std::string text;
        NodeId node{};                  // of the process that it waits for
        const Process* next = nullptr;  // none: the chain ends here
    };

    std::string name(NodeId node) const { return node == machine_.host_id() ? "h" : fmt::format("n{}", node.value()); }

    const Process* find(NodeId node, const auto& wanted) {
        const auto& kernel = machine_.kernel(node);
        for (const auto* clients : {&kernel.processes(), &kernel.threads()})
            for (const auto& process : *clients)
                if (process->state() != ProcessState::Ended && wanted(*process)) return process.get();
        return nullptr;
    }
    const Process* by_name(NodeId node, const std::string& what) {
        return find(node, [&](const Process& p) { return p.name() == what; });
    }

    Reason reason_of(NodeId node, const Process& process) {
        if (machine_.machine().node(node).processor.stopped()) return {"its node has stopped"};
        if (process.state() == ProcessState::Ended) return {"it has ended"};
        if (auto reason = opens_circuit(node, process)) return *reason;
        if (process.state() == ProcessState::BlockedReceiving) return receives(node, process);
        if (process.state() == ProcessState::BlockedSending) return sends(node, process);
        const Doing doing = machine_.port(node).doing(*process.thread());
        if (doing.what == Doing::What::Sends) return on_link(node, doing.link);
        if (doing.what == Doing::What::Receives)
            return {fmt::format("it waits for a message over link {}", doing.link.value())};
        if (auto reason = link_is_held(node, process)) return *reason;
        if (doing.what == Doing::What::Waits) return {"it waits for a time, or for another process of its program"};
        const std::string what = computing_ ? computing_(node, process.pid()) : "";
        return {what.empty() ? "it computes, or is ready to" : what};
    }

    Reason receives(NodeId node, const Process& process) {
        const EventNo event = process.last_event();
        if (event == trollius_os::events::pause) return {"it pauses until a signal comes"};
        if (event == trollius_os::events::stop) return {"it is arrested (signal 5); signal 6 releases it"};
        if (process.awaits_packet())
            return {
                fmt::format("it has the beginning of a message of event {}, and its next packet does not come: its sender "
                            "has ended, or is held up",
                            event_text(event))};
        if (event == process.reply_event()) {
            const auto& [to, asked] = process.last_sent();
            if (asked.value() > 0)
                return no_receiver(fmt::format("by tsend() to event {} of {}", asked.value(), name(to)), to, process);
            return {fmt::format("it waits for an answer; its last message went to event {} of {}", event_text(asked), name(to)),
                    to, server(to, asked)};
        }
        return {fmt::format("it waits for a message of event {} and type {:x}; none is offered on {}", event_text(event),
                            process.last_type(), name(node))};
    }

    // A link's output that a circuit has to itself, which waits for the sender's next message.
    std::optional<Reason> link_is_held(NodeId node, const Process& process) {
        const trollius_os::Circuits* circuits = machine_.kernel(node).known_circuits();
        for (std::uint8_t link = 0; circuits != nullptr && link < 4; ++link) {
            if (process.name() != fmt::format("dlo_t4.{}", link)) continue;
            const auto& holder = circuits->way(LinkNo(link)).holder;
            if (!holder) return std::nullopt;
            return Reason{fmt::format("link {} belongs to a circuit of {} p{} until that is closed", link,
                                      name(holder->source_node()), holder->pid().value()),
                          holder->source_node(), machine_.kernel(holder->source_node()).find(holder->pid())};
        }
        return std::nullopt;
    }

    // The process has called psendopen(), and some link of the way is not free, or nobody has called precvopen().
    std::optional<Reason> opens_circuit(NodeId node, const Process& process) {
        const trollius_os::Circuits* circuits = machine_.kernel(node).known_circuits();
        if (circuits == nullptr) return std::nullopt;
        for (const auto& [circuit, origin] : circuits->origins) {
            if (origin.owner != process.pid() || origin.open) continue;
            const std::string what = fmt::format("it opens a circuit to event {} of {}", origin.event.value(), name(origin.to));
            const auto wait = trollius_os::circuit_wait(kernels(), circuit);
            if (!wait) return Reason{what + ", where no process has called precvopen()"};
            const NodeId holder = wait->holds.source_node();
            return Reason{fmt::format("{}, and waits on {} for link {}, which a circuit of {} p{} holds", what, name(wait->at),
                                      wait->link.value(), name(holder), wait->holds.pid().value()),
                          holder, machine_.kernel(holder).find(wait->holds.pid())};
        }
        return std::nullopt;
    }
    std::vector<trollius_os::Kernel*> kernels() {
        std::vector<trollius_os::Kernel*> all;
        for (std::size_t node = 0; node <= machine_.node_count(); ++node)
            all.push_back(&machine_.kernel(NodeId(static_cast<NodeId::value_type>(node))));
        return all;
    }

    // The process of a node that serves an event.
    const Process* server(NodeId node, EventNo event) {
        if (!machine_.booted(node)) return nullptr;
        return find(node,
                    [event](const Process& p) { return p.last_event() == event && p.state() != ProcessState::BlockedSending; });
    }

    Reason sends(NodeId node, const Process& process) {
        const EventNo event = process.last_event();
        if (event == trollius_os::events::bufferd) {
            const Process* bufferd = by_name(node, "bufferd");
            const bool full = bufferd != nullptr && bufferd->state() == ProcessState::BlockedReceiving;
            return {
                full ? fmt::format("the pool of {} is full: bufferd takes requests only", name(node)) : "bufferd is at work",
                node, full ? nullptr : bufferd};
        }
        for (std::uint8_t link = 0; link < 4; ++link) {
            if (event != trollius_os::datalink_event(LinkNo(link))) continue;
            return {fmt::format("it waits for the output of link {}", link), node,
                    by_name(node, fmt::format("dlo_t4.{}", link))};
        }
        if (const Process* owner = find(node, [event](const Process& p) { return p.reply_event() == event; }))
            return {fmt::format("it sends to p{} {}, which does not receive that", owner->pid().value(), owner->name()), node,
                    owner};
        return no_receiver(fmt::format("to event {}, type {:x}", event_text(event), process.last_type()), node, process);
    }

    // Nobody receives what a process sends to that node. The only other process of users there could, unless it sends as well.
    Reason no_receiver(const std::string& what, NodeId node, const Process& sender) {
        Reason reason{fmt::format("it sends {}, and no process of {} receives that", what, name(node))};
        const Process* other = nullptr;
        std::size_t count = 0;
        for (const auto& process : machine_.kernel(node).processes()) {
            if (process->state() == ProcessState::Ended || process->kernel_priority() > 0 || process.get() == &sender) continue;
            other = process.get();
            ++count;
        }
        if (count != 1 || !sends_to_user(*other)) return reason;
        reason.text += fmt::format("; p{} {}, alone there, sends as well", other->pid().value(), other->name());
        reason.node = node;
        reason.next = other;
        return reason;
    }
    // It is blocked in a send to a process of users, or until the receiver of its tsend() is there.
    static bool sends_to_user(const Process& process) {
        if (process.last_sent().second.value() <= 0) return false;
        return process.state() == ProcessState::BlockedSending ||
               (process.state() == ProcessState::BlockedReceiving && process.last_event() == process.reply_event());
    }

    Reason on_link(NodeId node, LinkNo link) {
        const auto& far = machine_.network().neighbour(node, link);
        if (!far) return {fmt::format("its message is on link {}, which leads nowhere", link.value())};
        return {fmt::format("its message is on link {} to {}", link.value(), name(far->node)), far->node,
                by_name(far->node, fmt::format("dli_t4.{}", far->link.value()))};
    }

    static std::string event_text(EventNo event) {
        namespace events = trollius_os::events;
        for (const auto& [number, what] :
             {std::pair(events::kenyad, "kenyad"), std::pair(events::flatd, "flatd"), std::pair(events::echod, "echod"),
              std::pair(events::filed, "filed"), std::pair(events::loadd, "loadd"), std::pair(events::bufferd, "bufferd")})
            if (event == number) return what;
        return std::to_string(event.value());
    }

    trollius_hosted::Multicomputer& machine_;
    Computing computing_;
    std::set<std::pair<NodeId, vocabulary::ProcessId>> seen_;
};

}  // namespace

std::string computation_text(const std::optional<user_programs::ProgramProcess::Computation>& computation) {
    if (!computation) return {};
    return fmt::format("it has computed for {:.1f} s without a call, and is at {}",
                       static_cast<double>(computation->time.in_ps()) / 1e12,
                       computation->where.empty() ? "an unknown line" : computation->where);
}

std::string why_text(session::LiveSession& session, NodeId node, vocabulary::ProcessId pid, const Computing& computing) {
    const Process* process = session.machine().kernel(node).find(pid);
    if (process == nullptr)
        throw vocabulary::RequestError(
            fmt::format("there is no process p{} there; 'state -g ... at now' lists them", pid.value()));
    return Why(session, computing).text(node, *process);
}

std::string circuit_deadlock_text(session::LiveSession& session) {
    return Why(session).deadlock_text();
}

}  // namespace cli
