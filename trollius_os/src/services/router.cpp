#include <trollius_os/services/router.hpp>

#include <algorithm>
#include <cstring>

#include <trollius_os/services.hpp>

namespace trollius_os {

namespace services {
namespace {

class Router {
public:
    Router(Calls& calls, NodeServices& services) : calls_(calls), services_(services) {}

    Task<> serve() {
        Message message{.event = events::router, .any_body = &room_};
        co_await calls_.krecv(message);
        const auto question = decode<RouteQuestion>(message);
        if (!question) co_return calls_.kernel().drop("router", "an unreadable question");
        if (!state().smart && !is_router_order(question->call) && question->at_once == 0) co_return wait(*question);
        co_await answer(*question);
        while (state().smart && !waiting_.empty()) {
            const RouteQuestion next = waiting_.front();
            waiting_.erase(waiting_.begin());
            co_await answer(next);
        }
    }

private:
    static constexpr std::size_t most_waiting = 128;  // more than the processes of a node

    RouterState& state() { return services_.router; }

    void wait(const RouteQuestion& question) {
        if (waiting_.size() >= most_waiting)
            std::erase_if(waiting_, [this](const RouteQuestion& q) { return calls_.kernel().find(q.asker) == nullptr; });
        waiting_.push_back(question);
    }

    Task<> answer(const RouteQuestion& question) {
        const RouteAnswer found = obey(question);
        Message message{.event = EventNo(-static_cast<std::int32_t>(question.asker.value())),
                        .data = encode(found),
                        .length = static_cast<std::uint32_t>(list_.size() * sizeof(NodeWord)),
                        .body = std::as_writable_bytes(std::span(list_))};
        co_await calls_.kernel().send_to_asker(calls_.process(), message.event, message.type, message, {question.asker, 0});
        list_.clear();
    }

    RouteAnswer obey(const RouteQuestion& question) {
        const NodeId node = question.node.id();
        switch (question.call) {
            case RouterCall::Route:
            case RouterCall::Type:
                return entry(node);
            case RouterCall::Count:
            case RouterCall::List:
                return nodes(question);
            case RouterCall::AwaitSmart:
                return {};
            case RouterCall::SetEntries:
                return {.error = set_entries()};
            case RouterCall::Remove:
                return {.error = remove(node)};
            case RouterCall::SetSmart:
                state().smart = question.type != 0;
                return {};
        }
        return {.error = errors::bad_request};
    }

    std::optional<std::int32_t> type_of(NodeId node) {
        if (node.value() >= services_.routes.size()) return std::nullopt;
        const auto changed = state().changed.find(node);
        if (changed != state().changed.end()) return changed->second;
        return state().type_at_start ? state().type_at_start(node) : 0;
    }

    RouteAnswer entry(NodeId node) {
        const auto type = type_of(node);
        RouteAnswer answer{.next = nowhere, .type = type.value_or(0), .error = type ? 0 : errors::bad_node};
        if (node.value() >= services_.routes.size()) return answer;
        if (const auto link = services_.routes[node.value()]) answer.next = datalink_event(*link);
        return answer;
    }

    RouteAnswer nodes(const RouteQuestion& question) {
        RouteAnswer answer;
        const std::size_t most = calls_.kernel().costs().most_packet / sizeof(NodeWord);
        for (std::size_t i = 0; i < services_.routes.size(); ++i) {
            const NodeId node(static_cast<NodeId::value_type>(i));
            const auto type = type_of(node);
            if (!type || (*type & question.mask) != question.type) continue;
            if (question.call == RouterCall::List && answer.count >= question.first && list_.size() < most)
                list_.emplace_back(node);
            ++answer.count;
        }
        return answer;
    }

