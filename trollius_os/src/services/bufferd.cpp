// bufferd: the node's pool of messages that no process has taken yet. A message for this node goes to the process that asked
// for it. A message for another node goes to the link's output process if that waits; else it is stored until the link's worker
// asks. The pool's limit is the only flow control of the network layer. Above it, only requests are accepted, and senders block
// at their links.
#include <optional>
#include <utility>
#include <vector>

#include <trollius_os/services/bufferd.hpp>

#include "askers.hpp"
#include "buffer_pool.hpp"
#include "buffer_queries.hpp"

namespace trollius_os {

Task<Outcome> request_from_buffers(Calls& calls, EventNo event, std::int32_t type, const BufferAsker& asker) {
    Message request{.datalink_event = events::bufferd,
                    .node = calls.node(),
                    .event = events::bufferd,
                    .type = classes::control,
                    .data = encode(services::BufferRequest{.event = event, .type = type, .asker = asker})};
    co_return co_await calls.dsend(request);
}

namespace services {
namespace {

class Buffers {
public:
    explicit Buffers(Calls& calls) : calls_(calls), pool_(calls.kernel().costs(), calls.node(), calls.port().memory_bytes()) {}

    Task<> serve() {
        Message packet{.any_body = &room_};
        co_await calls_.frecv(packet, events::bufferd, pool_.accepted());
        if (packet.node == calls_.node() && packet.event == events::bufferd) {
            co_await serve_request(packet);
        } else {
            co_await accept(packet);
        }
    }

    const BufferPool& pool() const { return pool_; }

private:
    Task<> accept(Message& packet, bool is_answer = false) {
        if (packet.node == calls_.node()) {
            // The worker of a link asks for that event. It would get a message that is for no link.
            if (is_internal(packet.event))
                co_return calls_.kernel().drop("bufferd", "a message for a process that moves messages");
            packet.datalink_event = packet.event;
            const bool delivered = co_await deliver(packet, packet.event, packet.type);
            if (delivered) co_return;
        } else {
            packet.datalink_event = co_await calls_.route(packet.node);
            if (packet.datalink_event == nowhere) co_return calls_.kernel().drop("bufferd", "a packet for an unreachable node");
            // A packet must not overtake one that is stored for the same link or is in the hands of the link's worker. A worker
            // that has asked holds none, and nothing is stored for it.
            if (askers_.any_at(packet.datalink_event)) {
                const Outcome sent = co_await calls_.dsend(packet, false);
                if (sent == Outcome::Done) co_return;
            }
            const bool delivered = co_await deliver(packet, packet.datalink_event, 0);
            if (delivered) co_return;
        }
        if (!is_answer) {
            if (packet.node == calls_.node() && packet.event.value() < 0) calls_.kernel().begin_service(packet.event);
            pool_.store(packet);
        } else if (!pool_.store_answer(packet)) {
            calls_.kernel().drop("bufferd", "an answer for which there is no room");
        }
    }

    // Hands the packet to a process that has asked for it, and that is about to receive or does already.
    Task<bool> deliver(Message& packet, EventNo at, std::int32_t type) {
        while (true) {
            const auto asker = askers_.take(at, type);
            if (!asker) co_return false;
            const bool taken = co_await hand_over(packet, at, *asker);
            if (taken) co_return true;
        }
    }

    // False: the process that asked has got its message past the buffers, or has ended.
    Task<bool> hand_over(Message& packet, EventNo at, const BufferAsker& asker) {
        if (packet.node != calls_.node()) {
            packet.datalink_event = EventNo(at.value() + 100);  // the worker's own event beside the link's output
            co_await calls_.kernel().send(calls_.process(), packet.datalink_event, classes::system, packet, true);
            co_return true;
        }
        if (!calls_.kernel().still_asks(asker)) co_return false;
        const Outcome outcome =
            co_await calls_.kernel().send_to_asker(calls_.process(), packet.datalink_event, packet.type, packet, asker);
        co_return outcome == Outcome::Done;
    }

    // Messages that a damaged message makes other processes of the node send here are no requests.
    std::optional<BufferRequest> request_in(const Message& packet) const {
        const auto request = decode<BufferRequest>(packet);
        if (packet.type != classes::control || !request || (packet.flags & flags::from_afar) != 0) return std::nullopt;
        const EventNo event = request->event;
        const bool of_worker =
            request->asker.request == 0 && event >= datalink_event(LinkNo(0)) && event <= datalink_event(LinkNo(3));
        if (!of_worker && (is_internal(event) || !calls_.kernel().still_asks(request->asker))) return std::nullopt;
        return request;
    }

    Task<> serve_request(const Message& packet) {
        if (const auto query = decode<BufferQuery>(packet); query && packet.type == classes::control) {
            const bool from_afar = (packet.flags & flags::from_afar) != 0;
            if (from_afar != (query->caller.node.id() == calls_.node())) co_return co_await answer(*query);
            co_return calls_.kernel().drop("bufferd", "a query in the name of another node");
        }
        const auto request = request_in(packet);
        if (!request) co_return calls_.kernel().drop("bufferd", "a message that is no request");
        const BufferAsker asker = request->asker;
        // A process asks for one message at a time, so its earlier request is settled.
        if (asker.request != 0) askers_.forget(asker.pid);
        auto stored = pool_.take(request->event, request->type);
        if (!stored) {
            askers_.add({request->event, request->type, asker},
                        [this](const BufferAsker& other) { return calls_.kernel().still_asks(other); });
            co_return;
        }
        const bool taken = co_await hand_over(stored->message, stored->wanted_at, asker);
        if (!taken) pool_.put_back(std::move(*stored));
    }

    Task<> answer(const BufferQuery& query) {
        std::vector<std::byte> body;
        const BufferAnswer facts = obey(query, pool_, body);
        Message answer = answer_to(query.caller, facts, body);
        if (answer.node != calls_.node()) co_return co_await accept(answer, true);
        // The caller receives already, if it still exists.
        const Outcome outcome = co_await calls_.ksend(answer, false);
        if (outcome != Outcome::Done) calls_.kernel().drop("bufferd", "an answer for which nobody waits");
    }

    Calls& calls_;
    std::vector<std::byte> room_;
    BufferPool pool_;
    Askers askers_;
};

}  // namespace

std::vector<const Message*> buffered_packets(const Kernel& kernel) {
    std::vector<const Message*> all;
    while (kernel.pool() != nullptr && all.size() < kernel.pool()->packets())
        all.push_back(kernel.pool()->look(static_cast<std::uint32_t>(all.size())));
    return all;
}

Task<> bufferd(Calls& calls) {
    Buffers buffers(calls);
    calls.kernel().set_pool(&buffers.pool());
    while (true) co_await buffers.serve();
}

}  // namespace services
}  // namespace trollius_os
