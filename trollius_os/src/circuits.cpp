#include <trollius_os/circuits.hpp>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace trollius_os {
namespace {

using services::CircuitOpening;
using services::CircuitPiece;

Circuits::Origin* origin_of(Calls& calls, const CircuitName& name) {
    auto& origins = calls.kernel().circuits().origins;
    const auto found = origins.find(name);
    return found != origins.end() && found->second.owner == calls.pid() && found->second.open ? &found->second : nullptr;
}

Circuits::End* end_of(Calls& calls, const CircuitName& name) {
    auto& ends = calls.kernel().circuits().ends;
    const auto found = ends.find(name);
    return found != ends.end() && found->second.receiver == calls.pid() && !found->second.closed ? &found->second : nullptr;
}

// The answer of the receiver's node. It passes all buffers.
Task<> await_clear(Calls& calls, const CircuitName& name) {
    const Conversation undisturbed(calls, Conversation::With::Users);
    bool clear = false;
    while (!clear) {
        Message answer{.event = calls.process().reply_event()};
        co_await calls.krecv(answer);
        const auto opened = decode<CircuitOpening>(answer);
        clear = services::is_clear(answer) && opened->name == name;
        if (!clear) calls.kernel().drop("psendopen", "a message that answers no circuit");
    }
}

}  // namespace

Task<CircuitOpened> psendopen(Calls& calls, NodeId node, EventNo event, std::int32_t type) {
    Kernel& kernel = calls.kernel();
    if (node == calls.node()) co_return CircuitOpened{.error = EINVAL, .circuit = {}};
    Circuits& circuits = kernel.circuits();
    if (circuits.open_ends() >= kernel.costs().circuits) co_return CircuitOpened{.error = errors::full, .circuit = {}};
    const EventNo way = co_await calls.route(node);
    if (way == nowhere) co_return CircuitOpened{.error = errors::bad_node, .circuit = {}};
    const LinkNo link(static_cast<LinkNo::value_type>(way.value() - events::datalink0.value()));
    const CircuitName name{calls.node().value(), calls.process().reply_event(), circuits.next_number++};
    circuits.origins[name] = {calls.pid(), node, event, link};
    circuits.way(link).waiting.insert(name);
    Message opening{.datalink_event = way,
                    .node = node,
                    .event = event,
                    .type = type,
                    .flags = flags::no_buffer | flags::circuit | flags::of(accounts::application),
                    .data = encode(CircuitOpening{CircuitOpening::opens, name})};
    {
        const Conversation undisturbed(calls, Conversation::With::Users);
        co_await calls.dsend(opening);
    }
    circuits.way(link).waiting.erase(name);
    co_await await_clear(calls, name);
    circuits.origins[name].open = true;
    co_return CircuitOpened{.error = 0, .circuit = name};
}

Task<ErrorNumber> psend(Calls& calls, CircuitName circuit, std::span<const std::byte> message) {
    const Circuits::Origin* origin = origin_of(calls, circuit);
    if (origin == nullptr) co_return EINVAL;
    KernelEvent send{.act = KernelAct::SendCall,
                     .peer = origin->to,
                     .event = origin->event,
                     .bytes = static_cast<std::uint32_t>(message.size()),
                     .tag = calls.kernel().next_tag(calls.process())};
    co_await calls.kernel().tell(send, calls);
    Circuits::Way& way = calls.kernel().circuits().way(origin->link);
    way.supplier = &calls.port().self();
    const std::size_t most = calls.kernel().costs().circuit_piece;
    std::size_t at = 0;
    do {
        co_await calls.settle();
        while (way.holder != circuit || way.full) co_await calls.wait();
        const auto piece = message.subspan(at, std::min(most, message.size() - at));
        way.tag = at == 0 ? send.tag : std::nullopt;
        at += piece.size();
        way.head = {CircuitPiece::Kind::Data, static_cast<std::uint32_t>(message.size()),
                    static_cast<std::uint32_t>(message.size() - at)};
        way.body.assign(piece.begin(), piece.end());
        way.full = true;
        co_await calls.wake(way.writer);
    } while (at < message.size());
    while (way.full) co_await calls.wait();
    way.supplier = nullptr;
    send.act = KernelAct::MessageSend;
    co_await calls.kernel().tell(send, calls);
    co_return 0;
}

Task<ErrorNumber> psendclose(Calls& calls, CircuitName circuit) {
    const Circuits::Origin* origin = origin_of(calls, circuit);
    if (origin == nullptr) co_return EINVAL;
    Circuits& circuits = calls.kernel().circuits();
    Circuits::Way& way = circuits.way(origin->link);
    circuits.origins.erase(circuit);
    way.closing = true;
    co_await calls.wake(way.writer);
    co_return 0;
}

