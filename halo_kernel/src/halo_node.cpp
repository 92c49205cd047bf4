#include "halo_node.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include <halo_kernel/neighbours.hpp>

namespace halo_kernel {

using trollius_os::EventNo;
using trollius_os::Message;
using trollius_os::Outcome;

namespace {

// One event for each sender, since a node has several neighbours. A neighbour is at most one exchange ahead, so two numbers
// tell its messages apart. Without that, the next message would be taken for one that was lost.
EventNo event_of(NodeId sender, std::uint32_t exchange) {
    return EventNo(0x48000000 + 2 * sender.value() + static_cast<std::int32_t>(exchange & 1));
}

EventNo end_event_of(NodeId sender) {
    return EventNo(0x49000000 + sender.value());
}

trek_kernel::Bug as_bug(const HaloBug& bug) {
    using trek_kernel::Bug;
    if (bug.kind == BugKind::Crash) return Bug::EarlyEnd;
    if (bug.kind == BugKind::Lose) return Bug::NeverSent;
    return bug.process == Process::Exchange ? Bug::WaitsForEver : Bug::EndlessLoop;
}

Task<> send_whole(Calls& calls, Message& message) {
    Outcome outcome = Outcome::Interrupted;
    while (outcome == Outcome::Interrupted) outcome = co_await calls.nsend(message);  // a signal came before anything was sent
}

}  // namespace

HaloNode::HaloNode(const HaloSetup& setup, NodeId node)
    : setup_(setup),
      node_(node),
      parent_(setup.config.parent(node)),
      children_(setup.config.children(node)),
      neighbours_(neighbours(setup.config, node)),
      cells_(setup.settings.cells) {
    theirs_.assign(neighbours_.size(), std::vector<double>(setup.settings.cells));
}

Task<std::optional<std::uint64_t>> HaloNode::run(Calls& calls) {
    bool goes_on = co_await call(calls, Process::InitialFn, 0);
    if (!goes_on) co_return std::nullopt;
    initialise();
    const std::uint32_t steps = setup_.settings.steps;
    for (std::uint32_t number = 0; number <= steps; ++number) {
        goes_on = co_await exchange(calls, number);
        if (goes_on && number < steps) goes_on = co_await call(calls, Process::StepFn, number);
        if (!goes_on) co_return std::nullopt;
        if (number < steps) diffuse();
    }
    const std::uint64_t sum = co_await end(calls);
    co_return sum;
}

Task<bool> HaloNode::call(Calls& calls, Process process, std::uint32_t step) {
    co_await tell_step(calls, process, step, trek_kernel::Moment::Begin);
    const bool goes_on = co_await survives(calls, process, step);
    if (!goes_on) co_return false;
    co_await calls.compute(setup_.settings.step);
    co_await tell_step(calls, process, step, trek_kernel::Moment::End);
    co_return true;
}

Task<bool> HaloNode::exchange(Calls& calls, std::uint32_t number) {
    const bool goes_on = co_await survives(calls, Process::Exchange, number);
    if (!goes_on) co_return false;
    for (const NodeId to : neighbours_) co_await send(calls, number, to);
    for (std::size_t i = 0; i < neighbours_.size(); ++i) co_await receive(calls, number, neighbours_[i], theirs_[i]);
    co_return true;
}

Task<bool> HaloNode::survives(Calls& calls, Process process, std::uint32_t step) {
    const HaloBug* bug = bug_at(process, step, std::nullopt);
    if (bug == nullptr) co_return true;
    tell_struck(calls, *bug);
    if (bug->kind == BugKind::Crash) co_return false;
    while (process == Process::Exchange) co_await calls.wait();
    while (true) co_await calls.compute(vocabulary::SimTime::s(1));
}

Task<> HaloNode::send(Calls& calls, std::uint32_t number, NodeId to) {
    if (const HaloBug* bug = bug_at(Process::Exchange, number, to)) {
        tell_struck(calls, *bug);
    } else {
        Message message{.node = to,
                        .event = event_of(node_, number),
                        .flags = trollius_os::flags::of(trollius_os::accounts::application) | trollius_os::flags::numbered,
                        .length = message_bytes(),
                        .body = std::as_writable_bytes(std::span(cells_))};
        message.data[0] = static_cast<std::int32_t>(number);
        co_await send_whole(calls, message);
    }
    co_await tell_moved(calls, number, to, true);
}

Task<> HaloNode::receive(Calls& calls, std::uint32_t number, NodeId from, std::vector<double>& into) {
    while (true) {
        Message message{.event = event_of(from, number), .body = std::as_writable_bytes(std::span(into))};
        const Outcome outcome = co_await calls.nrecv(message);
        if (outcome == Outcome::Interrupted) continue;
        const bool whole = outcome == Outcome::Done && message.length == message_bytes();
        if (whole && message.data[0] == static_cast<std::int32_t>(number)) break;
        calls.kernel().drop("halo", "a message of another length or exchange", number, 0);
    }
    co_await tell_moved(calls, number, from, false);
}

// The word that a subtree is done, with its checksum, goes up the tree. It is no recorded event.
Task<std::uint64_t> HaloNode::end(Calls& calls) {
    for (trek_kernel::Witness* witness : setup_.witnesses) witness->on_finished(node_, calls.port().now());
    for (trek_kernel::ProbePoint* probe : setup_.probes) co_await probe->on_finished(calls);
    std::uint64_t sum = checksum(node_, cells_);
    for (const NodeId child : children_) {
        Message message{.event = end_event_of(child)};
        Outcome outcome = Outcome::Interrupted;
        while (outcome != Outcome::Done) outcome = co_await calls.nrecv(message);
        sum += std::bit_cast<std::uint64_t>(std::array{message.data[0], message.data[1]});
    }
    if (!parent_) co_return sum;
    Message message{
        .node = *parent_, .event = end_event_of(node_), .flags = trollius_os::flags::of(trollius_os::accounts::application)};
    const auto words = std::bit_cast<std::array<std::int32_t, 2>>(sum);
    std::copy(words.begin(), words.end(), message.data.begin());
    co_await send_whole(calls, message);
    co_return sum;
}

Task<> HaloNode::tell_moved(Calls& calls, std::uint32_t number, NodeId peer, bool sent) {
    const bool to_parent = sent == (peer == parent_);  // from child to parent
    const trek_kernel::TaskMoved what{node_, peer, sent, to_parent, number, 0, message_bytes()};
    for (trek_kernel::Witness* witness : setup_.witnesses) witness->on_moved(what, calls.port().now());
    for (trek_kernel::ProbePoint* probe : setup_.probes) co_await probe->on_moved(what, calls);
}

Task<> HaloNode::tell_step(Calls& calls, Process process, std::uint32_t step, trek_kernel::Moment moment) {
    const trek_kernel::TaskStep what{node_, as_user_process(process), moment, step, 0};
    for (trek_kernel::Witness* witness : setup_.witnesses) witness->on_step(what, calls.port().now());
    for (trek_kernel::ProbePoint* probe : setup_.probes) co_await probe->on_step(what, calls);
}

const HaloBug* HaloNode::bug_at(Process process, std::uint32_t step, std::optional<NodeId> to) const {
    const auto& bugs = setup_.settings.bugs;
    const auto found = std::find_if(bugs.begin(), bugs.end(), [&](const HaloBug& bug) {
        const bool meant = to ? bug.kind == BugKind::Lose && bug.to == *to : bug.kind != BugKind::Lose;
        return meant && bug.node == node_ && bug.process == process && bug.step == step;
    });
    return found == bugs.end() ? nullptr : &*found;
}

void HaloNode::tell_struck(Calls& calls, const HaloBug& bug) const {
    const auto planted = static_cast<int>(&bug - setup_.settings.bugs.data());
    const trek_kernel::BugStruck what{node_, as_user_process(bug.process), bug.step, 0, static_cast<int>(as_bug(bug)), planted};
    for (trek_kernel::Witness* witness : setup_.witnesses) witness->on_bug(what, calls.port().now());
}

void HaloNode::initialise() {
    for (std::uint32_t cell = 0; cell < cells_.size(); ++cell) cells_[cell] = initial_value(setup_.seed, node_, cell);
}

void HaloNode::diffuse() {
    for (std::size_t cell = 0; cell < cells_.size(); ++cell) {
        double sum = 0;
        for (const auto& one : theirs_) sum += one[cell] - cells_[cell];
        cells_[cell] += diffusion * sum;
    }
}

}  // namespace halo_kernel
