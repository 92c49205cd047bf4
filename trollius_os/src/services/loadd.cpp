#include <trollius_os/services/loadd.hpp>

#include <vector>

#include <trollius_os/services.hpp>

#include "body_text.hpp"

namespace trollius_os {

namespace services {

void loadd(Api& api, const NodeServices& services) {
    std::vector<std::byte> room(256);
    std::int32_t next_tag = 1;
    while (true) {
        Message message{.event = events::loadd, .body = room};
        api.nrecv(message);
        const auto request = decode<LoadRequest>(message);
        const auto program = services.programs->find(text_in(std::span(room).first(message.length)));
        const std::int32_t tag = next_tag++;
        LoadAnswer loaded;
        if (program == services.programs->end()) {
            api.kernel().drop("loadd", "a request for an unknown program");
        } else {
            const Shipped shipped = ship_module(api, request.destination.id(), tag, program->second.bytes);
            if (shipped == Shipped::NoWay) continue;
            if (shipped == Shipped::Whole) loaded.tag = tag;
        }
        Message answer = answer_to(request.caller, loaded);
        api.answer(answer);
    }
}

}  // namespace services

std::optional<vocabulary::ProcessId> loadgo(Api& api, NodeId node, NodeId host, const std::string& program,
                                            std::int32_t argument, std::int32_t flags) {
    std::vector<std::byte> name = services::bytes_of(program);
    Message load = services::request_to(host, events::loadd,
                                        services::LoadRequest{.caller = services::caller(api), .destination = node}, name);
    api.nsend(load);
    const std::int32_t tag = decode<services::LoadAnswer>(services::await_answer(api)).tag;
    if (tag == 0) return std::nullopt;
    const auto pid = create_process(api, node, program, tag, argument, flags);
    if (!pid) forget_module(api, node, tag);
    return pid;
}

}  // namespace trollius_os
