// Loading and starting programs: loadd on the host ships a module to flatd of the destination. There kenyad makes a process of
// it. flatd stores under a tag. Every packet carries the whole request in its pouch, so flatd needs no long conversation.
#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include <trollius_os/services.hpp>

namespace trollius_os {
namespace {

// Pouch of a request: its kind, the caller (node and reply event), then the request's own words.
enum class FlatRequest : std::int32_t { Begin = 1, Chunk = 2, Forget = 3 };
enum class ProcessRequest : std::int32_t { Create = 1, State = 2, Routes = 3 };

// A route table in a message: a byte a node, the link or this.
constexpr std::byte no_route{0xff};

Message request_to(NodeId node, EventNo service, Api& api, std::int32_t what, std::int32_t a = 0, std::int32_t b = 0,
                   std::int32_t c = 0) {
    return {.node = node, .event = service, .data = {what, api.node().value(), api.process().reply_event().value(), a, b, c}};
}

Message answer_to(const Message& request) {
    return {.node = NodeId(static_cast<NodeId::value_type>(request.data[1])), .event = EventNo(request.data[2])};
}

Message await_answer(Api& api, std::span<std::byte> room = {}) {
    Message answer{.event = api.process().reply_event(), .body = room};
    api.nrecv(answer);
    return answer;
}

// The record of one process that state() gets. The name follows in fixed room, as the printed column has.
struct StateRecord {
    std::uint32_t index, pid;
    std::int32_t priority, state, event, type;
    char name[28];
};

}  // namespace

namespace services {

void flatd(Api& api) {
    struct Flat {
        std::uint32_t expected = 0, got = 0;
    };
    std::map<std::int32_t, Flat> stored;
    std::vector<std::byte> room;
    while (true) {
        Message request{.event = events::flatd, .any_body = &room};
        api.nrecv(request);
        const std::int32_t tag = request.data[3];
        Message answer = answer_to(request);
        const auto known = stored.find(tag);
        const bool is_new = known == stored.end();
        switch (static_cast<FlatRequest>(request.data[0])) {
            case FlatRequest::Begin:
                answer.data[0] = is_new && api.port().take_memory(static_cast<std::uint32_t>(request.data[4])) ? 1 : 0;
                if (answer.data[0] == 1) stored[tag] = {static_cast<std::uint32_t>(request.data[4]), 0};
                api.answer(answer);
                continue;
            case FlatRequest::Chunk:
                if (is_new || known->second.got >= known->second.expected) break;
                known->second.got += request.length;
                if (known->second.got < known->second.expected) continue;
                answer.data[0] = 1;
                api.answer(answer);
                continue;
            case FlatRequest::Forget:
                if (is_new) break;
                api.port().give_back_memory(known->second.expected);
                stored.erase(known);
                continue;
        }
        api.kernel().drop("flatd", "a request that it cannot read");
    }
}

void loadd(Api& api, const NodeServices& services) {
    std::vector<std::byte> room(256), module;
    std::int32_t next_tag = 1;
    while (true) {
        Message request{.event = events::loadd, .body = room};
        api.nrecv(request);
        const std::string name(reinterpret_cast<const char*>(room.data()), request.length);
        const NodeId destination(static_cast<NodeId::value_type>(request.data[3]));
        Message answer = answer_to(request);
        const auto program = services.programs->find(name);
        const std::int32_t tag = next_tag++;
        if (program != services.programs->end()) {
            const auto bytes = static_cast<std::int32_t>(program->second.bytes);
            Message begin =
                request_to(destination, events::flatd, api, static_cast<std::int32_t>(FlatRequest::Begin), tag, bytes);
            if (!api.answer(begin)) continue;
            if (await_answer(api).data[0] == 1) {
                module.assign(program->second.bytes, std::byte{});
                for (std::uint32_t at = 0; at < module.size(); at += api.kernel().costs().most_packet) {
                    Message chunk =
                        request_to(destination, events::flatd, api, static_cast<std::int32_t>(FlatRequest::Chunk), tag, bytes);
                    chunk.body = std::span(module).subspan(
                        at, std::min<std::size_t>(module.size() - at, api.kernel().costs().most_packet));
                    chunk.length = static_cast<std::uint32_t>(chunk.body.size());
                    api.nsend(chunk);
                }
                await_answer(api);
                answer.data[0] = tag;
            }
        } else {
            api.kernel().drop("loadd", "a request for a program that there is not");
        }
        api.answer(answer);
    }
}

namespace {

// A process of the program that the request names; its pid, or 0.
std::int32_t create_process(Api& api, const NodeServices& services, const Message& request, const std::string& name) {
    const auto program = services.programs->find(name);
    if (program == services.programs->end()) {
        api.kernel().drop("kenyad", "a request for a program that there is not");
        return 0;
    }
    api.charge(api.kernel().costs().create_process);
    const std::int32_t argument = request.data[4];
    const Process* process =
        api.kernel().create({.name = name,
                             .priority = Priority::Low,
                             .kernel_priority = 0,
                             .stack_bytes = program->second.stack_bytes,
                             .code = [&entry = program->second.entry, argument](Api& its) { entry(its, argument); }});
    return process == nullptr ? 0 : static_cast<std::int32_t>(process->pid().value());
}

void take_routes(Api& api, NodeServices& services, std::span<const std::byte> table) {
    for (std::size_t i = 0; i < table.size(); ++i) {
        services.routes[i].reset();
        const LinkNo link(std::to_integer<LinkNo::value_type>(table[i]));
        if (link.value() < 4) services.routes[i] = link;
    }
    api.kernel().forget_routes();
}

std::vector<StateRecord> process_table(Api& api) {
    std::vector<StateRecord> table;
    for (const auto& p : api.kernel().processes()) {
        if (p->state() == ProcessState::Ended) continue;
        StateRecord record{static_cast<std::uint32_t>(table.size() + 1),
                           p->pid().value(),
                           p->kernel_priority(),
                           static_cast<std::int32_t>(p->state()),
                           p->last_event().value(),
                           p->last_type(),
                           {}};
        p->name().copy(record.name, sizeof record.name - 1);
        table.push_back(record);
    }
    return table;
}

}  // namespace

void kenyad(Api& api, NodeServices& services) {
    std::vector<std::byte> room;
    while (true) {
        Message request{.event = events::kenyad, .any_body = &room};
        api.nrecv(request);
        Message answer = answer_to(request);
        std::vector<StateRecord> table;
        switch (static_cast<ProcessRequest>(request.data[0])) {
            case ProcessRequest::Create:
                answer.data[0] =
                    create_process(api, services, request, {reinterpret_cast<const char*>(room.data()), request.length});
                api.answer(answer);
                continue;
            case ProcessRequest::Routes:
                if (request.length == services.routes.size()) take_routes(api, services, std::span(room).first(request.length));
                answer.data[0] = api.node().value();
                answer.data[1] = request.data[3];
                api.answer(answer);
                continue;
            case ProcessRequest::State:
                table = process_table(api);
                answer.data[0] = static_cast<std::int32_t>(api.kernel().dropped_damaged());
                answer.body = std::as_writable_bytes(std::span(table));
                answer.length = static_cast<std::uint32_t>(answer.body.size());
                api.answer(answer);
                continue;
        }
        api.kernel().drop("kenyad", "a request that it cannot read");
    }
}

}  // namespace services

std::optional<vocabulary::ProcessId> loadgo(Api& api, NodeId node, NodeId host, const std::string& program,
                                            std::int32_t argument) {
    std::string name = program;
    const auto name_bytes = std::as_writable_bytes(std::span(name));
    Message load = request_to(host, events::loadd, api, 0, node.value());
    load.body = name_bytes;
    load.length = static_cast<std::uint32_t>(name.size());
    api.nsend(load);
    const std::int32_t tag = await_answer(api).data[0];
    if (tag == 0) return std::nullopt;
    Message create = request_to(node, events::kenyad, api, static_cast<std::int32_t>(ProcessRequest::Create), tag, argument);
    create.body = name_bytes;
    create.length = static_cast<std::uint32_t>(name.size());
    api.nsend(create);
    const std::int32_t pid = await_answer(api).data[0];
    if (pid == 0) {
        Message forget = request_to(node, events::flatd, api, static_cast<std::int32_t>(FlatRequest::Forget), tag);
        api.nsend(forget);
        return std::nullopt;
    }
    return vocabulary::ProcessId(static_cast<std::uint32_t>(pid));
}

void send_routes(Api& api, NodeId node, const RouteTable& routes, EventNo reply, std::int32_t tag) {
    std::vector<std::byte> table;
    table.reserve(routes.size());
    for (const auto& link : routes) table.push_back(link ? std::byte{link->value()} : no_route);
    Message request = request_to(node, events::kenyad, api, static_cast<std::int32_t>(ProcessRequest::Routes), tag);
    request.data[2] = reply.value();
    request.body = table;
    request.length = static_cast<std::uint32_t>(table.size());
    api.nsend(request);
}

std::vector<ProcessLine> state(Api& api, NodeId node, std::uint32_t* dropped) {
    std::vector<StateRecord> records(256);
    Message request = request_to(node, events::kenyad, api, static_cast<std::int32_t>(ProcessRequest::State));
    api.nsend(request);
    const Message answer = await_answer(api, std::as_writable_bytes(std::span(records)));
    if (dropped != nullptr) *dropped = static_cast<std::uint32_t>(answer.data[0]);
    records.resize(answer.length / sizeof(StateRecord));
    std::vector<ProcessLine> lines;
    lines.reserve(records.size());
    for (const StateRecord& r : records)
        lines.push_back({r.index, vocabulary::ProcessId(r.pid), r.priority, r.state, EventNo(r.event), r.type,
                         std::string(r.name, strnlen(r.name, sizeof r.name))});
    return lines;
}

}  // namespace trollius_os
