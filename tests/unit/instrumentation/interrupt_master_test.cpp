// The program that raises the global interrupt, on a port on which time passes as the test says.
#include <instrumentation/interrupt_master.hpp>

#include <gmock/gmock.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <instrumentation/message_seal.hpp>
#include <instrumentation/monctrl.hpp>

#include "still_port.hpp"

namespace {

using instrumentation::Control;
using instrumentation::InterruptMaster;
using testing::ElementsAre;
using testing::IsEmpty;
using trollius_os::Api;
using trollius_os::Message;
using vocabulary::SimTime;

struct NothingMore {};  // ends a program that goes on for ever

// Each wait of the running process is the next step of the test.
class SteppedPort : public instrumentation_test::StillPort {
public:
    std::deque<std::function<void()>> steps;
    std::vector<std::function<void()>> spawned;
    std::uint64_t now_us = 1000;
    std::vector<std::uint64_t> raised_us;  // when the line went up

    coroutines::Task<> wait_until_clock(std::uint64_t us) override {
        if (steps.empty()) throw NothingMore{};
        now_us = std::max(now_us, us);
        begin_wait();
        return {};
    }
    std::uint64_t clock_us(trollius_os::Priority) const override { return now_us; }
    void move_interrupt_line(bool up) override {
        if (up) raised_us.push_back(now_us);
    }
    trollius_os::Thread& spawn(trollius_os::Priority priority, std::function<void()> code) override {
        spawned.push_back(std::move(code));
        return StillPort::spawn(priority, {});
    }
    trollius_os::Thread& spawn_coroutine(trollius_os::Priority priority, std::function<coroutines::Task<>()> code) override {
        return spawn(priority, [code = std::move(code)] { code().get(); });
    }

private:
    bool begin_wait() override {
        if (steps.empty()) throw NothingMore{};
        const auto step = std::move(steps.front());
        steps.pop_front();
        step();
        return true;
    }
    bool begin_wait_until(const bool& flag) override {
        while (!flag) begin_wait();
        return true;
    }
};

class MasterOfInterrupts : public testing::Test, private trollius_os::Witness {
protected:
    MasterOfInterrupts() : kernel(port, vocabulary::NodeId(0), kernel_costs()), master(costs(), settings(), nullptr) {
        kernel.add_witness(*this);
        program.emplace(kernel, process("monmaster"));
        host.emplace(kernel, process("host"));
    }
    void on_dropped(const trollius_os::MessageDropped& dropped) override {
        drops.push_back(std::string(dropped.where) + ": " + dropped.why);
    }
    static trollius_os::KernelCosts kernel_costs() {
        trollius_os::KernelCosts costs{};
        costs.copy_bytes_per_us = 10;
        return costs;
    }
    static instrumentation::MonitorCosts costs() {
        instrumentation::MonitorCosts costs{};
        costs.interrupt = SimTime::us(4);
        return costs;
    }
    static instrumentation::MonitorSettings settings() {
        instrumentation::MonitorSettings settings;
        settings.interrupt_period = SimTime::us(100);
        return settings;
    }
    trollius_os::Process& process(const char* name) {
        return *kernel.create({name, trollius_os::Priority::High, 0, 0, [](Api&) {}});
    }
    static Message command(Control what) {
        Message message{.event = instrumentation::events::monmaster, .data = {static_cast<std::int32_t>(what)}};
        instrumentation::seal(message);
        return message;
    }
    // Runs the program until it waits for another command, or for somebody to take the answer to the last.
    void give(const std::vector<Message>& commands, InterruptMaster& to) {
        for (const Message& one : commands) {
            port.steps.emplace_back([this] {  // it asks whether the command is in a buffer
                Message asked{.event = trollius_os::events::bufferd};
                host->krecv(asked, false).get();
            });
            port.steps.emplace_back([this, message = one]() mutable { host->ksend(message, false).get(); });
        }
        EXPECT_THROW(to.monmaster(*program).get(), NothingMore);
    }
    void give(const std::vector<Message>& commands) { give(commands, master); }
    // Runs the controller until it has waited as often as there are steps.
    void let_controller_run(std::deque<std::function<void()>> steps) {
        port.steps = std::move(steps);
        EXPECT_THROW(port.spawned[controller](), NothingMore);
    }
    static constexpr std::size_t controller = 2;  // behind the program and the host

    SteppedPort port;
    trollius_os::Kernel kernel;
    std::vector<std::string> drops;
    InterruptMaster master;
    std::optional<trollius_os::Calls> program, host;
};

}  // namespace

TEST_F(MasterOfInterrupts, IsLoadedOnce) {
    give({});
    master.monmaster(*program).get();
    EXPECT_THAT(drops, ElementsAre("monmaster: a second interrupt master"));
}

TEST_F(MasterOfInterrupts, DropsACommandThatIsDamagedOrNoneOfItsOwn) {
    Message damaged = command(Control::Begin);
    damaged.data[0] = static_cast<std::int32_t>(Control::Quit);
    give({damaged, command(Control::Classes)});
    EXPECT_THAT(drops, ElementsAre("monmaster: a damaged command", "monmaster: a damaged command"));
    let_controller_run({});
    EXPECT_THAT(port.raised_us, IsEmpty());
}

TEST_F(MasterOfInterrupts, RaisesNothingAfterQuit) {
    give({command(Control::Quit)});
    EXPECT_THAT(drops, IsEmpty());
    let_controller_run({});
    EXPECT_THAT(port.raised_us, IsEmpty());
    EXPECT_EQ(master.charged(), SimTime());
}

TEST_F(MasterOfInterrupts, RaisesOneEveryPeriodAndLeavesOutThoseForWhichItComesTooLate) {
    give({command(Control::Begin)});
    const auto nothing = [] {};
    let_controller_run({nothing, [this] { port.now_us += 250; }, nothing});
    EXPECT_THAT(port.raised_us, ElementsAre(1000, 1100, 1450, 1500));
    EXPECT_EQ(master.charged(), SimTime::us(16));
}

TEST_F(MasterOfInterrupts, TakesItsCostsAsTheyAreFromNowOn) {
    give({command(Control::Begin)});
    instrumentation::MonitorCosts dearer = costs();
    dearer.interrupt = SimTime::us(9);
    master.set_costs(dearer);
    let_controller_run({});
    EXPECT_EQ(master.charged(), SimTime::us(9));
}

TEST_F(MasterOfInterrupts, OfATwinRaisesNone) {
    instrumentation::MonitorCosts off = costs();
    off.probes_off = true;
    InterruptMaster twin(off, settings(), nullptr);
    give({command(Control::Begin)}, twin);
    let_controller_run({});
    EXPECT_THAT(port.raised_us, IsEmpty());
}
