#include "drawn_run.hpp"

#include <algorithm>
#include <tuple>

namespace testing_support {

using tmon_recovery::EventGraph;
using tmon_recovery::EventNo;
using tmon_recovery::Message;

EventGraph DrawnRun::graph(std::int64_t end_us) const {
    std::vector<Message> messages(drawn_.size());
    for (std::uint32_t process = 0; process < checkpoints_.size(); ++process) {
        std::vector<std::tuple<std::int64_t, std::size_t, bool>> events;
        for (std::size_t at = 0; at < drawn_.size(); ++at) {
            if (drawn_[at].from == process) events.emplace_back(drawn_[at].sent_us, at, false);
            if (drawn_[at].to == process) events.emplace_back(drawn_[at].received_us, at, true);
        }
        std::sort(events.begin(), events.end());
        EventNo number = 0;
        for (const auto& [us, at, received] : events) (received ? messages[at].received : messages[at].sent) = ++number;
    }
    for (std::size_t at = 0; at < drawn_.size(); ++at) {
        messages[at].from = static_cast<std::uint16_t>(drawn_[at].from);
        messages[at].to = static_cast<std::uint16_t>(drawn_[at].to);
        messages[at].waited_us = static_cast<std::int32_t>(drawn_[at].waited_us);
        messages[at].sent_ns = drawn_[at].sent_us * 1000;
        messages[at].received_ns = drawn_[at].received_us * 1000;
    }
    return {std::vector<tmon_recovery::ProcessSpan>(checkpoints_.size(), {0, end_us * 1000, 0, 0}), std::move(messages)};
}

tmon_recovery::CheckpointPlan DrawnRun::plan() const {
    tmon_recovery::CheckpointPlan plan;
    plan.rule = tmon_recovery::CheckpointRule::Moments;
    plan.moments = checkpoints_;
    for (auto& its : plan.moments)
        for (std::int64_t& moment : its) moment *= 1000;
    return plan;
}

EventNo DrawnRun::at(const EventGraph& graph, std::uint32_t process, std::int64_t us) {
    EventNo event = 0;
    while (event < graph.events(process) && graph.time(process, event + 1) <= us * 1000) ++event;
    return event;
}

}  // namespace testing_support
