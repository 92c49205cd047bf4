// A thread of a ScNodePort: an Activity that sums its charges, with its work at a link.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include <hw_model/own_stack.hpp>
#include <hw_model/stackless.hpp>
#include <trollius_hosted/sc_node_port.hpp>
#include <vocabulary/contract.hpp>

namespace trollius_hosted {

using coroutines::Task;
using hw_model::Activity;
using hw_model::Demand;
using trollius_os::Thread;
using vocabulary::Cycles;
using vocabulary::LinkNo;

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
    virtual void end_code() = 0;  // destroys it, and gives its place back
    void begin_anew(trollius_os::Priority priority, std::uint32_t its_number) {
        Activity::begin_anew(static_cast<hw_model::Priority>(priority));
        unpaid = {};
        if (at_link) at_link->kind = LinkWork::Kind::None;
        dying = false;
        waits_left = most_waits;
        number = its_number;
    }

    Cycles unpaid;
    std::unique_ptr<LinkWork> at_link;  // of a thread that has used a link
    const bool has_stack;
    bool dying = false;  // end_code() runs: its destructors may call, but nothing happens
    static constexpr int most_waits = 32;
    int waits_left = most_waits;                  // of a dying stack; after them it is given up, because it may wait for ever
    std::uint32_t number = 0;                     // from 1: the owner of its heap blocks
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
    void demand(Demand what) { code_->demand(what); }
    void end_code() override { code_.reset(); }

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
    void demand(Demand what) { code_->demand(what); }
    void wait_in(std::coroutine_handle<> waiting) { code_->wait_in(waiting); }
    void wait_until(const bool& flag) { code_->wait_until(flag); }
    void end_code() override {
        code_.reset();
        give_back_place();
    }

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

inline bool ScNodePort::HostedThread::demand(Demand what) {
    EXPECTS(what.cycles.count() >= 0, "sc_node_port.use.negative");
    if (dying && (!has_stack || waits_left-- > 0)) [[unlikely]]
        return true;
    if (has_stack) {
        static_cast<ThreadWithStack*>(this)->demand(what);  // a dying one does not come back
        return true;
    }
    static_cast<ThreadOfCoroutines*>(this)->demand(what);
    return false;
}

inline bool ScNodePort::HostedThread::wait_until(const bool& flag) {
    if (dying) [[unlikely]]
        return demand({Demand::Kind::Wait, false, {}, {}});
    if (!has_stack) {
        static_cast<ThreadOfCoroutines*>(this)->wait_until(flag);
        return false;
    }
    while (!flag) static_cast<ThreadWithStack*>(this)->demand({Demand::Kind::Wait, false, {}, {}});
    return true;
}

inline ScNodePort::LinkWork& ScNodePort::HostedThread::link_work() {
    if (!at_link) at_link = std::make_unique<LinkWork>();
    return *at_link;
}

}  // namespace trollius_hosted
