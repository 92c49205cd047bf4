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
            loaded.error = CreateError::UnknownProgram;
        } else {
            // A copy: the host's user may register the program anew while this one travels.
            const std::vector<std::byte> content = program->second.content;
            const Shipped shipped = ship_block(api, request.destination.id(), tag, program->second.bytes, content);
            if (shipped == Shipped::NoWay) continue;
            if (shipped == Shipped::Whole) loaded.tag = tag;
            if (shipped == Shipped::NoRoom) loaded.error = CreateError::NoMemory;
        }
        Message answer = answer_to(request.caller, loaded);
        api.answer(answer);
    }
}

}  // namespace services

Created loadgo(Api& api, NodeId node, NodeId host, const std::string& program, const Arguments& arguments, std::int32_t flags) {
    std::vector<std::byte> name = services::bytes_of(program);
    Message load = services::request_to(host, events::loadd,
                                        services::LoadRequest{.caller = services::caller(api), .destination = node}, name);
    api.nsend(load);
    const auto loaded = decode<services::LoadAnswer>(services::await_answer(api));
    if (loaded.tag == 0) return {.error = loaded.error};
    return create_process(api, node, program, {host, loaded.tag}, arguments, flags);
}

}  // namespace trollius_os
