// A NodePort on which nothing runs, for code that only asks what time it is.
#pragma once

#include <deque>
#include <functional>
#include <utility>

#include <trollius_os/api.hpp>

namespace instrumentation_test {

using coroutines::Task;
using trollius_os::LinkChannel;
using trollius_os::LinkPacket;
using trollius_os::LinkReceived;
using trollius_os::LinkRoom;
using vocabulary::Cycles;
using vocabulary::LinkNo;
using vocabulary::SimTime;

class StillPort : public trollius_os::NodePort {
public:
    SimTime time;

    void charge(Cycles) override {}
    trollius_os::Thread& self() override { return thread_; }
    Cycles link_message_cost() const override { return {}; }
    Task<> wait_until_clock(std::uint64_t) override { return {}; }
    Task<> wait_for_event() override { return {}; }
    void move_interrupt_line(bool) override {}
    trollius_os::Thread& spawn(trollius_os::Priority, std::function<void()>) override { return thread_; }
    trollius_os::Thread& spawn_coroutine(trollius_os::Priority, std::function<Task<>()>) override { return thread_; }
    void kill(trollius_os::Thread&) override {}
    Cycles cycles(SimTime) const override { return {}; }
    std::uint64_t clock_us(trollius_os::Priority) const override { return 0; }
    SimTime now() const override { return time; }
    bool wired(LinkNo) const override { return false; }
    bool processor_idle() const override { return true; }
    bool links_idle() const override { return true; }
    SimTime busy(trollius_os::Priority) const override { return {}; }
    trollius_os::LinkTimes link_sending() const override { return {}; }
    bool take_memory(std::uint64_t) override { return true; }
    void give_back_memory(std::uint64_t) override {}
    void* allocate(std::size_t) override { return nullptr; }
    void release(void*) override {}
    std::vector<std::span<std::byte>> allocated_blocks() override { return {}; }
    void crash() override {}

protected:
    bool begin_settle() override { return true; }
    bool begin_compute(Cycles) override { return true; }
    bool begin_wait() override { return true; }
    bool begin_wait_until(const bool&) override { return true; }
    bool begin_link_send(LinkNo, const LinkPacket&) override { return true; }
    bool end_link_send() override { return true; }
    bool begin_link_receive(LinkNo, LinkChannel, const LinkRoom&) override { return true; }
    LinkReceived end_link_receive() override { return {}; }
    bool begin_yield() override { return true; }
    bool begin_wake() override { return true; }
    void wait_in(std::coroutine_handle<>) override {}
    void make_ready(trollius_os::Thread&) override {}

private:
    struct StillThread final : trollius_os::Thread {};
    StillThread thread_;
};

// A kernel with one process that never runs, and its Api.
template <class Port>
class NodeOn {
public:
    NodeOn()
        : kernel_(port, vocabulary::NodeId(0), {}),
          calls(kernel_, *kernel_.create({"still", trollius_os::Priority::Low, 0, 0, [](trollius_os::Api&) {}})) {}
    Port port;

private:
    trollius_os::Kernel kernel_;

public:
    trollius_os::Calls calls;
    trollius_os::Api api{calls};
};
using StillNode = NodeOn<StillPort>;

}  // namespace instrumentation_test
