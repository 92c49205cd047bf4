#include <trollius_os/services/filed.hpp>

#include <algorithm>
#include <map>
#include <utility>

#include <trollius_os/services.hpp>

#include "body_text.hpp"
#include "file_orders.hpp"

namespace trollius_os {

namespace services {
namespace {

class FileServer {
public:
    FileServer(Api& api, const NodeServices& services)
        : api_(api),
          services_(services),
          room_(api.kernel().costs().most_packet),
          out_(room_.size()),
          orders_(services, room_.size()) {}

    void serve() {
        Message message{.event = events::filed, .body = room_};
        api_.nrecv(message);
        if (const auto order = decode<FileOrder>(message)) return obey(*order, std::span(room_).first(message.length));
        std::span<std::byte> read;
        FileReply damaged;
        if (const auto request = decode<FileRequest>(message)) {
            read = serve(*request, std::span(room_).first(message.length));
        } else {
            api_.kernel().drop("filed", "an unknown request");
            damaged.error = errors::bad_request;
        }
        damaged.value = static_cast<std::int32_t>(message.length);  // the place of FileAnswer::taken
        Message answer = answer_to(decode<RequestHead>(message).caller, damaged, read);
        api_.answer(answer);
    }

private:
    struct OpenFile {
        std::string name;
        std::vector<std::byte> content;
    };

    void obey(const FileOrder& order, std::span<const std::byte> body) {
        const FileReply reply = orders_.obey(order, body, answer_);
        if (order.call == FileOrderCall::Write && order.number == 1) return;
        Message answer = answer_to(order.caller, reply, answer_);
        answer_.clear();
        api_.answer(answer);
    }

    // The bytes that go back to the caller.
    std::span<std::byte> serve(const FileRequest& request, std::span<const std::byte> body) {
        switch (request.call) {
            case FileCall::Print:
                if (services_.print) services_.print(request.caller.node.id(), text_in(body));
                break;
            case FileCall::Open:
                open_[request.caller] = {text_in(body), {}};
                break;
            case FileCall::Append: {
                auto& content = open_[request.caller].content;
                content.insert(content.end(), body.begin(), body.end());
                break;
            }
            case FileCall::Close:
                if (services_.save) services_.save(open_[request.caller].name, std::move(open_[request.caller].content));
                open_.erase(request.caller);
                break;
            case FileCall::Read:
                if (services_.read) return read(static_cast<std::size_t>(std::max(request.most, 0)));
                break;
        }
        return {};
    }
    std::span<std::byte> read(std::size_t most) {
        const std::span<std::byte> room = std::span(out_).first(std::min(out_.size(), most));
        return room.first(services_.read(room));
    }

    Api& api_;
    const NodeServices& services_;
    std::map<Caller, OpenFile> open_;
    std::vector<std::byte> room_, out_, answer_;
    FileOrders orders_;
};

}  // namespace

void filed(Api& api, const NodeServices& services) {
    FileServer server(api, services);
    while (true) server.serve();
}

}  // namespace services

namespace {

using services::FileCall;

// Sends one request and waits for its answer, which is put into `room`. Returns the length of the answer.
std::uint32_t ask(Api& api, NodeId host, FileCall call, std::span<std::byte> body, std::span<std::byte> room = {}) {
    const services::FileRequest request{
        .caller = services::caller(api), .call = call, .most = static_cast<std::int32_t>(room.size())};
    const Conversation undisturbed(api.calls());
    Message message = services::request_to(host, events::filed, request, body);
    api.nsend(message);
    return services::await_answer(api, room).length;
}

void in_packets(Api& api, std::span<std::byte> bytes, NodeId host, FileCall call) {
    const std::size_t most = api.kernel().costs().most_packet;
    for (std::size_t at = 0; at < bytes.size(); at += most)
        ask(api, host, call, bytes.subspan(at, std::min(most, bytes.size() - at)));
}

}  // namespace

void print(Api& api, NodeId host, const std::string& text) {
    std::vector<std::byte> body = services::bytes_of(text);
    in_packets(api, body, host, FileCall::Print);
}

void save_file(Api& api, NodeId host, const std::string& name, std::vector<std::byte> content) {
    std::vector<std::byte> called = services::bytes_of(name);
    ask(api, host, FileCall::Open, called);
    in_packets(api, content, host, FileCall::Append);
    ask(api, host, FileCall::Close, {});
}

std::size_t read_input(Api& api, NodeId host, std::span<std::byte> room) {
    return ask(api, host, FileCall::Read, {}, room.first(std::min<std::size_t>(room.size(), api.kernel().costs().most_packet)));
}

}  // namespace trollius_os
