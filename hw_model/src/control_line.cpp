#include <hw_model/control_line.hpp>

#include <algorithm>
#include <utility>

#include <vocabulary/contract.hpp>

namespace hw_model {

ControlTiming control_timing(const topologies::CostTable& costs, SimTime byte) {
    return {.byte = byte,
            .forward = costs.time("control.forward"),
            .host = costs.time("host.operation"),
            .time_out = costs.time("control.time_out"),
            .header_bytes = static_cast<std::uint32_t>(costs.get("control.header", "bytes"))};
}

ControlLine::ControlLine(std::vector<LinkSwitch*> switches, std::uint32_t order, const ControlTiming& timing,
                         Timeline& timeline)
    : switches_(std::move(switches)),
      order_(order),
      timing_(timing),
      timeline_(timeline),
      controllers_((switches_.size() + switches_per_controller - 1) / switches_per_controller) {
    for (std::size_t i = 0; i < switches_.size(); ++i)
        switches_[i]->on_reply([this, i](std::uint8_t reply) { take_reply(i, reply); });
}

void ControlLine::post(SimTime when, std::uint32_t request, What what) {
    timeline_.post(when, order_, *this, request * 4 + what);
}

void ControlLine::send(std::size_t position, std::vector<std::uint8_t> bytes, std::size_t replies, Done done) {
    EXPECTS(position < switches_.size(), "control_line.send.position");
    EXPECTS(!bytes.empty() && bytes.size() <= most_bytes && replies <= most_bytes, "control_line.send.length");
    const auto number = static_cast<std::uint32_t>(requests_.size());
    requests_.push_back(std::make_unique<Request>(
        Request{.position = position, .replies = replies, .bytes = std::move(bytes), .got = {}, .done = std::move(done)}));
    host_free_ = std::max(host_free_, timeline_.now()) + timing_.host;
    Controller& first = controllers_.front();
    first.down_free = std::max(first.down_free, host_free_) +
                      timing_.byte * static_cast<std::int64_t>(timing_.header_bytes + requests_.back()->bytes.size());
    post(first.down_free + timing_.forward, number, Down);
}

void ControlLine::fire(std::uint32_t what) {
    const std::uint32_t number = what / 4;
    if (requests_[number] == nullptr) return;  // its time-out, long after the answer
    switch (static_cast<What>(what % 4)) {
        case Down:
            hop_down(number);
            return;
        case Feed:
            feed(number);
            return;
        case Close:
            close(number);
            return;
        case Up:
            hop_up(number);
            return;
    }
}

// The controller at the end of `hop` pieces of line has a request and has looked at it.
void ControlLine::hop_down(std::uint32_t number) {
    Request& request = *requests_[number];
    const std::size_t target = controller_of(request.position);
    if (request.hop == target + 1) {
        controllers_[target].waiting.push_back(number);
        serve_next(target);
        return;
    }
    Controller& next = controllers_[request.hop++];
    next.down_free = std::max(next.down_free, timeline_.now()) +
                     timing_.byte * static_cast<std::int64_t>(timing_.header_bytes + request.bytes.size());
    post(next.down_free + timing_.forward, number, Down);
}

void ControlLine::serve_next(std::size_t index) {
    Controller& controller = controllers_[index];
    if (controller.busy || controller.waiting.empty()) return;
    controller.busy = true;
    post(timeline_.now() + timing_.byte, controller.waiting.front(), Feed);
}

void ControlLine::feed(std::uint32_t number) {
    Request& request = *requests_[number];
    switches_[request.position]->configure(request.bytes[request.fed++]);
    if (request.fed < request.bytes.size()) {
        post(timeline_.now() + timing_.byte, number, Feed);
    } else if (request.got.size() >= request.replies) {
        post(timeline_.now(), number, Close);
    } else {
        post(timeline_.now() + timing_.time_out, number, Close);
    }
}

// The byte is on the configuration link from now.
void ControlLine::take_reply(std::size_t position, std::uint8_t reply) {
    const Controller& controller = controllers_[controller_of(position)];
    if (!controller.busy) return;  // too late: the request has timed out
    const std::uint32_t number = controller.waiting.front();
    Request& request = *requests_[number];
    if (request.position != position || request.got.size() >= request.replies) return;
    request.got.push_back(reply);
    if (request.got.size() == request.replies && request.fed == request.bytes.size())
        post(timeline_.now() + timing_.byte, number, Close);
}

void ControlLine::close(std::uint32_t number) {
    Request& request = *requests_[number];
    if (std::exchange(request.closed, true)) return;
    const std::size_t index = controller_of(request.position);
    controllers_[index].waiting.pop_front();
    controllers_[index].busy = false;
    serve_next(index);
    hop_up(number);
}

void ControlLine::hop_up(std::uint32_t number) {
    Request& request = *requests_[number];
    if (request.hop == 0) {
        const std::unique_ptr<Request> answered = std::move(requests_[number]);
        if (answered->done) answered->done(answered->got);
        return;
    }
    Controller& at = controllers_[--request.hop];
    at.up_free = std::max(at.up_free, timeline_.now()) +
                 timing_.byte * static_cast<std::int64_t>(timing_.header_bytes + request.got.size());
    post(at.up_free + (request.hop == 0 ? timing_.host : timing_.forward), number, Up);
}

}  // namespace hw_model
