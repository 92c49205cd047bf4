#include <trollius_hosted/full_boot.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <topologies/end_names.hpp>
#include <trollius_hosted/multicomputer.hpp>
#include <trollius_os/services.hpp>

namespace trollius_hosted {

using coroutines::Task;
using topologies::Network;
using trollius_os::Calls;
using trollius_os::LinkChannel;
using trollius_os::Message;
using trollius_os::Priority;
using trollius_os::services::BootEntry;
using trollius_os::services::BootReport;
using trollius_os::services::BootWords;
using trollius_os::services::RoutesAnswer;
using vocabulary::LinkNo;
using vocabulary::NodeId;

namespace {

std::uint64_t microseconds(const topologies::CostTable& costs, const char* name) {
    return static_cast<std::uint64_t>(costs.time(name).in_us());
}
std::uint32_t bytes_of(const topologies::CostTable& costs, const char* name) {
    return static_cast<std::uint32_t>(costs.get(name, "bytes"));
}
NodeId node_number(std::size_t index) {
    return NodeId(static_cast<NodeId::value_type>(index));
}
LinkNo link_number(std::int32_t number) {
    return LinkNo(static_cast<LinkNo::value_type>(number));
}

}  // namespace

FullBoot::FullBoot(Multicomputer& box, const topologies::CostTable& costs)
    : box_(box),
      costs_{.bootstrap = bytes_of(costs, "boot.bootstrap"),
             .words = bytes_of(costs, "boot.words"),
             .image = bytes_of(costs, "kernel.boot_image"),
             .clock_ahead_us = microseconds(costs, "boot.clock_ahead"),
             .time_out_us = microseconds(costs, "boot.time_out")},
      silence_us_(microseconds(costs, "boot.silence")),
      roms_(box.node_count()),
      parents_(box.node_count() + 1) {}

void FullBoot::begin() {
    for (std::size_t i = 0; i < box_.node_count(); ++i) {
        box_.services(node_number(i)).routes = trollius_os::RouteTable(box_.node_count() + 1);  // comes over the links
        box_.services(node_number(i)).router.smart = false;
        for (std::uint8_t number = 0; number < topologies::links_per_node; ++number) {
            const LinkNo link(number);
            if (!box_.port(node_number(i)).wired(link)) continue;
            roms_[i][number] =
                &box_.port(node_number(i)).spawn_coroutine(Priority::High, [this, i, link] { return boot_rom(i, link); });
        }
    }
    box_.to_boot_ = in_boot_order().size() + 1;
    box_.image_to_.assign(box_.node_count() + 1, std::nullopt);
    box_.start_node(box_.node_count());
    told_.insert(box_.host_id());
    const auto process = [this](const char* name, Task<> (FullBoot::*code)(Calls&)) {
        return box_.host().create({name, Priority::Low, trollius_os::kernel_priority::command,
                                   box_.host().costs().service_stack,
                                   [this, code](Calls& calls) { return (this->*code)(calls); }});
    };
    reporter_ = process("vboot.reports", &FullBoot::take_reports);
    collector_ = process("trout.answers", &FullBoot::take_answers);
    if (reporter_ == nullptr || collector_ == nullptr || process("vboot", &FullBoot::run) == nullptr)
        box_.failure_ = "the host has no room for the processes that boot the nodes; raise host.process_table";
}

// ---- The boot ROM of a node: hardware, before there is a kernel

Task<> FullBoot::receive(std::size_t index, LinkNo link, BootWords& words, std::vector<std::byte>& body) {
    trollius_os::NodePort& port = box_.port(node_number(index));
    trollius_os::LinkReceived got{.dropped = true};
    while (got.dropped) {
        got = co_await port.link_receive(link, LinkChannel::Circuit,
                                         {.header = std::as_writable_bytes(std::span(&words, 1)), .any_body = &body});
    }
    co_await port.settle();
}

void FullBoot::close_other_links(std::size_t index, LinkNo link) {
    for (std::uint8_t other = 0; other < topologies::links_per_node; ++other) {
        trollius_os::Thread* const rom = std::exchange(roms_[index][other], nullptr);
        if (rom != nullptr && LinkNo(other) != link) box_.port(node_number(index)).kill(*rom);
    }
}

// The first link that brings a bootstrap boots the node; the others are closed.
Task<> FullBoot::boot_rom(std::size_t index, LinkNo link) {
    trollius_os::NodePort& port = box_.port(node_number(index));
    BootWords words;
    std::vector<std::byte> body;
    do {
        co_await receive(index, link, words, body);
    } while (words.kind != BootWords::Kind::Bootstrap);
    close_other_links(index, link);
    const BootWords ready{BootWords::Kind::Ready, static_cast<std::uint32_t>(index), 0};
    port.charge(port.link_message_cost());
    co_await port.settle();
    const bool heard = co_await port.link_send(
        link, {.channel = LinkChannel::Circuit, .header = std::as_bytes(std::span(&ready, 1)), .wire_bytes = costs_.words});
    if (!heard) co_return;
    std::optional<std::uint32_t> by;
    while (words.kind != BootWords::Kind::Block) {
        co_await receive(index, link, words, body);
        by = words.node;
        if (words.kind == BootWords::Kind::Clock)  // sttimer takes a word, whatever came
            box_.machine().node(node_number(index)).processor.start_clocks(words.clock_us & UINT32_MAX);
    }
    const NodeId above(static_cast<NodeId::value_type>(*by));
    box_.services(node_number(index)).boot = {
        .by = above, .up = link, .block = trollius_os::services::decode_block(body), .costs = costs_};
    if (const auto& far = box_.machine().network().neighbour(node_number(index), link))
        parents_[index] = Parent{above, far->link};
    box_.start_node(index);
}

// ---- The host's processes

Task<> FullBoot::take_reports(Calls& calls) {
    while (true) {
        Message message{.event = trollius_os::events::boot};
        co_await calls.nrecv(message);
        if (const auto report = trollius_os::decode<BootReport>(message)) note(*report);
        co_await calls.wake(waiting_);
    }
}

// A report that came damaged may name what the machine has not.
void FullBoot::note(const BootReport& report) {
    const NodeId by = report.what.by.id();
    if (by.value() > box_.node_count()) return;
    const auto& far = box_.machine().network().neighbour(by, link_number(report.what.link));
    if (!far || far->node != report.what.node.id()) return;
    ++reports_;
    tried_[{report.what.by.id(), link_number(report.what.link)}] = report.booted != 0;
    if (report.booted != 0) told_.insert(report.what.node.id());
}

Task<> FullBoot::take_answers(Calls& calls) {
    while (true) {
        Message message{.event = calls.process().reply_event()};
        co_await calls.nrecv(message);
        ++answers_;
        if (const auto answer = trollius_os::decode<RoutesAnswer>(message)) tables_[answer->node.id()] = answer->tag;
        co_await calls.wake(waiting_);
    }
}

// Waits until `done`, or until `heard` has not changed for as long as silence may last.
Task<> FullBoot::silence(Calls& calls, const std::function<bool()>& done, const std::uint64_t& heard) {
    const auto clock = [&calls] { return calls.port().clock_us(Priority::High); };
    waiting_ = &calls.port().self();
    while (!done()) {
        const std::uint64_t before = heard, deadline = clock() + silence_us_;
        while (!done() && heard == before && clock() < deadline) co_await calls.port().wait_until_clock(deadline);
        if (heard == before) break;
    }
    waiting_ = nullptr;
}

Task<> FullBoot::run(Calls& calls) {
    for (Entries round = next_round(); !round.empty(); round = next_round()) {
        co_await order(calls, round);
        const std::function<bool()> all = [this, &round] { return has_news_of_all(round); };
        co_await silence(calls, all, reports_);
        for (const BootEntry& entry : round)
            if (told_.contains(entry.by.id())) tried_.try_emplace({entry.by.id(), link_number(entry.link)}, false);
        co_await send_tables(calls);
    }
    box_.host().doom(*reporter_);
    box_.host().doom(*collector_);
    over_ = true;
}

// The host boots its own neighbours. Nodes that are up boot theirs when they are told.
Task<> FullBoot::order(Calls& calls, const Entries& round) {
    std::set<NodeId> above;
    for (const BootEntry& entry : round)
        if (entry.by.id() != box_.host_id() && told_.contains(entry.by.id())) above.insert(entry.by.id());
    for (const NodeId node : above) {
        std::vector<std::byte> body = trollius_os::services::encode_block(trollius_os::services::block_behind(round, node));
        Message message =
            trollius_os::services::request_to(node, trollius_os::events::boot, trollius_os::services::BootOrder{}, body);
        co_await calls.nsend(message);
    }
    const std::function<Task<>(const BootReport&)> told = [this](const BootReport& report) -> Task<> {
        note(report);
        co_return;
    };
    co_await trollius_os::services::boot_neighbours(calls, costs_, round, told);
}

// An entry behind one that failed needs no news of its own.
bool FullBoot::has_news_of_all(const Entries& round) const {
    std::set<NodeId> lost;
    for (const BootEntry& entry : round) {
        const auto tried = tried_.find({entry.by.id(), link_number(entry.link)});
        const bool failed = lost.contains(entry.by.id()) || (tried != tried_.end() && !tried->second);
        if (failed) lost.insert(entry.node.id());
        if (!failed && tried == tried_.end()) return false;
    }
    return true;
}

// Nearest first, so that a table travels over nodes that have theirs.
Task<> FullBoot::send_tables(Calls& calls) {
    const Network network = living();
    box_.services(box_.host_id()).routes = trollius_os::RouteTable(network.routes(box_.host_id()));
    box_.host().forget_routes();
    const auto hops = network.hops(box_.host_id());
    std::vector<std::pair<std::size_t, NodeId>> order;
    for (const NodeId node : told_)
        if (node != box_.host_id() && hops[node.value()]) order.emplace_back(*hops[node.value()], node);
    std::sort(order.begin(), order.end());
    for (const auto& [level, node] : order) {
        std::vector<std::byte> body = trollius_os::services::encode_routes(trollius_os::RouteTable(network.routes(node)));
        Message message = trollius_os::services::request_to(
            node, trollius_os::events::kenyad,
            trollius_os::services::RoutesRequest{.caller = {box_.host_id(), collector_->reply_event()}, .tag = ++sent_}, body);
        co_await calls.nsend(message);
        const std::function<bool()> taken = [this, node = node] { return tables_[node] == sent_; };
        co_await silence(calls, taken, answers_);
        if (!taken()) silent_.insert(node);
    }
    box_.set_network(network);
}

Network FullBoot::living() const {
    Network network(box_.description());
    for (const auto& [link, booted] : tried_)
        if (!booted) network.cut(link.first, link.second);
    for (std::size_t i = 0; i < box_.node_count(); ++i) {
        if (told_.contains(node_number(i))) continue;
        for (std::uint8_t number = 0; number < topologies::links_per_node; ++number)
            network.cut(node_number(i), LinkNo(number));
    }
    return network;
}

// Those that are named in the machine, then the others from the host outwards.
std::vector<NodeId> FullBoot::in_boot_order() const {
    std::vector<NodeId> nodes = box_.description().boot_order;
    const auto hops = box_.machine().network().hops(box_.host_id());
    std::vector<std::pair<std::size_t, NodeId>> others;
    for (std::size_t i = 0; i < box_.node_count(); ++i)
        if (hops[i] && std::find(nodes.begin(), nodes.end(), node_number(i)) == nodes.end())
            others.emplace_back(*hops[i], node_number(i));
    std::sort(others.begin(), others.end());
    for (const auto& [level, node] : others) nodes.push_back(node);
    return nodes;
}

// A node is booted by that of its neighbours that is up first, over a link that has not been tried.
FullBoot::Entries FullBoot::next_round() const {
    const Network& network = box_.machine().network();
    std::vector<NodeId> up{box_.host_id()};
    const std::vector<NodeId> nodes = in_boot_order();
    for (const NodeId node : nodes)
        if (told_.contains(node) && !silent_.contains(node)) up.push_back(node);
    Entries round;
    const auto entry_for = [&](NodeId node) -> std::optional<BootEntry> {
        for (const NodeId by : up) {
            for (std::uint8_t number = 0; number < topologies::links_per_node; ++number) {
                const auto& next = network.neighbour(by, LinkNo(number));
                if (next && next->node == node && !tried_.contains({by, LinkNo(number)})) return BootEntry{by, node, number};
            }
        }
        return std::nullopt;
    };
    std::set<NodeId> planned = told_;
    for (bool grows = true; grows;) {
        grows = false;
        for (const NodeId node : nodes) {
            if (planned.contains(node)) continue;
            const auto entry = entry_for(node);
            if (!entry) continue;
            round.push_back(*entry);
            planned.insert(node);
            up.push_back(node);
            grows = true;
        }
    }
    return round;
}

std::string FullBoot::link_name(NodeId node, LinkNo link) const {
    const auto end = [this](NodeId at, LinkNo its) {
        return topologies::end_name(box_.description(), at == box_.host_id()
                                                            ? topologies::WireEnd(topologies::HostEnd{its})
                                                            : topologies::WireEnd(topologies::NodeLink{at, its}));
    };
    const auto& far = box_.machine().network().neighbour(node, link);
    return end(node, link) + (far ? " - " + end(far->node, far->link) : "");
}

std::vector<std::string> FullBoot::failures() const {
    std::vector<std::string> lines;
    std::vector<NodeId> behind;
    for (const NodeId node : in_boot_order()) {
        if (told_.contains(node) && silent_.contains(node))
            lines.push_back(fmt::format("{} has taken its image, but not its route table", topologies::node_name(node)));
        if (told_.contains(node)) continue;
        std::string links;
        for (const auto& [link, booted] : tried_) {
            const auto& far = box_.machine().network().neighbour(link.first, link.second);
            if (!told_.contains(link.first) || !far || far->node != node) continue;
            links += (links.empty() ? "" : " and ") + link_name(link.first, link.second);
        }
        if (links.empty()) {
            behind.push_back(node);
            continue;
        }
        lines.push_back(
            fmt::format("{} could not be booted: it did not answer through {}", topologies::node_name(node), links));
    }
    if (behind.empty()) return lines;
    lines.push_back(fmt::format("{} could not be booted: no way leads there past {}", topologies::node_list(behind),
                                lines.size() == 1 ? "that node" : "those nodes"));
    return lines;
}

}  // namespace trollius_hosted
