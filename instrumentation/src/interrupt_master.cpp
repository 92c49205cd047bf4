#include <instrumentation/interrupt_master.hpp>

#include <algorithm>
#include <utility>

#include <instrumentation/accounts.hpp>
#include <instrumentation/monctrl.hpp>

namespace instrumentation {

using trollius_os::Api;
using trollius_os::Message;
using trollius_os::Priority;

void InterruptMaster::monmaster(Api& api) {
    if (std::exchange(loaded_, true)) return api.kernel().drop("monmaster", "a second interrupt master");
    const trollius_os::Process* controller = api.kernel().create(
        {"monmaster.controller", Priority::High, 0, api.kernel().costs().service_stack, [this](Api& its) { control(its); }});
    if (controller == nullptr) return api.kernel().drop("monmaster", "no room for the controller");
    api.port().on_behalf_of(accounts::interrupt);
    while (true) command(api);
}

void InterruptMaster::command(Api& api) {
    Message message{.event = events::monmaster};
    api.nrecv(message);
    const auto command = decode_command(message);
    if (!command || command->what == Control::Classes) return api.kernel().drop("monmaster", "a damaged command");
    on_ = command->what == Control::Begin;
    if (on_) start(api);
    if (command->what != Control::Quit) answer_command(api, *command);
}

void InterruptMaster::start(Api& api) {
    api.port().settle();
    const std::uint64_t now = api.port().clock_us(Priority::High);
    if (!std::exchange(has_begun_, true)) began_us_ = now;
    next_ = std::max(next_, (now - began_us_ + period_us_ - 1) / period_us_);
    if (controller_ != nullptr) api.port().wake(*controller_);
}

void InterruptMaster::control(Api& api) {
    controller_ = &api.port().self();
    api.port().on_behalf_of(accounts::interrupt);
    while (true) {
        if (!on_ || costs_.probes_off) {
            api.port().wait();
        } else if (api.port().clock_us(Priority::High) < next_us()) {
            api.port().wait_until_clock(next_us());
        } else {
            raise(api);
        }
    }
}

// The line stays up for the time it takes to raise it.
void InterruptMaster::raise(Api& api) {
    const std::uint64_t late = (api.port().clock_us(Priority::High) - next_us()) / period_us_;
    const auto number = static_cast<std::uint32_t>(next_ + late);
    next_ = number + 1ULL;
    api.port().move_interrupt_line(true);
    if (own_ != nullptr) own_->interrupted(api, number);
    charged_ += costs_.interrupt;
    api.charge_for(accounts::interrupt, costs_.interrupt);
    api.port().move_interrupt_line(false);
}

}  // namespace instrumentation
