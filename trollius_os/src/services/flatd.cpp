#include <trollius_os/services/flatd.hpp>

#include <algorithm>

namespace trollius_os {

namespace services {
namespace {

class Blocks {
public:
    Blocks(Calls& calls, FlatTable& table) : calls_(calls), table_(table) {}

    // False: a request that makes no sense now.
    Task<bool> serve(const FlatRequest& request, std::span<const std::byte> body) {
        const auto known = table_.find(request.name);
        if (request.call == FlatCall::Begin) {
            const bool room = known == table_.end() && calls_.port().take_memory(request.bytes);
            if (room) table_[request.name] = {.bytes = request.bytes, .shipper = request.caller};
            co_await answer(request.caller, room);
            co_return true;
        }
        if (known == table_.end() || is_disturbance(known->second, request.caller)) co_return false;
        if (request.call == FlatCall::Chunk) co_return co_await keep(known->second, request.caller, body);
        calls_.port().give_back_memory(known->second.bytes);
        table_.erase(known);
        co_return true;
    }

private:
    // By another than the block's shipper, in the middle of it. Whoever ships would wait for the last answer for ever.
    static bool is_disturbance(const FlatBlock& block, const Caller& from) {
        return !block.whole() && (block.shipper.node.id() != from.node.id() || block.shipper.reply != from.reply);
    }

    Task<bool> keep(FlatBlock& block, const Caller& from, std::span<const std::byte> body) {
        if (block.whole()) co_return false;
        const auto last = std::find_if(body.rbegin(), body.rend(), [](std::byte b) { return b != std::byte{}; });
        if (last != body.rend()) {
            block.content.resize(block.got);
            block.content.insert(block.content.end(), body.begin(), last.base());
        }
        block.got += static_cast<std::uint32_t>(body.size());
        if (block.whole()) co_await answer(from, true);
        co_return true;
    }
    Task<bool> answer(const Caller& to, bool done) {
        Message answer = answer_to(to, FlatAnswer{done ? 1 : 0});
        co_return co_await calls_.answer(answer);
    }

    Calls& calls_;
    FlatTable& table_;
};

}  // namespace

std::optional<FlatBlock> take_block(FlatTable& table, FlatTag name) {
    const auto found = table.find(name);
    if (found == table.end() || !found->second.whole()) return std::nullopt;
    return table.extract(found).mapped();
}

Task<> flatd(Calls& calls, FlatTable& table) {
    Blocks blocks(calls, table);
    std::vector<std::byte> room;
    while (true) {
        Message message{.event = events::flatd, .any_body = &room};
        co_await calls.nrecv(message);
        const auto request = decode<FlatRequest>(message);
        bool served = false;
        if (request) served = co_await blocks.serve(*request, message.body.first(message.length));
        if (!served) calls.kernel().drop("flatd", "an unreadable request");
    }
}

}  // namespace services

using services::FlatCall;
using services::FlatRequest;

Shipped ship_block(Api& api, NodeId node, std::int32_t tag, std::uint32_t bytes, std::span<const std::byte> content) {
    if (is_cast(node)) return Shipped::NoWay;  // nobody would answer
    const auto request = [&](FlatCall call, std::span<std::byte> body = {}) {
        const FlatRequest words{.call = call, .caller = services::caller(api), .name = {api.node(), tag}, .bytes = bytes};
        return services::request_to(node, events::flatd, words, body);
    };
    Message begin = request(FlatCall::Begin);
    if (!api.answer(begin)) return Shipped::NoWay;
    if (decode<services::FlatAnswer>(services::await_answer(api)).done != 1) return Shipped::NoRoom;
    if (bytes == 0) return Shipped::Whole;
    const std::uint32_t most = api.kernel().costs().most_packet;
    std::vector<std::byte> packet(std::min(bytes, most));
    for (std::uint32_t at = 0; at < bytes; at += most) {
        const auto rest = content.subspan(std::min<std::size_t>(at, content.size()));
        const auto end = std::copy_n(rest.begin(), std::min(rest.size(), packet.size()), packet.begin());
        std::fill(end, packet.end(), std::byte{});
        Message chunk = request(FlatCall::Chunk, std::span(packet).first(std::min(bytes - at, most)));
        api.nsend(chunk);
    }
    services::await_answer(api);
    return Shipped::Whole;
}

void forget_block(Api& api, NodeId node, services::FlatTag name) {
    Message request = services::request_to(
        node, events::flatd, FlatRequest{.call = FlatCall::Forget, .caller = services::caller(api), .name = name});
    api.nsend(request);
}

}  // namespace trollius_os
