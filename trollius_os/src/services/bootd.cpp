#include <trollius_os/services/bootd.hpp>

#include <cstring>
#include <memory>
#include <set>
#include <utility>

#include <trollius_os/services.hpp>

namespace trollius_os::services {
namespace {

struct Talk {
    bool over = false, booted = false;
};

// One message to the neighbour, whole. False: its path was changed under way.
Task<bool> say(NodePort& port, LinkNo link, const BootWords& words, std::span<const std::byte> body, std::uint32_t bytes) {
    co_return co_await port.link_send(
        link,
        {.channel = LinkChannel::Circuit, .header = std::as_bytes(std::span(&words, 1)), .body = body, .wire_bytes = bytes});
}

// A coroutine's Step must be settled before.
Task<> prepare(NodePort& port) {
    port.charge(port.link_message_cost());
    co_await port.settle();
}

Task<bool> is_ready(NodePort& port, LinkNo link) {
    BootWords words;
    LinkReceived got{.dropped = true};
    while (got.dropped)
        got = co_await port.link_receive(link, LinkChannel::Circuit, {.header = std::as_writable_bytes(std::span(&words, 1))});
    co_await port.settle();
    co_return got.header_bytes == sizeof words&& words.kind == BootWords::Kind::Ready;
}

Task<bool> talk_to(NodePort& port, LinkNo link, const BootCosts& costs, NodeId own, std::span<const BootEntry> block) {
    const std::uint32_t node = own.value();
    co_await prepare(port);
    bool goes_on = co_await say(port, link, {BootWords::Kind::Bootstrap, node, 0}, {}, costs.bootstrap);
    if (!goes_on) co_return false;
    goes_on = co_await is_ready(port, link);
    if (!goes_on) co_return false;
    co_await prepare(port);
    const std::uint64_t clock = port.clock_us(Priority::High) + costs.clock_ahead_us;
    goes_on = co_await say(port, link, {BootWords::Kind::Clock, node, clock}, {}, costs.words);
    if (!goes_on) co_return false;
    const std::vector<std::byte> image(costs.image);
    co_await prepare(port);
    goes_on = co_await say(port, link, {BootWords::Kind::Image, node, 0}, image, costs.image);
    if (!goes_on) co_return false;
    const std::vector<std::byte> body = encode_block(block);
    co_await prepare(port);
    co_return co_await say(port, link, {BootWords::Kind::Block, node, 0}, body,
                           costs.words + static_cast<std::uint32_t>(body.size()));
}

// The report goes to the bootd of the node above, past the router, which may be dumb.
Task<> report(Calls& calls, const BootTask& task, const BootReport& what) {
    Message message{.datalink_event = datalink_event(task.up), .node = task.by, .event = events::boot, .data = encode(what)};
    co_await calls.dsend(message);
}

}  // namespace

std::vector<std::byte> encode_block(std::span<const BootEntry> block) {
    const auto bytes = std::as_bytes(block);
    return {bytes.begin(), bytes.end()};
}

std::vector<BootEntry> decode_block(std::span<const std::byte> body) {
    std::vector<BootEntry> block(body.size() / sizeof(BootEntry));
    if (!block.empty()) std::memcpy(block.data(), body.data(), block.size() * sizeof(BootEntry));
    std::erase_if(block, [](const BootEntry& entry) {
        return !entry.by.fits() || !entry.node.fits() || entry.link < 0 || entry.link > 3;
    });
    return block;
}

std::vector<BootEntry> block_behind(std::span<const BootEntry> block, NodeId root) {
    std::set<NodeWord> behind{NodeWord(root)};
    std::vector<BootEntry> part;
    for (const BootEntry& entry : block) {
        if (!behind.contains(entry.by)) continue;
        behind.insert(entry.node);
        part.push_back(entry);
    }
    return part;
}

Task<bool> boot_neighbour(Calls& calls, LinkNo link, const BootCosts& costs, std::vector<BootEntry> block) {
    NodePort& port = calls.port();
    const auto talk = std::make_shared<Talk>();
    Thread* const waiting = &port.self();
    const NodeId own = calls.node();
    Thread& talker =
        port.spawn_coroutine(Priority::High, [&port, link, costs, own, talk, waiting, block = std::move(block)]() -> Task<> {
            talk->booted = co_await talk_to(port, link, costs, own, block);
            talk->over = true;
            co_await port.wake(waiting);
        });
    const std::uint64_t deadline = port.clock_us(Priority::High) + costs.time_out_us;
    while (!talk->over && port.clock_us(Priority::High) < deadline) co_await port.wait_until_clock(deadline);
    if (!talk->over) port.kill(talker);
    co_return talk->booted;
}

Task<> boot_neighbours(Calls& calls, const BootCosts& costs, std::vector<BootEntry> block,
                       std::function<Task<>(const BootReport&)> told) {
    for (const BootEntry& entry : block) {
        const LinkNo link(static_cast<LinkNo::value_type>(entry.link));
        if (entry.by != NodeWord(calls.node()) || !calls.port().wired(link)) continue;
        const bool booted = co_await boot_neighbour(calls, link, costs, block_behind(block, entry.node.id()));
        co_await told({.what = entry, .booted = booted ? 1 : 0});
    }
}

Task<> bootd(Calls& calls, const BootTask& task) {
    const std::function<Task<>(const BootReport&)> told = [&calls, &task](const BootReport& what) {
        return report(calls, task, what);
    };
    co_await boot_neighbours(calls, task.costs, task.block, told);
    std::vector<std::byte> room;
    while (true) {
        Message message{.event = events::boot, .any_body = &room};
        co_await calls.nrecv(message);
        if (const auto what = decode<BootReport>(message)) {
            co_await report(calls, task, *what);
        } else if (decode<BootOrder>(message)) {
            co_await boot_neighbours(calls, task.costs, decode_block(std::span(room).first(message.length)), told);
        } else {
            calls.kernel().drop("bootd", "an unreadable message");
        }
    }
}

}  // namespace trollius_os::services
