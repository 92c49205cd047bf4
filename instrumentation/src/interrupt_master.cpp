#include <instrumentation/interrupt_master.hpp>

#include <algorithm>
#include <utility>

#include <instrumentation/accounts.hpp>
#include <instrumentation/monctrl.hpp>

namespace instrumentation {

using coroutines::Task;
using trollius_os::Calls;
using trollius_os::Message;
using trollius_os::Priority;

Task<> InterruptMaster::monmaster(Calls& calls) {
    if (std::exchange(loaded_, true)) co_return calls.kernel().drop("monmaster", "a second interrupt master");
    const trollius_os::Process* controller = calls.kernel().create({.name = "monmaster.controller",
                                                                    .priority = Priority::High,
                                                                    .stack_bytes = calls.kernel().costs().service_stack,
                                                                    .code = [this](Calls& its) { return control(its); },
                                                                    .thread_of = &calls.process()});
    if (controller == nullptr) co_return calls.kernel().drop("monmaster", "no room for the controller");
    calls.port().on_behalf_of(accounts::interrupt);
    while (true) co_await command(calls);
}

Task<> InterruptMaster::command(Calls& calls) {
    Message message{.event = events::monmaster};
    const trollius_os::Outcome got = co_await calls.nrecv(message);
    if (got == trollius_os::Outcome::Interrupted) co_return;
    const auto command = decode_command(message);
    if (!command || command->what == Control::Classes) co_return calls.kernel().drop("monmaster", "a damaged command");
    on_ = command->what == Control::Begin;
    if (on_) co_await start(calls);
    if (command->what != Control::Quit) co_await answer_command(calls, *command);
}

Task<> InterruptMaster::start(Calls& calls) {
    co_await calls.settle();
    const std::uint64_t now = calls.port().clock_us(Priority::High);
    if (!std::exchange(has_begun_, true)) began_us_ = now;
    next_ = std::max(next_, (now - began_us_ + period_us_ - 1) / period_us_);
    if (controller_ != nullptr) co_await calls.wake(controller_);
}

Task<> InterruptMaster::control(Calls& calls) {
    controller_ = &calls.port().self();
    calls.port().on_behalf_of(accounts::interrupt);
    while (true) {
        if (!on_ || costs_.probes_off) {
            co_await calls.wait();
        } else if (calls.port().clock_us(Priority::High) < next_us()) {
            co_await calls.port().wait_until_clock(next_us());
        } else {
            co_await raise(calls);
        }
    }
}

// The line stays up for the time it takes to raise it.
Task<> InterruptMaster::raise(Calls& calls) {
    const std::uint64_t late = (calls.port().clock_us(Priority::High) - next_us()) / period_us_;
    const auto number = static_cast<std::uint32_t>(next_ + late);
    next_ = number + 1ULL;
    co_await calls.settle();
    calls.port().move_interrupt_line(true);
    if (own_ != nullptr) co_await own_->interrupted(calls, number);
    charged_ += costs_.interrupt;
    calls.charge_for(accounts::interrupt, costs_.interrupt);
    co_await calls.settle();
    calls.port().move_interrupt_line(false);
}

}  // namespace instrumentation