Task<CircuitOpened> precvopen(Calls& calls, EventNo event, std::int32_t type) {
    Kernel& kernel = calls.kernel();
    Circuits& circuits = kernel.circuits();
    if (circuits.open_ends() >= kernel.costs().circuits) co_return CircuitOpened{.error = errors::full, .circuit = {}};
    Message opening{.event = event, .type = type};
    calls.process().meet_circuits(true);
    const Outcome got = co_await calls.krecv(opening);
    calls.process().meet_circuits(false);
    if (got == Outcome::Interrupted) co_return CircuitOpened{.error = EINTR, .circuit = {}};
    const CircuitName name = *services::circuit_in(opening);
    Circuits::End& end = circuits.ends[name];
    end.receiver = calls.pid();
    end.waiter = &calls.port().self();
    co_await calls.settle();
    while (!end.ready) co_await calls.wait();
    end.waiter = nullptr;
    co_return CircuitOpened{.error = 0, .circuit = name};
}

Task<CircuitReceived> precv(Calls& calls, CircuitName circuit, std::span<std::byte> room) {
    Circuits::End* end = end_of(calls, circuit);
    if (end == nullptr) co_return CircuitReceived{.error = EINVAL};
    co_await calls.kernel().tell({.act = KernelAct::ReceiveCall, .event = circuit.sender}, calls);
    co_await calls.settle();
    end->room = room;
    end->taken = true;
    end->complete.reset();
    end->waiter = &calls.port().self();
    if (end->reader != nullptr) co_await calls.wake(end->reader);
    while (!end->complete && !end->finished) co_await calls.wait();
    end->taken = false;
    end->waiter = nullptr;
    end->room = {};
    if (!end->complete) co_return CircuitReceived{.error = errors::end_of_file};
    const auto length = static_cast<std::uint32_t>(std::min<std::size_t>(*end->complete, room.size()));
    end->complete.reset();
    const KernelEvent received{.act = KernelAct::MessageReceive,
                               .peer = circuit.source_node(),
                               .event = circuit.sender,
                               .bytes = length,
                               .tag = std::exchange(end->tag, std::nullopt)};
    co_await calls.kernel().tell(received, calls);
    co_return CircuitReceived{.error = 0, .length = length};
}

Task<ErrorNumber> precvclose(Calls& calls, CircuitName circuit) {
    Circuits::End* end = end_of(calls, circuit);
    if (end == nullptr) co_return EINVAL;
    if (end->finished) {
        calls.kernel().circuits().ends.erase(circuit);
        co_return 0;
    }
    end->closed = true;
    if (end->reader != nullptr) co_await calls.wake(end->reader);
    co_return 0;
}

void Circuits::forget(NodePort& port, vocabulary::ProcessId pid) {
    for (auto at = origins.begin(); at != origins.end();) {
        if (at->second.owner != pid) {
            ++at;
            continue;
        }
        Way& its = way(at->second.link);
        its.waiting.erase(at->first);
        if (its.holder == at->first) {
            its.supplier = nullptr;
            its.closing = true;
            port.wake(its.writer).get();
        }
        at = origins.erase(at);
    }
    for (auto at = ends.begin(); at != ends.end();) {
        End& end = at->second;
        const bool is_its = end.receiver == pid;
        if (is_its) {
            end.closed = true;
            end.taken = false;
            end.waiter = nullptr;
            end.room = {};
            if (end.reader != nullptr) port.wake(end.reader).get();
        }
        at = is_its && end.finished ? ends.erase(at) : std::next(at);
    }
}

namespace {

std::map<CircuitName, CircuitWait> all_waits(std::span<Kernel* const> kernels) {
    std::map<CircuitName, CircuitWait> waits;
    for (const Kernel* kernel : kernels) {
        const Circuits* circuits = kernel->known_circuits();
        for (LinkNo::value_type number = 0; circuits != nullptr && number < 4; ++number) {
            const Circuits::Way& way = circuits->way(LinkNo(number));
            for (const CircuitName& name : way.waiting)
                if (way.holder) waits.try_emplace(name, CircuitWait{name, kernel->node(), LinkNo(number), *way.holder});
        }
    }
    return waits;
}

}  // namespace

std::optional<CircuitWait> circuit_wait(std::span<Kernel* const> kernels, const CircuitName& circuit) {
    const auto waits = all_waits(kernels);
    const auto found = waits.find(circuit);
    return found == waits.end() ? std::nullopt : std::optional(found->second);
}

std::vector<CircuitWait> circuit_deadlock(std::span<Kernel* const> kernels) {
    const auto waits = all_waits(kernels);
    for (const auto& [name, first] : waits) {
        std::vector<CircuitWait> ring{first};
        for (auto next = waits.find(first.holds); next != waits.end() && ring.size() <= waits.size();
             next = waits.find(next->second.holds)) {
            if (next->first == name) return ring;
            ring.push_back(next->second);
        }
    }
    return {};
}

}  // namespace trollius_os
