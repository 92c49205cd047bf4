#include <trollius_hosted/sc_node_port.hpp>

#include <algorithm>
#include <utility>

#include <hw_model/chronicle.hpp>
#include <vocabulary/contract.hpp>

#include "hosted_thread.hpp"

namespace trollius_hosted {

using coroutines::Task;
using hw_model::Activity;
using hw_model::Demand;
using trollius_os::LinkChannel;
using trollius_os::LinkReceived;
using trollius_os::Thread;
using vocabulary::Cycles;
using vocabulary::LinkNo;
using vocabulary::SimTime;

ScNodePort::ScNodePort(hw_model::Node& node, hw_model::Timeline& timeline, const hw_model::LinkTiming& link_timing)
    : node_(node), timeline_(timeline), link_cost_(link_timing.setup + link_timing.completion) {}

ScNodePort::~ScNodePort() = default;

ScNodePort::HostedThread& ScNodePort::running() {
    if (dying_ != nullptr && dying_in_code_ == node_.processor.in_code()) [[unlikely]]
        return *dying_;
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

bool ScNodePort::begin_settle() {
    HostedThread& me = running();
    if (me.unpaid.count() == 0 || me.dying) return true;
    if (node_.processor.may_use_at_once()) return settle_at_once(me);
    return me.demand({Demand::Kind::Use, false, {}, std::exchange(me.unpaid, Cycles())});
}

// A function of its own, so that begin_settle() keeps no registers for it.
[[gnu::noinline]] bool ScNodePort::settle_at_once(HostedThread& me) {
    const Cycles cycles = std::exchange(me.unpaid, Cycles());
    return node_.processor.use_at_once(me, cycles) || me.demand({Demand::Kind::Use, false, {}, cycles});
}

bool ScNodePort::begin_compute(Cycles cycles) {
    HostedThread& me = running();
    if (chronicle_ != nullptr) [[unlikely]]
        chronicle_->charge(me, chronicle_->purpose_of(me), trollius_os::computation, cycles);
    const Cycles all = std::exchange(me.unpaid, Cycles()) + cycles;
    return all.count() == 0 || me.dying || me.demand({Demand::Kind::Use, true, {}, all});
}

bool ScNodePort::begin_wait() {
    return running().demand({Demand::Kind::Wait, false, {}, {}});
}

bool ScNodePort::begin_yield() {
    return running().demand({Demand::Kind::Yield, false, {}, {}});
}

bool ScNodePort::begin_wake() {
    return !node_.processor.in_code() || begin_settle();
}

void ScNodePort::wait_in(std::coroutine_handle<> waiting) {
    static_cast<ThreadOfCoroutines&>(running()).wait_in(waiting);  // one with a stack never waits so
}

void ScNodePort::make_ready(Thread& thread) {
    node_.processor.make_ready(static_cast<HostedThread&>(thread));
}

Thread& ScNodePort::self() {
    return running();
}

bool ScNodePort::begin_wait_until(const bool& flag) {
    return flag || running().wait_until(flag);
}

bool ScNodePort::begin_link_send(LinkNo link, const trollius_os::LinkPacket& packet) {
    HostedThread& me = running();
    LinkWork& work = me.link_work();
    if (me.dying) {
        work.message = {};
        return begin_wait();
    }
    work.kind = LinkWork::Kind::Send;
    work.number = link;
    work.message = {.channel = static_cast<hw_model::Channel>(packet.channel),
                    .account = packet.account,
                    .header = packet.header,
                    .body = packet.body,
                    .wire_bytes = packet.wire_bytes,
                    .messages = packet.messages,
                    .pause = packet.pause,
                    .sender = &me};
    work.link = node_.link(link);
    work.link->send(work.message);
    return begin_wait_until(work.message.sent);
}

bool ScNodePort::end_link_send() {
    LinkWork& work = *running().at_link;
    work.kind = LinkWork::Kind::None;
    return !work.message.lost;
}

bool ScNodePort::begin_link_receive(LinkNo link, LinkChannel channel, const trollius_os::LinkRoom& room) {
    HostedThread& me = running();
    LinkWork& work = me.link_work();
    if (me.dying) {
        work.request = {};
        return begin_wait();
    }
    work.kind = LinkWork::Kind::Receive;
    work.request = {.header = room.header, .body = room.body, .any_body = room.any_body, .receiver = &me};
    work.number = link;
    work.link = node_.link(link);
    work.channel = static_cast<hw_model::Channel>(channel);
    work.link->receive(work.request, work.channel);
    return begin_wait_until(work.request.received);
}

LinkReceived ScNodePort::end_link_receive() {
    LinkWork& work = *running().at_link;
    const hw_model::LinkReceive& request = work.request;
    if (damage_ && !damage_arrived(work.number, work.request)) return {.dropped = true};
    work.kind = LinkWork::Kind::None;
    // A datalink process takes packets of all sorts; its next work is for this one.
    if (chronicle_ != nullptr && work.channel == hw_model::Channel::Datalink)
        on_behalf_of(vocabulary::in_transit(request.account));
    charge(link_cost_ * request.messages);
    return {request.header_bytes, request.body_bytes, request.messages, request.account, request.arrived};
}

bool ScNodePort::damage_arrived(LinkNo link, hw_model::LinkReceive& request) {
    const std::span<std::byte> body = request.any_body != nullptr ? std::span(*request.any_body) : request.body;
    return damage_(link, request.header.first(std::min<std::size_t>(request.header_bytes, request.header.size())),
                   body.first(std::min<std::size_t>(request.body_bytes, body.size())));
}

Task<> ScNodePort::wait_until_clock(std::uint64_t clock_us) {
    HostedThread& me = running();
    co_await settle();
    node_.processor.wake_at_clock_us(clock_us, me);
    co_await wait();
    node_.processor.cancel_timer(me);
}

Task<> ScNodePort::wait_for_look(std::uint64_t period_us, const std::function<bool()>& wanted) {
    HostedThread& me = running();
    co_await settle();
    const auto look_later = [&] { node_.processor.wake_at_clock_us(clock_us(trollius_os::Priority::High) + period_us, me); };
    const std::function<bool()> look = [&] {
        const bool now = wanted();
        if (!now) look_later();
        return now;
    };
    me.look = &look;
    look_later();
    co_await wait();
    me.look = nullptr;
    node_.processor.cancel_timer(me);
}

Task<> ScNodePort::wait_for_event() {
    HostedThread& me = running();
    co_await settle();
    if (me.dying) co_return co_await wait();
    node_.event.receive(me);
    while (node_.event.waiting(me)) co_await wait();
}

void ScNodePort::move_interrupt_line(bool up) {
    EXPECTS(interrupt_line_ != nullptr, "sc_node_port.no_interrupt_line");
    interrupt_line_(up);
}

// In a thread of the same kind whose process has ended, if there is one.
template <class OfKind, class Code>
Thread& ScNodePort::start(trollius_os::Priority priority, Code code) {
    const auto buried =
        std::find_if(buried_.begin(), buried_.end(), [](const auto* t) { return t->has_stack == OfKind::of_kind; });
    if (buried != buried_.end()) {
        auto& thread = static_cast<OfKind&>(**buried);
        thread.begin(std::move(code));
        thread.begin_anew(priority, ++numbers_);
        buried_.erase(buried);
        node_.processor.start(thread);
        return thread;
    }
    auto made = std::make_unique<OfKind>(priority, node_.arena);
    made->begin(std::move(code));
    HostedThread& thread = *threads_.emplace_back(std::move(made));
    thread.number = ++numbers_;
    node_.processor.start(thread);  // an idle processor runs it at once, and it may spawn others
    return thread;
}

Thread& ScNodePort::spawn(trollius_os::Priority priority, std::function<void()> code) {
    return start<ThreadWithStack>(priority, std::move(code));
}

Thread& ScNodePort::spawn_coroutine(trollius_os::Priority priority, std::function<Task<>()> code) {
    if (stacks_for_all_) return spawn(priority, [code = std::move(code)] { code().get(); });
    return start<ThreadOfCoroutines>(priority, std::move(code));
}

void ScNodePort::bury(Thread& thread) {
    auto& ended = static_cast<HostedThread&>(thread);
    if (!ended.ended()) kill(ended);
    ended.end_code();
    buried_.push_back(&ended);
}

void ScNodePort::kill(Thread& thread) {
    auto& stopped = static_cast<HostedThread&>(thread);
    node_.processor.stop(stopped);  // first, so that nothing below wakes it
    if (LinkWork* work = stopped.at_link.get(); work != nullptr) {
        if (work->kind == LinkWork::Kind::Receive) work->link->withdraw(work->request, work->channel);
        if (work->kind == LinkWork::Kind::Send) work->link->withdraw(work->message);
    }
    node_.event.withdraw(stopped);
    stopped.dying = true;
    HostedThread* const outer = std::exchange(dying_, &stopped);  // whose destructor kills this one
    const bool outer_in_code = std::exchange(dying_in_code_, node_.processor.in_code());
    stopped.end_code();
    dying_ = outer;
    dying_in_code_ = outer_in_code;
    stopped.look = nullptr;
    node_.arena.release_all_of(stopped.number);
}

Doing ScNodePort::doing(const Thread& thread) const {
    const auto& asked = static_cast<const HostedThread&>(thread);
    if (asked.computing()) return {Doing::What::Uses};
    const LinkWork* work = asked.at_link.get();
    if (work == nullptr || work->kind == LinkWork::Kind::None) return {Doing::What::Waits};
    return {work->kind == LinkWork::Kind::Send ? Doing::What::Sends : Doing::What::Receives, work->number};
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
std::uint64_t ScNodePort::memory_bytes() const {
    return node_.arena.ram_bytes();
}
std::uint64_t ScNodePort::memory_used() const {
    return node_.arena.used_bytes();
}
bool ScNodePort::take_memory(std::uint64_t bytes) {
    return node_.arena.take(bytes);
}
void ScNodePort::give_back_memory(std::uint64_t bytes) {
    node_.arena.give_back(bytes);
}
void* ScNodePort::allocate(std::size_t bytes) {
    const bool by_thread = node_.processor.in_code() || dying_ != nullptr;
    return node_.arena.allocate(bytes, by_thread ? running().number : 0);
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
    if (by_itself) wait().get();  // for ever
}

}  // namespace trollius_hosted
