// The link processes while a circuit holds their link. Both are of high priority, and hand pieces on without the kernel.
#include <algorithm>
#include <cstring>
#include <utility>

#include <trollius_os/circuits.hpp>
#include <trollius_os/services/datalink.hpp>

namespace trollius_os::services {
namespace {

// The link on which a packet leaves; empty: it stays here.
std::optional<LinkNo> link_of(EventNo datalink) {
    const std::int64_t number = std::int64_t{datalink.value()} - events::datalink0.value();  // of any event
    if (number < 0 || number > 3) return std::nullopt;
    return LinkNo(static_cast<LinkNo::value_type>(number));
}

bool is_gone(Kernel& kernel, const CircuitName& name) {
    const Process* sender = name.source_node() == kernel.node() ? kernel.find(name.pid()) : nullptr;
    return name.source_node() == kernel.node() && (sender == nullptr || sender->state() == ProcessState::Ended);
}

// From the next piece on, until the circuit closes.
class Arrivals {
public:
    Arrivals(Calls& calls, LinkNo link, const CircuitName& name, std::optional<LinkNo> onward)
        : calls_(calls), link_(link), name_(name), onward_(onward) {}

    Task<> run() {
        while (true) {
            PacketHeader header;  // of an answer to another circuit; a piece has a shorter one, even with a tag
            const auto room = std::as_writable_bytes(std::span(&header, 1));
            LinkReceived got = co_await calls_.link_receive(link_, LinkChannel::Datalink, {.header = room, .any_body = &body_});
            calls_.charge(calls_.kernel().costs().circuit_chunk);
            if (const Message packet = decode_header(header); got.header_bytes == sizeof header && is_clear(packet)) {
                co_await send_clear(calls_, packet);
                continue;
            }
            body_.resize(got.body_bytes);  // an empty body leaves the last one
            const std::optional<MessageTag> tag = take_tag(got, sizeof(CircuitPiece), room);
            CircuitPiece head;
            std::memcpy(&head, room.data(), sizeof head);
            if (is_damaged(head, got)) {
                calls_.kernel().drop("dli", "a damaged piece of a circuit");
                continue;
            }
            if (head.kind == CircuitPiece::Kind::Close) co_return co_await close();
            if (onward_) {
                co_await hand_on(head, tag);
            } else {
                co_await deliver(head, tag);
            }
        }
    }

private:
    static bool is_damaged(const CircuitPiece& head, const LinkReceived& got) {
        if (got.header_bytes != sizeof head) return true;
        if (head.kind == CircuitPiece::Kind::Close) return got.body_bytes != 0;
        return head.kind != CircuitPiece::Kind::Data || std::uint64_t{head.rest} + got.body_bytes > head.whole;
    }

    Task<> hand_on(const CircuitPiece& head, const std::optional<MessageTag>& tag) {
        Circuits::Way& way = calls_.kernel().circuits().way(*onward_);
        co_await wait_for_room(way);
        way.head = head;
        way.tag = tag;
        way.body.swap(body_);
        way.full = true;
        co_await calls_.wake(way.writer);
    }
    // Until the writer has come from the opening packet, and has sent the piece before.
    Task<> wait_for_room(Circuits::Way& way) {
        way.supplier = &calls_.port().self();
        co_await calls_.settle();
        while (way.holder != name_ || way.full) co_await calls_.wait();
        way.supplier = nullptr;
    }

    // Waits for a precv(), so that the sender does not run ahead of it.
    Task<> deliver(const CircuitPiece& head, const std::optional<MessageTag>& tag) {
        Circuits::End& end = calls_.kernel().circuits().ends[name_];
        end.reader = &calls_.port().self();
        co_await calls_.settle();
        while (!end.closed && !(end.taken && !end.complete)) co_await calls_.wait();
        end.reader = nullptr;
        if (end.closed) {
            if (head.rest == 0) calls_.kernel().drop("dli", "a message on a circuit that its receiver has closed");
            co_return;
        }
        const std::size_t before = head.whole - head.rest - body_.size();
        if (before == 0) end.tag = tag;
        const std::size_t at = std::min(before, end.room.size());
        std::copy_n(body_.begin(), std::min(body_.size(), end.room.size() - at),
                    end.room.begin() + static_cast<std::ptrdiff_t>(at));
        if (head.rest > 0) co_return;
        end.complete = head.whole;
        co_await calls_.wake(end.waiter);
    }

    Task<> close() {
        Circuits& circuits = calls_.kernel().circuits();
        if (onward_) {
            Circuits::Way& way = circuits.way(*onward_);
            co_await wait_for_room(way);
            way.closing = true;
            co_return co_await calls_.wake(way.writer);
        }
        const auto found = circuits.ends.find(name_);
        if (found == circuits.ends.end()) co_return;
        if (found->second.closed) {
            circuits.ends.erase(found);
            co_return;
        }
        found->second.finished = true;
        co_await calls_.wake(found->second.waiter);
    }