    ErrorNumber set_entries() {
        if (room_.size() % sizeof(RouteEntry) != 0) return errors::bad_request;
        std::vector<RouteEntry> entries(room_.size() / sizeof(RouteEntry));
        if (!entries.empty()) std::memcpy(entries.data(), room_.data(), room_.size());
        for (const RouteEntry& entry : entries) {
            if (const ErrorNumber error = error_in(entry); error != 0) return error;
        }
        for (const RouteEntry& entry : entries) {
            const auto link = static_cast<LinkNo::value_type>(entry.link);
            services_.routes.set(entry.node.id().value(), entry.link < 0 ? RouteTable::Link() : LinkNo(link));
            state().changed[entry.node.id()] = entry.type;
        }
        calls_.kernel().forget_routes();
        return 0;
    }
    ErrorNumber error_in(const RouteEntry& entry) const {
        if (!entry.node.fits() || entry.node.id().value() >= services_.routes.size()) return errors::no_route_descriptors;
        if (entry.link < -1 || entry.link > 3) return errors::bad_link;
        if (entry.link < 0) return 0;
        if (!calls_.port().wired(LinkNo(static_cast<LinkNo::value_type>(entry.link)))) return errors::bad_link;
        return entry.node.id() == calls_.node() ? errors::bad_node : 0;
    }

    ErrorNumber remove(NodeId node) {
        if (!type_of(node)) return errors::bad_node;
        services_.routes.set(node.value(), std::nullopt);
        state().changed[node] = std::nullopt;
        calls_.kernel().forget_routes();
        return 0;
    }

    Calls& calls_;
    NodeServices& services_;
    std::vector<std::byte> room_;
    std::vector<NodeWord> list_;          // body of the answer under way
    std::vector<RouteQuestion> waiting_;  // for a smart router, oldest first
};

// The answer to an order. The router may be dumb, so the way comes from the table as it is.
Task<> answer_order(Calls& calls, const Caller& caller, ErrorNumber error) {
    Message message = answer_to(caller, RouterOrderAnswer{error});
    if (caller.node.id() != calls.node()) {
        const RouteAnswer way = co_await ask_router(calls, {.node = caller.node, .at_once = 1});
        if (way.next == nowhere) co_return calls.kernel().drop("rrouter", "an order of a node to which there is no way");
        message.datalink_event = way.next;
        co_await calls.dsend(message);
    } else {
        co_await calls.answer(message);
    }
}

}  // namespace

Task<> router(Calls& calls, NodeServices& services) {
    Router server(calls, services);
    while (true) co_await server.serve();
}

Task<> route_orders(Calls& calls) {
    std::vector<std::byte> room;
    while (true) {
        Message message{.event = events::route_orders, .any_body = &room};
        co_await calls.nrecv(message);
        const auto order = decode<RouterOrder>(message);
        if (!order) {
            calls.kernel().drop("rrouter", "an unreadable order");
            continue;
        }
        const RouteAnswer done = co_await ask_router(calls, {.node = order->node, .call = order->call, .type = order->smart},
                                                     message.body.first(message.length));
        co_await answer_order(calls, order->caller, done.error);
    }
}

Task<RouteAnswer> ask_router(Calls& calls, RouteQuestion question, std::span<std::byte> body, std::vector<std::byte>* room) {
    question.asker = calls.pid();
    const Conversation undisturbed(calls);
    Message message{
        .event = events::router, .data = encode(question), .length = static_cast<std::uint32_t>(body.size()), .body = body};
    co_await calls.ksend(message);
    Message answer{.event = calls.process().reply_event(), .any_body = room};
    co_await calls.krecv(answer);
    co_return decode<RouteAnswer>(answer);
}

}  // namespace services

Task<EventNo> ask_router(Calls& calls, NodeId node) {
    const int priority = calls.process().kernel_priority();
    const bool moves_packets = priority == kernel_priority::bufferd || priority == kernel_priority::datalink_in;
    const auto answer = co_await services::ask_router(calls, {.node = node, .at_once = moves_packets ? 1 : 0});
    co_return answer.next;
}

}  // namespace trollius_os
