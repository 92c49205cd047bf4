// ScNodePort: the kernel's NodePort on a modelled Node. Each Thread is an Activity, which sums its charges and pays them before
// its next act. Its code is a coroutine, or has a stack of its own.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <hw_model/node.hpp>
#include <trollius_os/node_port.hpp>

namespace trollius_hosted {

// The effect of a bad link on an arrived message: it changes bytes, or drops the message (false).
using LinkDamage = std::function<bool(vocabulary::LinkNo link, std::span<std::byte> header, std::span<std::byte> body)>;

// The present act of a thread.
struct Doing {
    enum class What { Uses, Waits, Sends, Receives };  // the processor; anything; over a link
    What what = What::Waits;
    vocabulary::LinkNo link{};  // for Sends and Receives
};

class ScNodePort final : public trollius_os::NodePort {
public:
    ScNodePort(hw_model::Node& node, hw_model::Timeline& timeline, const hw_model::LinkTiming& link_timing);
    ~ScNodePort() override;

    void set_damage(LinkDamage damage) { damage_ = std::move(damage); }
    // `line`: the function that moves the interrupt line, for the interrupt master.
    void set_interrupt_line(std::function<void(bool up)> line) { interrupt_line_ = std::move(line); }

    void charge(vocabulary::Cycles cycles) override;
    void charge_for(trollius_os::Account account, vocabulary::Cycles cycles, std::uint8_t what = 0) override;
    void on_behalf_of(trollius_os::Account account) override;
    trollius_os::Thread& self() override;
    vocabulary::Cycles link_message_cost() const override { return link_cost_; }
    coroutines::Task<> wait_until_clock(std::uint64_t clock_us) override;
    coroutines::Task<> wait_for_look(std::uint64_t period_us, const std::function<bool()>& wanted) override;
    coroutines::Task<> wait_for_event() override;
    void move_interrupt_line(bool up) override;

    trollius_os::Thread& spawn(trollius_os::Priority priority, std::function<void()> code) override;
    trollius_os::Thread& spawn_coroutine(trollius_os::Priority priority, std::function<coroutines::Task<>()> code) override;
    void kill(trollius_os::Thread& thread) override;
    void bury(trollius_os::Thread& thread) override;
    std::size_t threads() const { return threads_.size(); }  // made so far; each serves one process after the other
    vocabulary::Cycles cycles(vocabulary::SimTime stated) const override;
    vocabulary::SimTime lasts(vocabulary::SimTime stated) const override;
    std::uint64_t clock_us(trollius_os::Priority priority) const override;
    vocabulary::SimTime now() const override;
    bool wired(vocabulary::LinkNo link) const override;
    bool processor_idle() const override;
    bool links_idle() const override;
    vocabulary::SimTime busy(trollius_os::Priority priority) const override;
    trollius_os::LinkTimes link_sending() const override;
    std::uint64_t memory_bytes() const override;
    std::uint64_t memory_used() const override;
    bool take_memory(std::uint64_t bytes) override;
    void give_back_memory(std::uint64_t bytes) override;
    void* allocate(std::size_t bytes) override;
    void release(void* block) override;
    std::vector<std::span<std::byte>> allocated_blocks() override;
    void crash() override;

    // Reports every charge with its purpose to the Chronicle from now on.
    void attach(hw_model::Chronicle* chronicle) { chronicle_ = chronicle; }

    Doing doing(const trollius_os::Thread& thread) const;  // one of this node

    // Every thread from now on has a stack of its own, for the code of a user who blocks in the process that calls it.
    void give_stacks_to_all() { stacks_for_all_ = true; }

private:
    struct LinkWork;
    class HostedThread;
    class ThreadWithStack;
    class ThreadOfCoroutines;

    bool begin_settle() override;
    bool begin_compute(vocabulary::Cycles cycles) override;
    bool begin_wait() override;
    bool begin_wait_until(const bool& flag) override;
    bool begin_link_send(vocabulary::LinkNo link, const trollius_os::LinkPacket& packet) override;
    bool end_link_send() override;
    bool begin_link_receive(vocabulary::LinkNo link, trollius_os::LinkChannel channel,
                            const trollius_os::LinkRoom& room) override;
    trollius_os::LinkReceived end_link_receive() override;
    bool begin_yield() override;
    bool begin_wake() override;
    void wait_in(std::coroutine_handle<> waiting) override;
    void make_ready(trollius_os::Thread& thread) override;

    HostedThread& running();
    bool settle_at_once(HostedThread& me);
    template <class OfKind, class Code>
    trollius_os::Thread& start(trollius_os::Priority priority, Code code);
    void note(HostedThread& thread, vocabulary::Cycles cycles);
    bool damage_arrived(vocabulary::LinkNo link, hw_model::LinkReceive& request);

    hw_model::Node& node_;
    hw_model::Timeline& timeline_;
    hw_model::Chronicle* chronicle_ = nullptr;
    LinkDamage damage_;
    std::function<void(bool up)> interrupt_line_;
    vocabulary::Cycles link_cost_;  // set-up and completion of one link message at one end
    bool stacks_for_all_ = false;
    std::vector<std::unique_ptr<HostedThread>> threads_;
    // The thread whose code kill() destroys now. Its destructors run in the code of another thread, or outside of all.
    HostedThread* dying_ = nullptr;
    bool dying_in_code_ = false;
    std::vector<HostedThread*> buried_;  // free for another process
    std::uint32_t numbers_ = 0;          // given to threads so far
};

}  // namespace trollius_hosted
