#include "link_reader.hpp"

#include <utility>

#include "ending.hpp"
#include "network_branch.hpp"
#include "recovery.hpp"
#include "stealing.hpp"

namespace trek_kernel {

// On the machine a wrong length or a wrong kind would leave both ends waiting for bytes that never come. A wrong task number,
// or a wrong byte in a task, stays undetected.
const char* LinkReader::what_is_wrong(const SizeMessage& size, const trollius_os::LinkReceived& got, const Child* child) const {
    const bool is_item = names_task(size.kind) || size.kind == MessageKind::Counts;
    if (got.header_bytes != sizeof size) return "data without a size message";
    if (got.messages != (is_item ? 2U : 1U)) return "a kind that does not fit the received messages";
    if (size.size != got.body_bytes) return "a size that differs from the data";
    const bool from_parent = child == nullptr;
    switch (size.kind) {
        case MessageKind::Start:
            return from_parent && !desk_.started ? nullptr : "a start from below, or a second start";
        case MessageKind::Stop:
            return from_parent && desk_.started ? nullptr : "a stop from below or before the start";
        case MessageKind::Task:
            if (desk_.stealing != nullptr && size.word > (desk_.stealing->has_asked() ? 1U : 0U))
                return "a task for a request that was not made";
            return from_parent && desk_.started ? nullptr : "a task from below or before the start";
        case MessageKind::Token:
            return !from_parent && size.tokens() > 0 && !desk_.too_many_tokens(*child, size.tokens())
                       ? nullptr
                       : "tokens from above, or for more places than there are";
        case MessageKind::Result:
            if (size.steals != 0 && (desk_.stealing == nullptr || from_parent || desk_.stealing->is_asked_by(*child)))
                return "a request for a task from above, or while one is unanswered";
            return !from_parent && !desk_.too_many_tokens(*child, size.tokens())
                       ? nullptr
                       : "a result from above, or with tokens for more places than there are";
        case MessageKind::Counts:
            return !from_parent && desk_.ending->stopping() && !child->counted && are_counts(got.body_bytes, desk_.config.nodes)
                       ? nullptr
                       : "impossible numbers of computed tasks";
        case MessageKind::Steal:
        case MessageKind::GiveUp:
        case MessageKind::Nothing:
        case MessageKind::Returned:
            if (desk_.stealing == nullptr) return "a message of work stealing, in a farm that does not steal";
            return desk_.stealing->what_is_wrong(size, child);
        case MessageKind::Alive:
            return !from_parent && desk_.recovery != nullptr ? nullptr : "a heartbeat from above, or an unexpected one";
    }
    return "an unknown kind of message";
}

// The item takes the body over, and leaves the memory of an earlier one for the next.
ItemPtr LinkReader::item_of(const SizeMessage& size, Bytes& body) {
    ItemPtr item = desk_.spares.take();
    item->kind = size.kind;
    item->body.swap(body);
    item->again = size.again != 0;
    item->steals = size.steals != 0;
    item->id = {size.task, size.subtask};
    return item;
}

// The frequent ways of a message are written out here, since a call would cost a frame for each.
Task<> LinkReader::run(Calls& calls, const Branch& from, Child* child) {
    Bytes body;
    while (true) {
        trollius_os::TaggedRoom<SizeBytes> head{.header = encode(SizeMessage{})};
        if (desk_.recovery != nullptr && child != nullptr) desk_.recovery->listens(*child);
        trollius_os::LinkReceived got;
        if (from.over_network) [[unlikely]] {
            got = co_await receive_over_network(calls, from.node, head.header, body);
        } else {
            co_await calls.circuit_receives(from.link, from.node);
            co_await calls.settle();
            do {
                got = co_await calls.port().link_receive(from.link, trollius_os::LinkChannel::Circuit,
                                                         {.header = head.bytes(), .body = {}, .any_body = &body});
            } while (got.dropped);
            const auto tag = head.take(got);
            co_await calls.circuit_received(from.link, from.node, got.body_bytes, tag);
        }
        const SizeMessage size = decode(head.header);
        calls.charge(desk_.costs.link_message * got.messages);
        ItemPtr item = accepted(size, got, child, body);
        if (item == nullptr) continue;
        if (got.messages == 1) {
            co_await signal_arrived(calls, size, child);
        } else if (item->kind == MessageKind::Result) {
            // A result without room is dropped, and no record of its arrival is made. After the end every arrival is discarded.
            const bool has_room = co_await desk_.room.make_room(calls, *item);
            if (has_room && !desk_.room.closed()) co_await desk_.probes.moved(calls, *item, from.node, false);
            co_await result_arrived(calls, *child, size.tokens(), std::move(item));
        } else if (item->kind == MessageKind::Task) {
            if (!desk_.room.closed()) co_await desk_.probes.moved(calls, *item, from.node, false);
            if (desk_.config.policy == Policy::Priorities) item->priority = size.priority();
            if (desk_.stealing != nullptr && size.answers()) desk_.stealing->is_answered();
            calls.charge(desk_.costs.queue_operation);
            co_await calls.settle();
            co_await desk_.wake(desk_.take_in(std::move(item)));
        } else {
            co_await item_arrived(calls, from, *child, size, std::move(item));
        }
    }
}

// nullptr: the message is dropped, or ignored.
ItemPtr LinkReader::accepted(const SizeMessage& size, const trollius_os::LinkReceived& got, Child* child, Bytes& body) {
    if (const char* why = what_is_wrong(size, got, child)) {
        desk_.kernel.drop("trek.in", why, names_task(size.kind) ? size.task : std::int64_t{-1}, size.subtask);
        return nullptr;
    }
    ItemPtr item = item_of(size, body);
    if (desk_.recovery != nullptr && child != nullptr && !desk_.recovery->hears(*child, *item)) return nullptr;
    if (got.messages == 1 || fits(*item, desk_.config.granularity)) return item;
    desk_.kernel.drop("trek.in", "a bundle with inconsistent lengths", size.task, size.subtask);
    return nullptr;
}

Task<> LinkReader::item_arrived(Calls& calls, const Branch& from, Child& child, const SizeMessage& size, ItemPtr item) {
    if (item->kind == MessageKind::Counts) co_return co_await desk_.ending->counts_arrived(calls, child, item->body);
    if (!desk_.room.closed()) co_await desk_.probes.moved(calls, *item, from.node, false);
    co_await desk_.stealing->task_returned(calls, child, size.tokens(), std::move(item));
}

Task<> LinkReader::signal_arrived(Calls& calls, const SizeMessage& size, Child* child) {
    switch (size.kind) {
        case MessageKind::Start:
            return parent_is_there(calls);
        case MessageKind::Token:
            return tokens_arrived(calls, *child, size.tokens());
        case MessageKind::Alive:
            return {};
        case MessageKind::Steal:
            return desk_.stealing->task_asked_for(calls, *child);
        case MessageKind::GiveUp:
            return desk_.stealing->give_up(calls);
        case MessageKind::Nothing:
            return desk_.stealing->nothing_came(child);
        default:
            return desk_.ending->stop_arrived(calls);
    }
}

Task<> LinkReader::tokens_arrived(Calls& calls, const Child& child, std::uint32_t tokens) {
    co_await calls.settle();
    co_await desk_.wake(desk_.take_tokens(child, tokens));
    co_await desk_.ask_parent(calls, desk_.divides ? 0 : desk_.tokens_up.take_all());
}

// A node's first tokens: a place for every task it can hold. That is one for each buffer, and one for the computation
// (processor farm) or for its input process (divide and conquer).
Task<> LinkReader::parent_is_there(Calls& calls) {
    desk_.started = true;
    for (const Child& child : desk_.children) co_await desk_.wake(child.writer);
    co_await desk_.ask_parent(calls, 1 + desk_.config.buffers);
}

Task<> LinkReader::result_arrived(Calls& calls, Child& child, std::uint32_t tokens, ItemPtr item) {
    calls.charge(desk_.costs.queue_operation);
    co_await calls.settle();
    if (child.handed_over > 0) --child.handed_over;
    if (tokens > 0) co_await desk_.wake(desk_.take_tokens(child, tokens));
    const bool steals = std::exchange(item->steals, false);  // it asks its own parent and no node above
    if (const bool has_room = item->held_bytes > 0; has_room || desk_.room.closed()) {
        desk_.results.items.push_back(std::move(item));
        co_await desk_.wake(desk_.results.reader);
    }
    if (steals) co_await desk_.stealing->task_asked_for(calls, child);
}

}  // namespace trek_kernel
