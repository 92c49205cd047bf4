#include "farm_watch.hpp"

#include <algorithm>
#include <utility>

#include <instrumentation/accounts.hpp>
#include <trollius_os/accounts.hpp>

namespace session {

using hw_model::LinkEnd;
using vocabulary::LinkNo;
using vocabulary::NodeId;
using vocabulary::SimTime;

namespace {

constexpr vocabulary::Account application = trollius_os::accounts::application;

std::uint64_t bytes_without_monitor(const LinkEnd& end) {
    const hw_model::LinkTotals totals = end.totals();
    return totals.all().bytes - totals.of[instrumentation::accounts::trace_message].bytes;
}

}  // namespace

FarmWatch::FarmWatch(const scenario::Scenario& scenario, trollius_hosted::Multicomputer& box, std::vector<NodeId> nodes)
    : scenario_(scenario), box_(box), nodes_(std::move(nodes)), lamps_(nodes_.size()) {}

// Several looks in each silence that counts.
SimTime FarmWatch::period() const {
    return std::min(look_period, std::max(SimTime::us(50), SimTime::ps(scenario_.quiet.in_ps() / 4)));
}

void FarmWatch::begin() {
    stepped_at_ = older_at_ = looked_at_ = moved_at_ = computed_at_ = sign_at_ = heard_at_ = box_.now();
    const Links seen = links();
    application_ = seen.application;
    other_ = seen.other;
    programs_ = host_bytes(Counted::OnlyPrograms);
    for (Lamp& lamp : lamps_) lamp.busy_since = box_.now();
    if (trace_ != nullptr) trace_->count_pauses(box_.now());
}

bool FarmWatch::monitor_never_rests() const {
    if (!scenario_.monitor) return false;
    return scenario_.monitor->kind == instrumentation::MonitorKind::Tmon || scenario_.farm.survives ||
           scenario_.monitor->heartbeat > SimTime();
}

void FarmWatch::look(bool orders_pending) {
    const SimTime now = box_.now();
    const Links seen = links();
    const std::uint64_t programs = host_bytes(Counted::OnlyPrograms);
    const std::uint64_t made = steps_ ? steps_() : 0;
    const bool bytes_moved = seen.application != std::exchange(application_, seen.application);
    const bool stepped = made != std::exchange(made_, made) || bytes_moved || programs != std::exchange(programs_, programs);
    if (stepped) stepped_at_ = now;
    const bool moved = stepped || seen.application_moves || orders_pending;
    if (moved) moved_at_ = now;
    if (const std::uint64_t heard = bytes_to_manager(); heard != std::exchange(heard_, heard)) heard_at_ = now;
    // The work of kernel and monitor ends by itself, unless more of it is made for ever. Messages of the kernel alone may go
    // round where a reconfiguration has made a ring; those do not count for long.
    const bool other_moved = seen.other != std::exchange(other_, seen.other) || seen.something_moves;
    const bool older_come = older_records_come(steps_ ? stepped_at_ : moved_at_);
    if (older_come) older_at_ = now;
    if (monitor_never_rests() || scenario_.farm.survives) {
        if (older_come || may_wait_for_room(now)) sign_at_ = now;
    } else if (other_moved && (scenario_.monitor || now - moved_at_ < load_silence)) {
        sign_at_ = now;
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        if (computes(nodes_[i], lamps_[i])) computed_at_ = now;
    }
    looked_at_ = now;
}

// Processes that a full buffer holds go on when their node's records have left. Records of other nodes may come first.
bool FarmWatch::may_wait_for_room(SimTime now) const {
    if (trace_ == nullptr || !scenario_.monitor) return false;
    const bool holds = scenario_.monitor->when_full == instrumentation::WhenFull::Stop || scenario_.monitor->buffer_policy;
    return holds && trace_->is_behind(moved_at_, now, scenario_.quiet, load_silence);
}

bool FarmWatch::stands_still() const {
    return box_.now() - std::max({moved_at_, computed_at_, sign_at_}) > scenario_.quiet + survival_time();
}

// A manager whose children are silent computes the rest of a surviving farm alone, and nothing shows when a task is done.
bool FarmWatch::out_of_patience() const {
    const bool alone = scenario_.farm.survives && box_.now() - heard_at_ > survival_time();
    const std::int64_t most = scenario_.limit / std::max(scenario_.patience, SimTime::us(1)) + 1;
    const std::int64_t times = alone ? std::clamp<std::int64_t>(scenario_.farm.tasks, 1, most) : 1;
    return box_.now() - moved_at_ > scenario_.patience * times;
}

std::uint64_t FarmWatch::bytes_to_manager() const {
    std::uint64_t bytes = 0;
    for (std::uint8_t link = 0; link < 4; ++link) {
        const auto& far = box_.network().neighbour(NodeId(0), LinkNo(link));
        if (!far || far->node == box_.host_id()) continue;
        if (const LinkEnd* end = box_.machine().node(far->node).link(far->link)) bytes += bytes_without_monitor(*end);
    }
    return bytes;
}

// A node is given up after at most twice the silence, and then something moves again.
SimTime FarmWatch::survival_time() const {
    return scenario_.farm.survives ? scenario_.costs.time("trek.silence") * 2 : SimTime();
}

// Work for the monitor also keeps processors busy in a farm that stands still, but it leaves pauses. So where the monitor never
// rests, only a processor without a pause counts as working.
bool FarmWatch::computes(NodeId id, Lamp& lamp) {
    const hw_model::Processor& processor = box_.machine().node(id).processor;
    const bool wanted = !processor.low_priority_idle();
    if (!monitor_never_rests()) return !processor.stopped() && (wanted || processor.use_end() > box_.now() + look_period);
    const hw_model::ProcessorTotals totals = processor.totals();
    const SimTime high = totals.high_busy - std::exchange(lamp.high, totals.high_busy);
    const SimTime low = totals.low_busy - std::exchange(lamp.low, totals.low_busy);
    const std::int64_t window = (box_.now() - looked_at_).in_ps();
    const bool busy = (high + low).in_ps() / 19 >= window / 20 && (wanted || low > SimTime());
    if (!busy) lamp.busy_since = box_.now();
    return !processor.stopped() && box_.now() - lamp.busy_since >= SimTime::ps(scenario_.quiet.in_ps() / 2);
}

FarmWatch::Links FarmWatch::links() const {
    Links seen;
    for (std::size_t i = 0; i <= box_.node_count(); ++i) {
        for (std::uint8_t link = 0; link < 4; ++link) {
            const LinkEnd* end = box_.machine().node(NodeId(static_cast<NodeId::value_type>(i))).link(LinkNo(link));
            if (end == nullptr) continue;
            const hw_model::LinkTotals totals = end->totals();
            seen.application += totals.of[application].bytes;
            seen.other += totals.all().bytes - totals.of[application].bytes;
            seen.something_moves = seen.something_moves || end->moving();
            seen.application_moves = seen.application_moves || (end->moving_out() && end->on_wire() == application);
        }
    }
    return seen;
}

std::uint64_t FarmWatch::host_bytes(Counted counted) const {
    std::uint64_t bytes = 0;
    for (std::uint8_t link = 0; link < 4; ++link) {
        const LinkEnd* here = box_.machine().node(box_.host_id()).link(LinkNo(link));
        const auto& far = box_.network().neighbour(box_.host_id(), LinkNo(link));
        const LinkEnd* there = far ? box_.machine().node(far->node).link(far->link) : nullptr;
        for (const LinkEnd* end : {here, there}) {
            if (end == nullptr) continue;
            const bool no_monitor = counted == Counted::OnlyPrograms || (end == there && counted == Counted::NoTracesThatCome);
            bytes += no_monitor ? bytes_without_monitor(*end) : end->totals().all().bytes;
        }
    }
    return bytes;
}

bool FarmWatch::older_records_come(SimTime moment) {
    return trace_ != nullptr && trace_->take_oldest() < moment;
}

}  // namespace session
