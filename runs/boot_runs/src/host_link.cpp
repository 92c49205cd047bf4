#include "host_link.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <vocabulary/errors.hpp>

namespace boot_runs {
namespace {

constexpr std::uint32_t most_at_once = 1 << 16;

}  // namespace

HostLink::HostLink(const Plan& plan, hw_model::LinkStream& stream, hw_model::Timeline& timeline, std::uint32_t order,
                   iserver::Server& server, RunHash& hash, std::function<void()> over)
    : plan_(plan),
      stream_(stream),
      timeline_(timeline),
      order_(order),
      server_(server),
      hash_(hash),
      over_(std::move(over)),
      answers_after_(plan.costs.time("host.operation")),
      to_send_(plan.image.begin(), plan.image.end()) {
    stream_.serve(*this);
}

void HostLink::begin() {
    listen();
    send_more();
}

void HostLink::listen() {
    stream_.input(plan_.raw ? 1 : static_cast<std::uint32_t>(reader_.wants()), hw_model::Memory::External);
}

void HostLink::send_more() {
    if (to_send_.empty() && plan_.raw) more_input();
    if (to_send_.empty() || stream_.outputs()) return;
    const auto count = static_cast<std::uint32_t>(std::min<std::size_t>(to_send_.size(), most_at_once));
    stream_.output(count, hw_model::Memory::External);
}

// Raw: a byte of the console's input at a time, so that no more is read than the program takes.
void HostLink::more_input() {
    if (const auto next = plan_.console->read()) to_send_.push_back(static_cast<std::byte>(*next));
}

void HostLink::take_output(std::span<std::byte> into) {
    const auto end = to_send_.begin() + static_cast<std::ptrdiff_t>(into.size());
    std::copy(to_send_.begin(), end, into.begin());
    to_send_.erase(to_send_.begin(), end);
}

void HostLink::output_done() {
    hash_.add(static_cast<std::uint64_t>(timeline_.now().in_ps()));
    send_more();
}

void HostLink::give_input(std::span<const std::byte> bytes) {
    hash_.add(static_cast<std::uint64_t>(timeline_.now().in_ps()));
    hash_.add(bytes);
    if (plan_.raw) {
        plan_.console->write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
        return;
    }
    if (broken_by_) return;
    try {
        request_ = reader_.take(bytes);
    } catch (const vocabulary::RequestError& error) {  // not through the simulation
        broken_by_ = error.what();
        over_();
    }
}

void HostLink::input_done() {
    if (broken_by_) return;
    if (!request_) return listen();
    timeline_.post(timeline_.now() + answers_after_, order_, *this, 0);
}

// The time that the host takes for an answer has passed.
void HostLink::fire(std::uint32_t) {
    const std::int64_t seconds = timeline_.now().in_ps() / 1'000'000'000'000;
    const std::vector<std::byte> request = *std::exchange(request_, std::nullopt);
    const std::vector<std::byte> reply = server_.answer(request, seconds);
    hash_.add(reply);
    if (server_.exit_status()) return over_();
    to_send_.insert(to_send_.end(), reply.begin(), reply.end());
    listen();
    send_more();
}

}  // namespace boot_runs