    Calls& calls_;
    const LinkNo link_;
    const CircuitName name_;
    const std::optional<LinkNo> onward_;
    std::vector<std::byte> body_;
};

}  // namespace

std::optional<CircuitName> circuit_in(const Message& packet) {
    constexpr std::uint32_t both = flags::circuit | flags::no_buffer;
    if ((packet.flags & both) != both) return std::nullopt;
    const auto opening = decode<CircuitOpening>(packet);
    if (!opening || opening->first != CircuitOpening::opens) return std::nullopt;
    return opening->name;
}

bool is_clear(const Message& packet) {
    const auto opening = decode<CircuitOpening>(packet);
    return (packet.flags & flags::circuit) != 0 && opening && opening->first == CircuitOpening::clears;
}

Task<> send_clear(Calls& calls, Message clear) {
    const auto name = decode<CircuitOpening>(clear)->name;
    if (clear.node == calls.node()) {  // the sender waits for it, unless it has ended
        co_await calls.kernel().send_to_asker(calls.process(), clear.event, clear.type, clear, {name.pid(), 0});
        co_return;
    }
    clear.datalink_event = co_await calls.route(clear.node);
    const auto link = link_of(clear.datalink_event);
    if (!link) co_return calls.kernel().drop("dli", "an answer for an unreachable node");
    Circuits::Way& way = calls.kernel().circuits().way(*link);
    ++way.clears;
    if (way.writer != nullptr) co_await calls.wake(way.writer);
    co_await calls.kernel().send(calls.process(), clear.datalink_event, classes::circuit, clear, true);
}

Task<> carry_circuit_in(Calls& calls, LinkNo link, const Message& opening) {
    Message packet = opening;
    const CircuitName name = *circuit_in(packet);
    const auto onward = link_of(packet.datalink_event);
    Circuits& circuits = calls.kernel().circuits();
    if (onward) circuits.way(*onward).waiting.insert(name);
    calls.process().meet_circuits(!onward);
    co_await calls.dsend(packet);
    calls.process().meet_circuits(false);
    if (onward) {
        circuits.way(*onward).waiting.erase(name);
    } else {
        co_await send_clear(calls, {.node = name.source_node(),
                                    .event = name.sender,
                                    .flags = packet.flags & ~flags::from_afar,
                                    .data = encode(CircuitOpening{CircuitOpening::clears, name})});
        Circuits::End& end = circuits.ends[name];
        end.ready = true;
        co_await calls.wake(end.waiter);
    }
    Arrivals arrivals(calls, link, name, onward);
    co_await arrivals.run();
}

namespace {

// Takes an answer from the process that offers it, or is about to, and sends it between two pieces.
Task<> pass_clear(Calls& calls, LinkNo link, Circuits::Way& way) {
    Message clear;
    co_await calls.frecv(clear, datalink_event(link), classes::circuit);
    --way.clears;
    const PacketHeader header = encode_header(clear);
    const bool arrived = co_await calls.link_send(link, {.channel = LinkChannel::Datalink,
                                                         .account = account_of(clear),
                                                         .header = std::as_bytes(std::span(&header, 1)),
                                                         .wire_bytes = calls.kernel().costs().datalink_header});
    if (!arrived) calls.kernel().drop("dlo", "the link's path changed during the packet");
}

}  // namespace

Task<> carry_circuit_out(Calls& calls, LinkNo link, CircuitName name) {
    Circuits::Way& way = calls.kernel().circuits().way(link);
    way.holder = name;
    way.closing = way.closing || is_gone(calls.kernel(), name);
    way.writer = &calls.port().self();
    const std::uint32_t header = calls.kernel().costs().circuit_header;
    std::vector<std::byte> tagged;
    bool open = true;
    while (open) {
        if (way.supplier != nullptr) co_await calls.wake(way.supplier);
        co_await calls.settle();
        while (!way.full && !way.closing && way.clears == 0) co_await calls.wait();
        if (way.clears > 0) {
            co_await pass_clear(calls, link, way);
            continue;
        }
        open = way.full;
        const CircuitPiece head = open ? way.head : CircuitPiece{.kind = CircuitPiece::Kind::Close};
        if (!open) way.body.clear();
        calls.charge(calls.kernel().costs().circuit_chunk);
        LinkPacket piece{.channel = LinkChannel::Datalink,
                         .account = accounts::application,
                         .header = std::as_bytes(std::span(&head, 1)),
                         .body = way.body,
                         .wire_bytes = header + static_cast<std::uint32_t>(way.body.size()),
                         .messages = way.body.empty() ? 1U : 2U};
        if (open && way.tag) piece = with_tag(piece, *way.tag, calls.kernel().costs().message_tag, tagged);
        const bool arrived = co_await calls.link_send(link, piece);
        if (!arrived) calls.kernel().drop("dlo", "the link's path changed during a piece of a circuit");
        way.full = false;
    }
    way.holder.reset();
    way.closing = false;
    way.writer = nullptr;
}

}  // namespace trollius_os::services
