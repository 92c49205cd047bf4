#include "link_reader.hpp"

#include <utility>

#include "ending.hpp"
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

ItemPtr LinkReader::item_of(const SizeMessage& size, Bytes body) {
    ItemPtr item = desk_.spares.take();
    item->kind = size.kind;
    item->body = std::move(body);
    item->again = size.again != 0;
    item->steals = size.steals != 0;
    item->id = {size.task, size.subtask};
    return item;
}

void LinkReader::run(Api& api, const Branch& from, Child* child) {
    while (true) {
        Bytes body;
        SizeBytes header = encode(SizeMessage{});
        if (desk_.recovery != nullptr && child != nullptr) desk_.recovery->listens(*child);
        const auto got = api.circuit_receive(from.link, from.node, {.header = header, .body = {}, .any_body = &body});
        const SizeMessage size = decode(header);
        api.charge(desk_.costs.link_message * got.messages);
        if (const char* why = what_is_wrong(size, got, child)) {
            desk_.kernel.drop("trek.in", why, names_task(size.kind) ? size.task : std::int64_t{-1}, size.subtask);
            continue;
        }
        ItemPtr item = item_of(size, std::move(body));
        if (desk_.recovery != nullptr && child != nullptr && !desk_.recovery->hears(*child, *item)) continue;
        if (got.messages == 1) {
            signal_arrived(api, size, child);
        } else if (!fits(*item, desk_.config.granularity)) {
            desk_.kernel.drop("trek.in", "a bundle with inconsistent lengths", size.task, size.subtask);
        } else {
            item_arrived(api, from, child, size, std::move(item));
        }
    }
}

void LinkReader::item_arrived(Api& api, const Branch& from, Child* child, const SizeMessage& size, ItemPtr item) {
    if (item->kind == MessageKind::Counts) return desk_.ending->counts_arrived(api, *child, item->body);
    // A result without room is dropped, and no record of its arrival is made. After the end every arrival is discarded.
    const bool has_room = item->kind != MessageKind::Result || desk_.room.make_room(api, *item);
    if (has_room && !desk_.room.closed()) desk_.probes.moved(api, *item, from.node, false);
    if (item->kind == MessageKind::Result) return result_arrived(api, *child, size.tokens(), std::move(item));
    if (item->kind == MessageKind::Returned) return desk_.stealing->task_returned(api, *child, size.tokens(), std::move(item));
    if (desk_.config.policy == Policy::Priorities) item->priority = size.priority();
    if (desk_.stealing != nullptr && size.answers()) desk_.stealing->is_answered();
    desk_.task_arrived(api, std::move(item));
}

void LinkReader::signal_arrived(Api& api, const SizeMessage& size, Child* child) {
    switch (size.kind) {
        case MessageKind::Start:
            return parent_is_there(api);
        case MessageKind::Token:
            api.port().settle();
            desk_.take_tokens(*child, size.tokens());
            return desk_.ask_parent(api, desk_.divides ? 0 : desk_.tokens_up.take_all());
        case MessageKind::Alive:
            return;
        case MessageKind::Steal:
            return desk_.stealing->task_asked_for(api, *child);
        case MessageKind::GiveUp:
            return desk_.stealing->give_up(api);
        case MessageKind::Nothing:
            return desk_.stealing->nothing_came(child);
        default:
            return desk_.ending->stop_arrived(api);
    }
}

// A node's first tokens: a place for every task it can hold. That is one for each buffer, and one for the computation
// (processor farm) or for its input process (divide and conquer).
void LinkReader::parent_is_there(Api& api) {
    desk_.started = true;
    for (const Child& child : desk_.children) desk_.wake(child.writer);
    desk_.ask_parent(api, 1 + desk_.config.buffers);
}

void LinkReader::result_arrived(Api& api, Child& child, std::uint32_t tokens, ItemPtr item) {
    api.charge(desk_.costs.queue_operation);
    api.port().settle();
    if (child.handed_over > 0) --child.handed_over;
    if (tokens > 0) desk_.take_tokens(child, tokens);
    const bool steals = std::exchange(item->steals, false);  // it asks its own parent and no node above
    if (const bool has_room = item->held_bytes > 0; has_room || desk_.room.closed()) {
        desk_.results.items.push_back(std::move(item));
        desk_.wake(desk_.results.reader);
    }
    if (steals) desk_.stealing->task_asked_for(api, child);
}

}  // namespace trek_kernel
