// A NodePort on which nothing runs, for code that only asks what time it is.
#pragma once

#include <deque>
#include <functional>
#include <utility>

#include <trollius_os/api.hpp>

namespace instrumentation_test {

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
    void settle() override {}
    void compute(Cycles) override {}
    void wait() override {}
    void yield() override {}
    trollius_os::Thread& self() override { return thread_; }
    bool link_send(LinkNo, const LinkPacket&) override { return true; }
    LinkReceived link_receive(LinkNo, LinkChannel, const LinkRoom&) override { return {}; }
    Cycles link_message_cost() const override { return {}; }
    void wait_until_clock(std::uint64_t) override {}
    void wait_for_event() override {}
    void move_interrupt_line(bool) override {}
    trollius_os::Thread& spawn(trollius_os::Priority, std::function<void()>) override { return thread_; }
    void wake(trollius_os::Thread&) override {}
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
          api(kernel_, *kernel_.create({"still", trollius_os::Priority::Low, 0, 0, [](trollius_os::Api&) {}})) {}
    Port port;

private:
    trollius_os::Kernel kernel_;

public:
    trollius_os::Api api;
};
using StillNode = NodeOn<StillPort>;

}  // namespace instrumentation_test
