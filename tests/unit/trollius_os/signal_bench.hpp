// A node whose processes get signals from outside, and note them.
#pragma once

#include <optional>
#include <vector>

#include <trollius_os/services.hpp>

#include "test_multicomputer.hpp"

namespace signal_test {

using test_support::SimTime;
using test_support::TestMulticomputer;
using trollius_os::Api;
using trollius_os::EventNo;
using trollius_os::Message;
using trollius_os::Outcome;
using trollius_os::Process;
using trollius_os::Signal;
using trollius_os::SignalAction;

inline constexpr EventNo quiet_event{77};

struct SignalBench : TestMulticomputer {
    SignalBench() : TestMulticomputer(topologies::chain(2)) {}

    trollius_os::Kernel& kernel() { return box.kernel(vocabulary::NodeId(1)); }
    void signal(Process* process, Signal number, SimTime rest = SimTime::ms(5)) {
        kernel().signal(*process, number);
        run_for(rest);
    }
    SignalAction noting() {
        return SignalAction::handle([this](Api& api, Signal signal) {
            handled.push_back(static_cast<int>(signal));
            api.settle();
            handled_at = api.port().now();
        });
    }
    // Receives one message from `quiet_event`, with a handler for SIGC.
    Process* receiver(std::function<void(Api&)> before = {}) {
        Process* process = user(1, [this, before](Api& api) {
            api.ksignal(Signal::C, noting());
            if (before) before(api);
            Message message{.event = quiet_event};
            outcome = api.krecv(message);
            got = message.data[0];
        });
        run_for(SimTime::ms(5));
        return process;
    }
    void send(int value) {
        user(1, [value](Api& api) {
            Message message{.event = quiet_event, .data = {value}};
            api.ksend(message);
        });
        run_for(SimTime::ms(5));
    }

    std::vector<int> handled;
    SimTime handled_at;
    std::optional<Outcome> outcome;
    int got = 0;
};

}  // namespace signal_test
