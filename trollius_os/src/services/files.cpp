// filed, the file server on the host, for programs that run on a node: prints, writes whole files, reads the input stream.
// Pouch word 3 of a request says what it wants. Each request is answered, so a program goes on when the host has it.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include <trollius_os/services.hpp>

namespace trollius_os {
namespace {

enum FileRequest : std::int32_t { Print = 0, Open = 1, Append = 2, Close = 3, Read = 4 };

std::vector<std::byte> bytes_of(const std::string& text) {
    std::vector<std::byte> bytes(text.size());
    std::transform(text.begin(), text.end(), bytes.begin(), [](char c) { return static_cast<std::byte>(c); });
    return bytes;
}

// Sends one request and waits for its answer, which is put into `room`. Returns the length of the answer.
std::uint32_t ask(Api& api, NodeId host, FileRequest what, std::span<std::byte> body, std::span<std::byte> room = {},
                  std::uint32_t most = 0) {
    Message request{.node = host,
                    .event = events::filed,
                    .data = {0, api.node().value(), api.process().reply_event().value(), what, static_cast<std::int32_t>(most)},
                    .length = static_cast<std::uint32_t>(body.size()),
                    .body = body};
    api.nsend(request);
    Message answer{.event = api.process().reply_event(), .body = room};
    api.nrecv(answer);
    return answer.length;
}

void in_packets(Api& api, std::span<std::byte> bytes, NodeId host, FileRequest what) {
    const std::size_t most = api.kernel().costs().most_packet;
    for (std::size_t at = 0; at < bytes.size(); at += most)
        ask(api, host, what, bytes.subspan(at, std::min(most, bytes.size() - at)));
}

}  // namespace

namespace services {

void filed(Api& api, const NodeServices& services) {
    struct OpenFile {
        std::string name;
        std::vector<std::byte> content;
    };
    std::map<std::pair<std::int32_t, std::int32_t>, OpenFile> open;  // by node and process
    std::vector<std::byte> room(api.kernel().costs().most_packet), out(room.size());
    while (true) {
        Message request{.event = events::filed, .body = room};
        api.nrecv(request);
        const NodeId from(static_cast<NodeId::value_type>(request.data[1]));
        const std::pair who{request.data[1], request.data[2]};
        const auto text = [&] { return std::string(reinterpret_cast<const char*>(room.data()), request.length); };
        Message answer{.node = from, .event = EventNo(request.data[2]), .data = {static_cast<std::int32_t>(request.length)}};
        switch (request.data[3]) {
            case Print:
                if (services.print) services.print(from, text());
                break;
            case Open:
                open[who] = {text(), {}};
                break;
            case Append: {
                auto& content = open[who].content;
                content.insert(content.end(), room.begin(), room.begin() + request.length);
                break;
            }
            case Close:
                if (services.save) services.save(open[who].name, std::move(open[who].content));
                open.erase(who);
                break;
            case Read: {
                const std::size_t most = std::min(out.size(), static_cast<std::size_t>(std::max(request.data[4], 0)));
                if (services.read) answer.length = static_cast<std::uint32_t>(services.read(std::span(out).first(most)));
                answer.body = std::span(out).first(answer.length);
                break;
            }
            default:
                api.kernel().drop("filed", "a request that the file server does not know");
                break;
        }
        api.answer(answer);
    }
}

}  // namespace services

void print(Api& api, NodeId host, const std::string& text) {
    std::vector<std::byte> body = bytes_of(text);
    in_packets(api, body, host, Print);
}

void save_file(Api& api, NodeId host, const std::string& name, std::vector<std::byte> content) {
    std::vector<std::byte> called = bytes_of(name);
    ask(api, host, Open, called);
    in_packets(api, content, host, Append);
    ask(api, host, Close, {});
}

std::size_t read_input(Api& api, NodeId host, std::span<std::byte> room) {
    const std::size_t most = std::min<std::size_t>(room.size(), api.kernel().costs().most_packet);
    return ask(api, host, Read, {}, room.first(most), static_cast<std::uint32_t>(most));
}

}  // namespace trollius_os
