// ControlLine: one control connection of the host. It leads down a line of configuration controllers, each with the
// configuration links of two C004 (docs/decisions/0007), store and forward. A request to the n-th controller is sent n times at
// the speed of a link. Each controller inspects it before it forwards it. The last one feeds its bytes to the switch, one by
// one, at the speed of the configuration link. It then waits for the requested replies, for `time_out` at most. Then it sends
// an answer back the same way, with or without replies. A controller serves one request at a time.
//
// Wire form of request and answer: `header_bytes` (which switch, how many bytes, how many replies) and the bytes. Cost: one
// Timeline event a hop and one a configuration byte.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <hw_model/link_switch.hpp>
#include <hw_model/timeline.hpp>
#include <topologies/cost_table.hpp>

namespace hw_model {

struct ControlTiming {
    SimTime byte;                    // on the line and on a configuration link, one way, without a switch in between
    SimTime forward;                 // time a controller takes for a request or answer: control.forward
    SimTime host;                    // time the host takes to send a request or to take an answer: host.operation
    SimTime time_out;                // longest time a controller waits for replies: control.time_out
    std::uint32_t header_bytes = 0;  // control.header
};
// `byte`: from LinkTiming.
ControlTiming control_timing(const topologies::CostTable& costs, SimTime byte);

class ControlLine final : private Timeline::Handler {
public:
    static constexpr std::size_t switches_per_controller = 2;
    static constexpr std::size_t most_bytes = 255;  // limit of a request, and of its replies

    using Done = std::function<void(std::span<const std::uint8_t> replies)>;

    // The switches, nearest first, must outlive it. `order` is its rank among events of the same time.
    ControlLine(std::vector<LinkSwitch*> switches, std::uint32_t order, const ControlTiming& timing, Timeline& timeline);
    ControlLine(const ControlLine&) = delete;
    ControlLine& operator=(const ControlLine&) = delete;

    // The host sends `bytes` to the configuration link of the switch at `position`. `done` gets the answer, with fewer than
    // `replies` bytes if the switch timed out. Requests leave in the order given.
    void send(std::size_t position, std::vector<std::uint8_t> bytes, std::size_t replies, Done done);
    std::size_t size() const { return switches_.size(); }

private:
    enum What : std::uint32_t { Down = 0, Feed = 1, Close = 2, Up = 3 };
    struct Request {
        std::size_t position, replies;
        std::size_t hop = 1;  // hops between the request and the host
        std::size_t fed = 0;  // bytes already fed to the switch
        std::vector<std::uint8_t> bytes, got;
        Done done;
        bool closed = false;
    };
    struct Controller {
        SimTime down_free, up_free;  // when the line towards the host is free, each way
        std::deque<std::uint32_t> waiting;
        bool busy = false;
    };

    void fire(std::uint32_t what) override;
    void post(SimTime when, std::uint32_t request, What what);
    void hop_down(std::uint32_t number);
    void hop_up(std::uint32_t number);
    void serve_next(std::size_t controller);
    void feed(std::uint32_t number);
    void take_reply(std::size_t position, std::uint8_t reply);
    void close(std::uint32_t number);
    static std::size_t controller_of(std::size_t position) { return position / switches_per_controller; }

    std::vector<LinkSwitch*> switches_;
    std::uint32_t order_;
    ControlTiming timing_;
    Timeline& timeline_;
    SimTime host_free_;
    std::vector<Controller> controllers_;
    std::vector<std::unique_ptr<Request>> requests_;  // by number; freed when answered
};

}  // namespace hw_model
