#include <trollius_hosted/sc_node_port.hpp>

#include <algorithm>
#include <utility>

#include <hw_model/chronicle.hpp>

#include <vocabulary/contract.hpp>

namespace trollius_hosted {

using hw_model::Activity;
using trollius_os::LinkChannel;
using trollius_os::LinkReceived;
using trollius_os::Thread;
using vocabulary::Cycles;
using vocabulary::LinkNo;
using vocabulary::SimTime;

class ScNodePort::HostedThread final : public Thread, public hw_model::Fiber {
public:
    using Fiber::Fiber;
    Cycles unpaid;
    // The receive it waits for at a link, to be taken away when the thread is stopped.
    hw_model::LinkReceive* request = nullptr;
    hw_model::LinkMessage* message = nullptr;  // or the message it sends there
    hw_model::LinkEnd* link = nullptr;
    hw_model::Channel channel{};
    const std::function<bool()>* look = nullptr;  // while it waits for one
    bool wants_to_wake() override { return look == nullptr || (*look)(); }
};

ScNodePort::ScNodePort(hw_model::Node& node, hw_model::Timeline& timeline, const hw_model::LinkTiming& link_timing)
    : node_(node), timeline_(timeline), link_cost_(link_timing.setup + link_timing.completion) {}

ScNodePort::~ScNodePort() = default;

ScNodePort::HostedThread& ScNodePort::running() {
    // Every Activity of a Node with a kernel is one of ours.
    EXPECTS(node_.processor.running() != nullptr, "sc_node_port.outside_a_process");
    return static_cast<HostedThread&>(const_cast<Activity&>(*node_.processor.running()));
}

// Cycles charged without a purpose count for the purpose of the process.
void ScNodePort::note(HostedThread& thread, Cycles cycles) {
    chronicle_->charge(thread, chronicle_->purpose_of(thread), 0, cycles);
}

void ScNodePort::charge(Cycles cycles) {
    HostedThread& me = running();
    me.unpaid += cycles;
    if (chronicle_ != nullptr) [[unlikely]]
        note(me, cycles);
}

void ScNodePort::charge_for(trollius_os::Account account, Cycles cycles, std::uint8_t what) {
    HostedThread& me = running();
    me.unpaid += cycles;
    if (chronicle_ == nullptr) return;
    if (account == trollius_os::accounts::system) return note(me, cycles);
    chronicle_->charge(me, account, what, cycles);
}

void ScNodePort::on_behalf_of(trollius_os::Account account) {
    if (chronicle_ != nullptr) [[unlikely]]
        chronicle_->set_purpose(running(), account);
}

void ScNodePort::settle() {
    HostedThread& me = running();
    if (me.unpaid.count() == 0) return;
    if (node_.processor.may_use_at_once()) return settle_at_once(me);
    me.use(std::exchange(me.unpaid, Cycles()));
}

// A function of its own, so that settle() keeps no registers for it.
[[gnu::noinline]] void ScNodePort::settle_at_once(HostedThread& me) {
    const Cycles cycles = std::exchange(me.unpaid, Cycles());
    if (!node_.processor.use_at_once(me, cycles)) me.use(cycles);
}

void ScNodePort::compute(Cycles cycles) {
    HostedThread& me = running();
    if (chronicle_ != nullptr) [[unlikely]]
        chronicle_->charge(me, chronicle_->purpose_of(me), trollius_os::computation, cycles);
    me.use(std::exchange(me.unpaid, Cycles()) + cycles, true);
}

void ScNodePort::wait() {
    running().wait();
}

void ScNodePort::yield() {
    settle();
    running().yield();
}

Thread& ScNodePort::self() {
    return running();
}

bool ScNodePort::link_send(LinkNo link, const trollius_os::LinkPacket& packet) {
    HostedThread& me = running();
    charge(link_cost_ * packet.messages);  // set-up now and completion after it, in one piece
    settle();
    hw_model::LinkMessage message{.channel = static_cast<hw_model::Channel>(packet.channel),
                                  .account = packet.account,
                                  .header = packet.header,
                                  .body = packet.body,
                                  .wire_bytes = packet.wire_bytes,
                                  .messages = packet.messages,
                                  .pause = packet.pause,
                                  .sender = &me};
    me.message = &message;
    me.link = node_.link(link);
    me.link->send(message);
    while (!message.sent) me.wait();
    me.message = nullptr;
    return !message.lost;
}

LinkReceived ScNodePort::link_receive(LinkNo link, LinkChannel channel, const trollius_os::LinkRoom& room) {
    HostedThread& me = running();
    settle();
    hw_model::LinkReceive request{.header = room.header, .body = room.body, .any_body = room.any_body, .receiver = &me};
    me.request = &request;
    me.link = node_.link(link);
    me.channel = static_cast<hw_model::Channel>(channel);
    do {
        me.link->receive(request, me.channel);
        while (!request.received) me.wait();
    } while (damage_ && !damage_arrived(link, request));
    me.request = nullptr;
    // A datalink process takes packets of all sorts; its next work is for this one.
    if (chronicle_ != nullptr && channel == LinkChannel::Datalink) on_behalf_of(vocabulary::in_transit(request.account));
    charge(link_cost_ * request.messages);
    return {request.header_bytes, request.body_bytes, request.messages, request.account, request.arrived};
}

bool ScNodePort::damage_arrived(LinkNo link, hw_model::LinkReceive& request) {
    const std::span<std::byte> body = request.any_body != nullptr ? std::span(*request.any_body) : request.body;
    return damage_(link, request.header.first(std::min<std::size_t>(request.header_bytes, request.header.size())),
                   body.first(std::min<std::size_t>(request.body_bytes, body.size())));
}

void ScNodePort::wait_until_clock(std::uint64_t clock_us) {
    HostedThread& me = running();
    settle();
    node_.processor.wake_at_clock_us(clock_us, me);
    me.wait();
    node_.processor.cancel_timer(me);
}

void ScNodePort::wait_for_look(std::uint64_t period_us, const std::function<bool()>& wanted) {
    HostedThread& me = running();
    settle();
    const auto look_later = [&] { node_.processor.wake_at_clock_us(clock_us(trollius_os::Priority::High) + period_us, me); };
    const std::function<bool()> look = [&] {
        const bool now = wanted();
        if (!now) look_later();
        return now;
    };
    me.look = &look;
    look_later();
    me.wait();
    me.look = nullptr;
    node_.processor.cancel_timer(me);
}

void ScNodePort::wait_for_event() {
    HostedThread& me = running();
    settle();
    node_.event.receive(me);
    while (node_.event.waiting(me)) me.wait();
}

void ScNodePort::move_interrupt_line(bool up) {
    EXPECTS(interrupt_line_ != nullptr, "sc_node_port.no_interrupt_line");
    settle();
    interrupt_line_(up);
}

Thread& ScNodePort::spawn(trollius_os::Priority priority, std::function<void()> code) {
    threads_.push_back(std::make_unique<HostedThread>(static_cast<hw_model::Priority>(priority), node_.arena, std::move(code)));
    node_.processor.start(*threads_.back());
    return *threads_.back();
}

void ScNodePort::wake(Thread& thread) {
    if (node_.processor.in_code()) settle();
    node_.processor.make_ready(static_cast<HostedThread&>(thread));
}

void ScNodePort::kill(Thread& thread) {
    auto& stopped = static_cast<HostedThread&>(thread);
    if (stopped.request != nullptr) stopped.link->withdraw(*stopped.request, stopped.channel);
    if (stopped.message != nullptr) stopped.link->withdraw(*stopped.message);
    node_.event.withdraw(stopped);
    node_.processor.stop(stopped);
}

Cycles ScNodePort::cycles(SimTime stated) const {
    return hw_model::stated_cycles(stated);
}
SimTime ScNodePort::lasts(SimTime stated) const {
    return node_.processor.lasts(stated);
}
std::uint64_t ScNodePort::clock_us(trollius_os::Priority priority) const {
    return node_.processor.clock_us(static_cast<hw_model::Priority>(priority));
}
SimTime ScNodePort::now() const {
    return timeline_.now();
}
bool ScNodePort::wired(LinkNo link) const {
    return node_.link(link) != nullptr;
}
bool ScNodePort::processor_idle() const {
    return node_.processor.low_priority_idle();
}
bool ScNodePort::links_idle() const {
    return node_.links_idle();
}
SimTime ScNodePort::busy(trollius_os::Priority priority) const {
    const hw_model::ProcessorTotals totals = node_.processor.totals();
    return priority == trollius_os::Priority::High ? totals.high_busy : totals.low_busy;
}
trollius_os::LinkTimes ScNodePort::link_sending() const {
    trollius_os::LinkTimes times;
    for (std::size_t link = 0; link < times.size(); ++link) {
        if (const hw_model::LinkEnd* end = node_.link(LinkNo(static_cast<std::uint8_t>(link))))
            times[link] = end->sending_time();
    }
    return times;
}
bool ScNodePort::take_memory(std::uint64_t bytes) {
    return node_.arena.take(bytes);
}
void ScNodePort::give_back_memory(std::uint64_t bytes) {
    node_.arena.give_back(bytes);
}
void* ScNodePort::allocate(std::size_t bytes) {
    return node_.arena.allocate(bytes);
}
void ScNodePort::release(void* block) {
    node_.arena.release(block);
}
std::vector<std::span<std::byte>> ScNodePort::allocated_blocks() {
    return node_.arena.allocated_blocks();
}

void ScNodePort::crash() {
    const bool by_itself = node_.processor.in_code();
    node_.crash();
    if (by_itself) running().wait();  // for ever
}

}  // namespace trollius_hosted
