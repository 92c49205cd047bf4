#include <trollius_os/services/traced.hpp>

#include <algorithm>
#include <list>

namespace trollius_os {

namespace services {
namespace {

class TraceLists {
public:
    explicit TraceLists(Calls& calls) : calls_(calls) {}

    Task<> serve() {
        Message message{.event = events::traced, .any_body = &room_};
        co_await calls_.nrecv(message);
        const auto request = decode<TraceRequest>(message);
        if (!request) co_return calls_.kernel().drop("traced", "an unreadable request");
        out_.clear();
        calls_.charge(calls_.kernel().costs().trace_request);
        const TraceAnswer done = obey(*request);
        Message answer = answer_to(request->caller, done, out_);
        co_await calls_.answer(answer);
    }

private:
    struct Buffer {
        std::int32_t list;
        NodeId node;
        vocabulary::ProcessId pid;
        std::vector<std::byte> content;
        std::uint32_t bytes() const { return static_cast<std::uint32_t>(content.size()) + trace_header; }
    };

    TraceAnswer obey(const TraceRequest& request) {
        switch (request.call) {
            case TraceCall::Store:
                return store(request);
            case TraceCall::Get:
                return get(request);
            case TraceCall::Forget:
                return {.count = discard([&](const Buffer& b) { return b.list == request.list; })};
            case TraceCall::Sweep:
                return {.count = discard([](const Buffer& b) { return b.list > 0; })};
            case TraceCall::Udie:
                return {.count = discard([&](const Buffer& b) { return b.node == request.node.id() && b.pid == request.pid; })};
            case TraceCall::Wipe:
                return {.count = discard([&](const Buffer& b) { return request.list == 0 || b.list == request.list; })};
        }
        return {.error = errors::bad_request};
    }

    TraceAnswer store(const TraceRequest& request) {
        const std::uint64_t space = calls_.kernel().costs().trace_space;
        const std::uint64_t bytes = room_.size() + trace_header;
        if (bytes > space) return {.error = errors::message_length};
        TraceAnswer answer;
        while (used_ + bytes > space || !calls_.port().take_memory(bytes)) {
            const auto oldest = std::find_if(buffers_.begin(), buffers_.end(), [](const Buffer& b) { return b.list > 0; });
            if (oldest == buffers_.end()) {
                answer.error = errors::full;
                return answer;
            }
            drop(oldest);
            ++answer.count;
        }
        used_ += bytes;
        const vocabulary::ProcessId owner(static_cast<std::uint32_t>(-std::int64_t{request.caller.reply.value()}));
        buffers_.push_back({request.list, request.caller.node.id(), owner, room_});
        return answer;
    }

    TraceAnswer get(const TraceRequest& request) {
        const std::size_t most = calls_.kernel().costs().most_packet;
        std::uint64_t at = 0;
        for (const Buffer& buffer : buffers_) {
            if (buffer.list != request.list) continue;
            const std::uint64_t skipped =
                request.from > at ? std::min<std::uint64_t>(request.from - at, buffer.content.size()) : 0;
            const std::size_t part = std::min<std::size_t>(buffer.content.size() - skipped, most - out_.size());
            const auto begin = buffer.content.begin() + static_cast<std::ptrdiff_t>(skipped);
            out_.insert(out_.end(), begin, begin + static_cast<std::ptrdiff_t>(part));
            at += buffer.content.size();
        }
        return {.count = static_cast<std::uint32_t>(at)};
    }

    template <class Which>
    std::uint32_t discard(const Which& which) {
        std::uint32_t count = 0;
        for (auto at = buffers_.begin(); at != buffers_.end();) {
            const auto buffer = at++;
            if (!which(*buffer)) continue;
            drop(buffer);
            ++count;
        }
        return count;
    }
    void drop(std::list<Buffer>::iterator buffer) {
        used_ -= buffer->bytes();
        calls_.port().give_back_memory(buffer->bytes());
        buffers_.erase(buffer);
    }

    Calls& calls_;
    std::list<Buffer> buffers_;  // oldest first
    std::uint64_t used_ = 0;
    std::vector<std::byte> room_, out_;  // bodies of the request and of its answer
};

}  // namespace

Task<> traced(Calls& calls) {
    TraceLists lists(calls);
    while (true) co_await lists.serve();
}

}  // namespace services

using services::TraceAnswer;
using services::TraceCall;
using services::TraceRequest;

namespace {

TraceAnswer ask_traces(Api& api, NodeId node, TraceRequest request, std::span<std::byte> body = {},
                       std::vector<std::byte>* room = nullptr) {
    const Conversation undisturbed(api.calls());
    request.caller = services::caller(api);
    Message message = services::request_to(node, events::traced, request, body);
    api.nsend(message);
    Message answer{.event = api.process().reply_event(), .any_body = room};
    api.nrecv(answer);
    return decode<TraceAnswer>(answer);
}

Traces order_traces(Api& api, NodeId node, const TraceRequest& request) {
    const TraceAnswer answer = ask_traces(api, node, request);
    return {answer.error, answer.count};
}

}  // namespace

Traces rtrstore(Api& api, NodeId node, std::int32_t list, std::span<const std::byte> bytes) {
    std::vector<std::byte> body(bytes.begin(), bytes.end());
    const TraceAnswer answer = ask_traces(api, node, {.call = TraceCall::Store, .list = list}, body);
    return {answer.error, answer.count};
}

std::vector<std::byte> rtrget(Api& api, NodeId node, std::int32_t list) {
    std::vector<std::byte> bytes;
    std::uint32_t all = 0;
    do {
        std::vector<std::byte> room;
        const auto from = static_cast<std::uint32_t>(bytes.size());
        all = ask_traces(api, node, {.call = TraceCall::Get, .list = list, .from = from}, {}, &room).count;
        if (room.empty()) break;
        bytes.insert(bytes.end(), room.begin(), room.end());
    } while (bytes.size() < all);
    return bytes;
}

Traces rtrforget(Api& api, NodeId node, std::int32_t list) {
    return order_traces(api, node, {.call = TraceCall::Forget, .list = list});
}
Traces rtrsweep(Api& api, NodeId node) {
    return order_traces(api, node, {.call = TraceCall::Sweep});
}
Traces rtrudie(Api& api, NodeId node, NodeId owners_node, vocabulary::ProcessId pid) {
    return order_traces(api, node, {.call = TraceCall::Udie, .node = owners_node, .pid = pid});
}
Traces rtrwipe(Api& api, NodeId node, std::int32_t list) {
    return order_traces(api, node, {.call = TraceCall::Wipe, .list = list});
}

}  // namespace trollius_os
