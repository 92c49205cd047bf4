#include <trollius_os/services/kenyad.hpp>

#include <algorithm>
#include <cstring>

#include <trollius_os/services.hpp>

#include "body_text.hpp"

namespace trollius_os {

namespace services {

constexpr std::byte no_route{0xff};

StateRecord encode_state(const ProcessLine& line) {
    StateRecord record{line.index, line.pid, line.priority, line.state, line.event, line.type, {}};
    line.name.copy(record.name.data(), record.name.size() - 1);
    return record;
}

std::vector<ProcessLine> decode_state(std::span<const std::byte> body) {
    std::vector<ProcessLine> lines(body.size() / sizeof(StateRecord));
    for (std::size_t i = 0; i < lines.size(); ++i) {
        StateRecord r;
        std::memcpy(&r, body.data() + i * sizeof r, sizeof r);
        lines[i] = {r.index,
                    r.pid,
                    r.priority,
                    r.state,
                    r.event,
                    r.type,
                    std::string(r.name.begin(), std::find(r.name.begin(), r.name.end(), '\0'))};
    }
    return lines;
}

std::vector<std::byte> encode_routes(const RouteTable& routes) {
    std::vector<std::byte> body;
    body.reserve(routes.size());
    for (std::size_t node = 0; node < routes.size(); ++node) {
        const auto link = routes[node];
        body.push_back(link ? std::byte{link->value()} : no_route);
    }
    return body;
}

std::optional<RouteTable> decode_routes(std::span<const std::byte> body, std::size_t nodes) {
    if (body.size() != nodes) return std::nullopt;
    RouteTable routes(nodes);
    for (std::size_t i = 0; i < nodes; ++i) {
        const LinkNo link(std::to_integer<LinkNo::value_type>(body[i]));
        if (link.value() < 4) routes.set(i, link);
    }
    return routes;
}

namespace {

// A process of the program of that name.
CreateAnswer create_named(Calls& calls, const NodeServices& services, const std::string& name, std::int32_t argument) {
    const auto program = services.programs->find(name);
    if (program == services.programs->end()) {
        calls.kernel().drop("kenyad", "a request for an unknown program");
        return {};
    }
    calls.charge(calls.kernel().costs().create_process);
    const Process* process = calls.kernel().create({.name = name,
                                                    .priority = Priority::Low,
                                                    .kernel_priority = 0,
                                                    .stack_bytes = program->second.stack_bytes,
                                                    .code = program->second.code(argument)});
    return {process == nullptr ? vocabulary::ProcessId() : process->pid()};
}

std::vector<StateRecord> process_table(Calls& calls) {
    std::vector<StateRecord> table;
    for (const auto& p : calls.kernel().processes()) {
        if (p->state() == ProcessState::Ended) continue;
        table.push_back(encode_state({static_cast<std::uint32_t>(table.size() + 1), p->pid(), p->kernel_priority(),
                                      static_cast<std::int32_t>(p->state()), p->last_event(), p->last_type(), p->name()}));
    }
    return table;
}

// A request that can be read, obeyed: its answer. Empty: no request. `table` holds the answer's body.
std::optional<Message> obey(Calls& calls, NodeServices& services, const Message& message, std::vector<StateRecord>& table) {
    const auto body = message.body.first(message.length);
    if (const auto create = decode<CreateRequest>(message))
        return answer_to(create->caller, create_named(calls, services, text_in(body), create->argument));
    if (const auto routes = decode<RoutesRequest>(message)) {
        if (auto taken = decode_routes(body, services.routes.size())) {
            services.routes = std::move(*taken);
            calls.kernel().forget_routes();
        }
        return answer_to(routes->caller, RoutesAnswer{calls.node(), routes->tag});
    }
    if (const auto state = decode<StateRequest>(message)) {
        table = process_table(calls);
        const StateAnswer answer{static_cast<std::uint32_t>(calls.kernel().dropped_damaged())};
        return answer_to(state->caller, answer, std::as_writable_bytes(std::span(table)));
    }
    return std::nullopt;
}

}  // namespace

Task<> kenyad(Calls& calls, NodeServices& services) {
    std::vector<std::byte> room;
    std::vector<StateRecord> table;
    while (true) {
        Message message{.event = events::kenyad, .any_body = &room};
        co_await calls.nrecv(message);
        if (auto answer = obey(calls, services, message, table)) {
            co_await calls.answer(*answer);
        } else {
            calls.kernel().drop("kenyad", "an unreadable request");
        }
    }
}

}  // namespace services

std::optional<vocabulary::ProcessId> create_process(Api& api, NodeId node, const std::string& program, std::int32_t tag,
                                                    std::int32_t argument) {
    std::vector<std::byte> name = services::bytes_of(program);
    Message request = services::request_to(
        node, events::kenyad, services::CreateRequest{.caller = services::caller(api), .tag = tag, .argument = argument}, name);
    api.nsend(request);
    const vocabulary::ProcessId pid = decode<services::CreateAnswer>(services::await_answer(api)).pid;
    if (pid == vocabulary::ProcessId()) return std::nullopt;
    return pid;
}

std::vector<ProcessLine> state(Api& api, NodeId node, std::uint32_t* dropped) {
    std::vector<std::byte> room(256 * sizeof(services::StateRecord));
    Message request = services::request_to(node, events::kenyad, services::StateRequest{.caller = services::caller(api)});
    api.nsend(request);
    const Message answer = services::await_answer(api, room);
    if (dropped != nullptr) *dropped = decode<services::StateAnswer>(answer).dropped;
    return services::decode_state(std::span(room).first(answer.length));
}

void send_routes(Api& api, NodeId node, const RouteTable& routes, EventNo reply, std::int32_t tag) {
    std::vector<std::byte> body = services::encode_routes(routes);
    Message request =
        services::request_to(node, events::kenyad, services::RoutesRequest{.caller = {api.node(), reply}, .tag = tag}, body);
    api.nsend(request);
}

}  // namespace trollius_os
