// A node whose processes get signals from outside, and note them.
#pragma once

#include <numeric>
#include <optional>
#include <vector>

#include <trollius_os/services.hpp>

#include "test_multicomputer.hpp"

namespace signal_test {

using test_support::NodeId;
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

inline constexpr EventNo mail{77}, other_mail{78};

struct SignalledMail : TestMulticomputer {
    SignalledMail() : TestMulticomputer(topologies::chain(3)) {
        box.start_at_once();
        // Something happens all the time, so a process that a test creates begins when it is created.
        box.host().create({"ticks", trollius_os::Priority::High, 0, 1024, [](Api& api) {
                               while (true) api.wait_until_clock(api.port().clock_us(trollius_os::Priority::High) + 20);
                           }});
        run_for(SimTime::ms(20));
    }
    void signal(std::uint16_t node, Process* process, Signal number) { box.kernel(NodeId(node)).signal(*process, number); }
    static std::string state(const Process* process) { return trollius_os::state_text(process->status()); }
    // Messages with the numbers 0, 1, ... from n0 to n2.
    void send(int count, SimTime between = SimTime(), std::uint32_t bytes = 0) {
        user(0, [this, count, between, bytes](Api& api) {
            std::vector<std::byte> body(bytes);
            for (int i = 0; i < count; ++i) {
                for (std::size_t at = 0; at < body.size(); ++at)
                    body[at] = static_cast<std::byte>(at + static_cast<unsigned>(i));
                Message message{.node = NodeId(2), .event = mail, .data = {i}, .length = bytes, .body = body};
                while (api.nsend(message) == Outcome::Interrupted) {
                }
                if (between != SimTime()) api.compute(between);
            }
            ++senders_done;
        });
    }
    Process* receive(int count, std::uint32_t bytes = 0) {
        return user(2, [this, count, bytes](Api& api) {
            std::vector<std::byte> room(bytes);
            while (static_cast<int>(got.size()) < count) {
                Message message{.event = mail, .body = room};
                if (api.nrecv(message) == Outcome::Interrupted) {
                    ++interrupted;
                    continue;
                }
                got.push_back(message.data[0]);
                for (std::size_t at = 0; at < room.size(); ++at)
                    whole = whole && room[at] == static_cast<std::byte>(at + static_cast<unsigned>(message.data[0]));
                whole = whole && message.length == bytes;
            }
        });
    }
    std::vector<int> first(int count) {
        std::vector<int> numbers(static_cast<std::size_t>(count));
        std::iota(numbers.begin(), numbers.end(), 0);
        return numbers;
    }

    std::vector<int> got;
    int interrupted = 0, senders_done = 0;
    bool whole = true;
};

}  // namespace signal_test
