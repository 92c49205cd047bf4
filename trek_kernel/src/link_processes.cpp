// The processes around the links: the only ones that talk to other nodes, and where the probes sit (thesis, section 5.2).
#include <bit>
#include <cstring>
#include <utility>

#include "bundle.hpp"
#include "recovery.hpp"

namespace trek_kernel {

using trollius_os::LinkChannel;

std::optional<TaskOnWire> TrekNode::task_on_wire(std::span<const std::byte> header) {
    SizeMessage size;
    if (header.size() != sizeof size) return std::nullopt;
    std::memcpy(&size, header.data(), sizeof size);
    if (size.kind != Kind::Task && size.kind != Kind::Result && size.kind != Kind::Returned) return std::nullopt;
    return TaskOnWire{size.kind == Kind::Result, size.task, size.subtask};
}

// A token stands for a place that a node below has, and the number of places is known. A larger number must be damaged.
bool TrekNode::too_many_tokens(const Child& child, std::uint32_t count) const {
    const std::uint64_t places = (std::uint64_t{1} + setup_.config.buffers) * setup_.config.nodes;
    return std::uint64_t{distribution_->tokens(child.index)} + count > places;
}

// Messages that cannot be meant as they came, seen from this place of the tree: damaged on a link. On the machine a wrong
// length or a wrong kind would leave both ends waiting for bytes that never come; here the message is dropped. Nobody can see a
// wrong number of a task, or a wrong byte in it. `child`: the sender, nullptr for the parent.
const char* TrekNode::what_is_wrong(const SizeMessage& size, const trollius_os::LinkReceived& got, const Child* child) const {
    const bool is_item =
        size.kind == Kind::Task || size.kind == Kind::Result || size.kind == Kind::Returned || size.kind == Kind::Counts;
    if (got.header_bytes != sizeof size) return "what has no size message";
    if (got.messages != (is_item ? 2U : 1U)) return "a kind that does not fit the messages that came";
    if (size.size != got.body_bytes) return "a size that the data do not have";
    const bool from_parent = child == nullptr;
    switch (size.kind) {
        case Kind::Start:
            return from_parent && !started_ ? nullptr : "a start from below or for the second time";
        case Kind::Stop:
            return from_parent && started_ ? nullptr : "a stop from below or before the start";
        case Kind::Task:
            if (distribution_->steals() && size.tokens > (stealing_ ? 1U : 0U)) return "a task for a request that was not made";
            return from_parent && started_ ? nullptr : "a task from below or before the start";
        case Kind::Token:
            return !from_parent && size.tokens > 0 && !too_many_tokens(*child, size.tokens)
                       ? nullptr
                       : "tokens from above, or for more places than there are";
        case Kind::Result:
            if (size.steals != 0 && (!distribution_->steals() || from_parent || child->steals))
                return "a request for a task from above, or while one is unanswered";
            return !from_parent && !too_many_tokens(*child, size.tokens)
                       ? nullptr
                       : "a result from above, or with tokens for more places than there are";
        case Kind::Counts:
            return !from_parent && stopping_ && !child->counted && got.body_bytes == counts_.size() * sizeof(std::uint32_t)
                       ? nullptr
                       : "numbers of computed tasks that nobody can have sent";
        case Kind::Steal:
        case Kind::GiveUp:
        case Kind::Nothing:
        case Kind::Returned:
            return what_is_wrong_with_stealing(size, child);
        case Kind::Alive:
            return !from_parent && recovery_ ? nullptr : "a sign of life from above, or where nobody waits for one";
    }
    return "a kind of message that there is not";
}

const char* TrekNode::what_is_wrong_with_stealing(const SizeMessage& size, const Child* child) const {
    if (!distribution_->steals()) return "a message of work stealing, in a farm that does not steal";
    const bool from_parent = child == nullptr, asked = from_parent ? stealing_ : child->asked_for != nullptr;
    switch (size.kind) {
        case Kind::Steal:
            return !from_parent && !child->steals ? nullptr : "a request for a task from above, or while one is unanswered";
        case Kind::GiveUp:
            return from_parent && started_ ? nullptr : "a request to give a task up from below";
        case Kind::Nothing:
            return asked ? nullptr : "an answer to nothing that was asked";
        default:
            return !from_parent && asked && !too_many_tokens(*child, size.tokens)
                       ? nullptr
                       : "a task that goes back up unasked, or with tokens for more places than there are";
    }
}

// True when a body can be meant, given that its length is right.
bool TrekNode::fits(const Item& item) const {
    const std::uint32_t granularity = setup_.config.granularity;
    if (granularity == 1 || item.kind == Kind::Counts) return true;
    return item.id.task % granularity == 0 && is_bundle(item.body, granularity);
}

void TrekNode::input(Api& api, const Branch& from, Child* child) {
    Bytes body;
    while (true) {
        SizeMessage size;
        if (recovery_ && child != nullptr) recovery_->listens(*child);
        const auto got = api.circuit_receive(
            from.link, from.node, {.header = std::as_writable_bytes(std::span(&size, 1)), .body = {}, .any_body = &body});
        api.charge(setup_.costs.link_message * got.messages);
        if (const char* why = what_is_wrong(size, got, child)) {
            const bool names_task = size.kind == Kind::Task || size.kind == Kind::Result || size.kind == Kind::Returned;
            kernel_.drop("trek.in", why, names_task ? size.task : std::int64_t{-1}, size.subtask);
            continue;
        }
        ItemPtr item = spares_.take();
        item->kind = size.kind;
        item->body = std::move(body);
        item->again = size.again != 0;
        item->steals = size.steals != 0;
        item->id = {size.task, size.subtask};
        if (recovery_ && child != nullptr && !recovery_->hears(*child, *item)) continue;
        if (got.messages == 1) {
            signal_arrived(api, size, child);
        } else if (!fits(*item)) {
            kernel_.drop("trek.in", "a bundle whose lengths do not fit", size.task, size.subtask);
        } else {
            item_arrived(api, from, child, size.tokens, std::move(item));
        }
    }
}

void TrekNode::item_arrived(Api& api, const Branch& from, Child* child, std::uint32_t tokens, ItemPtr item) {
    if (item->kind == Kind::Counts) return counts_arrived(api, *child, *item);
    // A result without room is dropped, and no record of its arrival is made.
    if (item->kind != Kind::Result || make_room(api, *item)) observe(api, *item, from.node, false);
    if (item->kind == Kind::Result) return result_arrived(api, *child, tokens, std::move(item));
    if (item->kind == Kind::Returned) return task_returned(api, *child, tokens, std::move(item));
    if (setup_.config.policy == Policy::Priorities) item->priority = std::bit_cast<std::int32_t>(tokens);
    if (distribution_->steals() && tokens != 0) stealing_ = false;  // this is the answer
    task_arrived(api, std::move(item));
}

void TrekNode::signal_arrived(Api& api, const SizeMessage& size, Child* child) {
    switch (size.kind) {
        case Kind::Start:
            started_ = true;
            for (const auto& below : children_) wake(below->thread);
            // A node's first tokens: a place for every task it can hold. That is one for each buffer, and one for the
            // computation (processor farm) or for its input process (divide and conquer).
            ask_parent(api, 1 + setup_.config.buffers);
            break;
        case Kind::Token:
            token_arrived(api, *child, size.tokens);
            break;
        case Kind::Alive:
            break;
        case Kind::Steal:
            steal_arrived(api, *child);
            break;
        case Kind::GiveUp:
            give_up(api);
            break;
        case Kind::Nothing:
            if (child == nullptr) {
                stealing_ = false;
            } else {
                nothing_returned(*child);
            }
            break;
        default:
            stop_arrived(api);
            break;
    }
}

void TrekNode::result_arrived(Api& api, Child& child, std::uint32_t tokens, ItemPtr item) {
    api.charge(setup_.costs.queue_operation);
    api.port().settle();
    if (child.handed_over > 0) --child.handed_over;
    if (tokens > 0) take_tokens(child, tokens);
    const bool steals = std::exchange(item->steals, false);  // it asks its own parent, and nobody further up
    if (const bool has_room = item->held_bytes > 0; has_room || terminated_) {
        results_.push_back(std::move(item));
        wake(result_thread_);
    }
    if (steals) steal_arrived(api, child);
}

// The word beside the kind. Going up: the number of tasks the child can take. A result, or a task that goes back, takes along
// the tokens that have come together meanwhile. For a task going down: its priority, or whether it answers the child's request.
std::uint32_t TrekNode::tokens_with(const Item& item) {
    if (item.kind == Kind::Result || item.kind == Kind::Returned) {
        if (!crowded()) return std::exchange(tokens_up_, 0);
        const std::uint32_t one = std::min(1U, tokens_up_);
        tokens_up_ -= one;
        ask_now_ = true;  // for the others, when nothing is left to take them along
        return one;
    }
    if (item.kind != Kind::Task) return 0;
    return setup_.config.policy == Policy::Priorities ? std::bit_cast<std::uint32_t>(item.priority) : item.answers ? 1 : 0;
}

// Size and data: two messages. While the first is on its way both ends set up the second, so there is a pause between them.
void TrekNode::send_item(Api& api, const Branch& to, const Item& item) {
    const auto bytes = item.announced_bytes.value_or(static_cast<std::uint32_t>(item.body.size()));
    const SizeMessage size{.kind = item.kind,
                           .again = static_cast<std::uint8_t>(item.again),
                           .steals = static_cast<std::uint8_t>(steals_with(item)),
                           .task = item.id.task,
                           .subtask = item.id.subtask,
                           .size = bytes,
                           .tokens = tokens_with(item)};
    api.charge(setup_.costs.link_message * 2);
    const bool arrived =
        api.circuit_send(to.link, to.node,
                         {.channel = LinkChannel::Circuit,
                          .account = trollius_os::accounts::application,
                          .header = std::as_bytes(std::span(&size, 1)),
                          .body = item.body,
                          .wire_bytes = setup_.costs.size_message + static_cast<std::uint32_t>(item.body.size()),
                          .messages = 2,
                          .pause = api.port().lasts(setup_.costs.link_message)});
    if (recovery_) recovery_->has_sent(to);
    if (!arrived) kernel_.drop("trek.out", "the link's path was changed under it", item.id.task, item.id.subtask);
    if (item.kind != Kind::Counts) observe(api, item, to.node, true);
}

void TrekNode::send_signal(Api& api, const Branch& to, Kind kind, std::uint32_t tokens) {
    const SizeMessage size{.kind = kind, .tokens = tokens};
    api.charge(setup_.costs.link_message);
    const bool arrived =
        api.circuit_send(to.link, to.node,
                         {.channel = LinkChannel::Circuit,
                          .account = kind == Kind::Alive ? trollius_os::accounts::system : trollius_os::accounts::application,
                          .header = std::as_bytes(std::span(&size, 1)),
                          .body = {},
                          .wire_bytes = setup_.costs.size_message});
    if (recovery_) recovery_->has_sent(to);
    if (!arrived) kernel_.drop("trek.out", "the link's path was changed under it");
}

void TrekNode::output_to_parent(Api& api) {
    up_thread_ = &api.port().self();
    while (true) {
        if (recovery_) recovery_->pay_for_lost_places();
        if (!up_.empty()) {
            api.charge(setup_.costs.queue_operation);
            ItemPtr item = std::move(up_.front());
            up_.pop_front();
            if (item->kind == Kind::Nothing) {
                send_signal(api, *setup_.place.parent, Kind::Nothing, 0);
                continue;
            }
            send_item(api, *setup_.place.parent, *item);
            let_go(*item);
            spares_.put(std::move(item));
            report_finished(api);
        } else if (ask_now_ && started_ && tokens_up_ > 0) {
            ask_now_ = false;
            send_signal(api, *setup_.place.parent, Kind::Token, std::exchange(tokens_up_, 0));
        } else if (steal_now_) {
            steal_now_ = false;
            // A task may have come since.
            stealing_ = !computing_ && buffer_.empty() && !stopping_;
            if (stealing_) send_signal(api, *setup_.place.parent, Kind::Steal, 0);
        } else if (recovery_) {
            recovery_->wait(api);
        } else {
            api.port().wait();
        }
    }
}

void TrekNode::output_to_child(Api& api, Child& child) {
    child.thread = &api.port().self();
    while (!is_manager() && !started_) api.port().wait();
    if (recovery_) recovery_->watch(child);
    send_signal(api, child.at, Kind::Start, 0);
    while (true) {
        if (child.queue.empty()) {
            api.port().wait();
            continue;
        }
        api.charge(setup_.costs.queue_operation);
        ItemPtr item = std::move(child.queue.front());
        child.queue.pop_front();
        if (recovery_) recovery_->keep(api, child, *item);
        if (item->kind != Kind::Task) {
            send_signal(api, child.at, item->kind, 0);
        } else {
            send_item(api, child.at, *item);
            spares_.put(std::move(item));
        }
    }
}

}  // namespace trek_kernel
