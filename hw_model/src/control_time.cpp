#include <hw_model/control_time.hpp>

#include <algorithm>
#include <optional>
#include <queue>
#include <tuple>

#include <hw_model/link_switch.hpp>
#include <hw_model/timing.hpp>
#include <topologies/link_speeds.hpp>
#include <vocabulary/contract.hpp>

namespace hw_model {
namespace {

struct Request {
    std::size_t position;  // of the switch on its line
    std::vector<std::uint8_t> bytes;
    std::size_t replies;
    SimTime closed{};  // the switch has it, and all replies have come
};

// One control connection (control_line.hpp).
class Line {
public:
    Line(const ControlTiming& timing, SimTime internal, std::size_t switches)
        : timing_(timing),
          internal_(internal),
          down_free_(switches),
          up_free_(switches),
          busy_until_(switches),
          acts_until_(switches) {}

    // Requests leave in this order, which is also that in which they reach each controller.
    void add(Request request) {
        const std::size_t controller = request.position / ControlLine::switches_per_controller;
        host_free_ += timing_.host;
        SimTime at = host_free_;
        for (std::size_t c = 0; c <= controller; ++c) {
            down_free_[c] = std::max(down_free_[c], at) + bytes_time(request.bytes.size());
            at = down_free_[c] + timing_.forward;
        }
        request.closed = busy_until_[controller] = served(request, std::max(at, busy_until_[controller]));
        requests_.push_back(std::move(request));
    }

    // When the host has the last answer: they go up in the order in which they come to each controller.
    SimTime end() {
        using Coming = std::tuple<SimTime, std::size_t, std::size_t>;  // when, request, controllers to go
        std::priority_queue<Coming, std::vector<Coming>, std::greater<>> coming;
        for (std::size_t i = 0; i < requests_.size(); ++i)
            coming.emplace(requests_[i].closed, i, requests_[i].position / ControlLine::switches_per_controller + 1);
        SimTime last;
        while (!coming.empty()) {
            const auto [when, request, left] = coming.top();
            coming.pop();
            if (left == 0) {
                last = std::max(last, when);
                continue;
            }
            SimTime& free = up_free_[left - 1];
            free = std::max(free, when) + bytes_time(requests_[request].replies);
            coming.emplace(free + (left == 1 ? timing_.host : timing_.forward), request, left - 1);
        }
        return last;
    }

private:
    SimTime bytes_time(std::size_t bytes) const {
        return timing_.byte * static_cast<std::int64_t>(timing_.header_bytes + bytes);
    }
    // The bytes go to the switch one by one. A message acts `internal` after its last byte, one after the other; an enquiry
    // then sends its reply.
    SimTime served(const Request& request, SimTime begin) {
        SimTime& acts_until = acts_until_[request.position];
        SimTime fed = begin, reply;
        std::size_t left = 0;
        for (const std::uint8_t byte : request.bytes) {
            fed += timing_.byte;
            if (left == 0) left = LinkSwitch::message_bytes(byte);
            if (--left > 0) continue;
            acts_until = std::max(acts_until, fed) + internal_;
            reply = acts_until;
        }
        if (request.replies == 0) return fed;
        return std::min(reply + timing_.byte, fed + timing_.time_out);
    }

    const ControlTiming timing_;
    const SimTime internal_;
    SimTime host_free_;
    std::vector<SimTime> down_free_, up_free_, busy_until_;  // by controller
    std::vector<SimTime> acts_until_;                        // by switch
    std::vector<Request> requests_;
};

// The line of a switch, and its position there.
std::pair<std::size_t, std::size_t> place_of(const std::vector<std::vector<vocabulary::SwitchId>>& lines,
                                             vocabulary::SwitchId which) {
    for (std::size_t line = 0; line < lines.size(); ++line) {
        const auto found = std::find(lines[line].begin(), lines[line].end(), which);
        if (found != lines[line].end()) return {line, static_cast<std::size_t>(found - lines[line].begin())};
    }
    EXPECTS(false, "control_time.switch_on_a_line");
    return {};
}

}  // namespace

ControlTime control_time(const topologies::MachineDescription& machine, const topologies::CostTable& costs,
                         const std::vector<SwitchSetting>& from, const std::vector<SwitchSetting>& to) {
    EXPECTS(from.size() == to.size(), "control_time.pairs");
    const auto places = topologies::control_of(machine);
    ControlTime result;
    std::vector<Line> lines;
    for (const auto& along : places) {
        const std::int64_t speed = along.empty() ? machine.link_bits_per_second : topologies::control_speed(machine, along);
        const ControlTiming timing = control_timing(costs, link_timing(costs, speed).byte_one_way[0]);
        lines.emplace_back(timing, switch_timing(costs, speed).internal, along.size());
    }
    result.lines.resize(places.size());
    for (std::size_t i = 0; i < to.size(); ++i) {
        std::vector<std::uint8_t> messages = change_messages(from[i].connections, to[i].connections);
        if (messages.empty()) continue;
        const auto [line, position] = place_of(places, to[i].which);
        std::vector<std::uint8_t> questions = enquiries();
        result.lines[line] += messages.size() + questions.size();
        lines[line].add({position, std::move(messages), 0});
        lines[line].add({position, std::move(questions), LinkSwitch::way_count});
    }
    for (std::size_t line = 0; line < lines.size(); ++line) {
        result.bytes += result.lines[line];
        result.time = std::max(result.time, lines[line].end());
    }
    return result;
}

}  // namespace hw_model
