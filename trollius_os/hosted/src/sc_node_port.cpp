#include <trollius_hosted/sc_node_port.hpp>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include <hw_model/chronicle.hpp>
#include <hw_model/own_stack.hpp>
#include <hw_model/stackless.hpp>

#include <vocabulary/contract.hpp>

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

// A thread sends or receives one thing at a link at a time. It is taken away when the thread is stopped.
struct ScNodePort::LinkWork {
    enum class Kind : std::uint8_t { None, Send, Receive } kind = Kind::None;
    hw_model::Channel channel{};
    LinkNo number;
    hw_model::LinkEnd* link = nullptr;
    hw_model::LinkMessage message;
    hw_model::LinkReceive request;
};

class ScNodePort::HostedThread : public Thread, public Activity {
public:
    // True: the demand is met. False: the thread waits for it.
    bool demand(Demand what);
    bool wait_until(const bool& flag);
    LinkWork& link_work();

    virtual void clear() = 0;  // its code, frames and stack go
    void begin_anew(trollius_os::Priority priority) {
        Activity::begin_anew(static_cast<hw_model::Priority>(priority));
        unpaid = {};
        look = nullptr;
        if (at_link) at_link->kind = LinkWork::Kind::None;
    }

    Cycles unpaid;
    std::unique_ptr<LinkWork> at_link;  // of a thread that has used a link
    const bool has_stack;
    const std::function<bool()>* look = nullptr;  // while it waits for one
    bool wants_to_wake() override { return look == nullptr || (*look)(); }

protected:
    HostedThread(trollius_os::Priority priority, bool stack)
        : Activity(static_cast<hw_model::Priority>(priority)), has_stack(stack) {}
};

class ScNodePort::ThreadWithStack final : public HostedThread {
public:
    static constexpr bool of_kind = true;
    ThreadWithStack(trollius_os::Priority priority, hw_model::Arena& arena) : HostedThread(priority, of_kind), arena_(arena) {}
    void begin(std::function<void()> code) { code_.emplace(arena_, std::move(code)); }
    void clear() override { code_.reset(); }
    void demand(Demand what) { code_->demand(what); }

private:
    Demand resume() override { return code_->resume(); }
    std::optional<hw_model::OwnStack> code_;
    hw_model::Arena& arena_;
};

class ScNodePort::ThreadOfCoroutines final : public HostedThread {
public:
    static constexpr bool of_kind = false;
    ThreadOfCoroutines(trollius_os::Priority priority, hw_model::Arena& arena)
        : HostedThread(priority, of_kind), arena_(arena) {}
    void begin(std::function<Task<>()> code) {
        if (!arena_.take_place()) throw std::length_error(hw_model::OwnStack::no_place);
        has_place_ = true;
        code_.emplace(std::move(code));
    }
    void clear() override {
        code_.reset();
        give_back_place();
    }
    void demand(Demand what) { code_->demand(what); }
    void wait_in(std::coroutine_handle<> waiting) { code_->wait_in(waiting); }
    void wait_until(const bool& flag) { code_->wait_until(flag); }

private:
    Demand resume() override {
        try {
            const Demand next = code_->resume();
            if (next.kind == Demand::Kind::End) give_back_place();
            return next;
        } catch (...) {  // its code has failed, which ends it
            give_back_place();
            throw;
        }
    }
    void give_back_place() {
        if (std::exchange(has_place_, false)) arena_.give_back_place();
    }
    std::optional<hw_model::Stackless> code_;
    hw_model::Arena& arena_;
    bool has_place_ = false;
};

bool ScNodePort::HostedThread::demand(Demand what) {
    EXPECTS(what.cycles.count() >= 0, "sc_node_port.use.negative");
    if (has_stack) {
        static_cast<ThreadWithStack*>(this)->demand(what);
        return true;
    }
    static_cast<ThreadOfCoroutines*>(this)->demand(what);
    return false;
}

bool ScNodePort::HostedThread::wait_until(const bool& flag) {
    if (!has_stack) {
        static_cast<ThreadOfCoroutines*>(this)->wait_until(flag);
        return false;
    }
    while (!flag) static_cast<ThreadWithStack*>(this)->demand({Demand::Kind::Wait, false, {}, {}});
    return true;
}

ScNodePort::LinkWork& ScNodePort::HostedThread::link_work() {
    if (!at_link) at_link = std::make_unique<LinkWork>();
    return *at_link;
}

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

bool ScNodePort::begin_settle() {
    HostedThread& me = running();
    if (me.unpaid.count() == 0) return true;
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
    return all.count() == 0 || me.demand({Demand::Kind::Use, true, {}, all});
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
    work.kind = LinkWork::Kind::Send;
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
        thread.begin_anew(priority);
        buried_.erase(buried);
        node_.processor.start(thread);
        return thread;
    }
    auto thread = std::make_unique<OfKind>(priority, node_.arena);
    thread->begin(std::move(code));
    threads_.push_back(std::move(thread));
    node_.processor.start(*threads_.back());
    return *threads_.back();
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
    ended.clear();
    buried_.push_back(&ended);
}

void ScNodePort::kill(Thread& thread) {
    auto& stopped = static_cast<HostedThread&>(thread);
    if (LinkWork* work = stopped.at_link.get(); work != nullptr) {
        if (work->kind == LinkWork::Kind::Receive) work->link->withdraw(work->request, work->channel);
        if (work->kind == LinkWork::Kind::Send) work->link->withdraw(work->message);
    }
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
    if (by_itself) wait().get();  // for ever
}

}  // namespace trollius_hosted
