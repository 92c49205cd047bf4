#include "task_messages.hpp"

#include <algorithm>

namespace tmon_detrek {

namespace {

constexpr std::size_t most_links = 4096;  // of one task; more are not told
constexpr auto sent = EventGraphs::sent;
constexpr auto received = EventGraphs::received;
constexpr auto result_sent = EventGraphs::result_sent;
constexpr auto result_received = EventGraphs::result_received;

}  // namespace

TaskMessages::TaskMessages(const tmon_streams::Trace& trace, const EventGraphs& graphs)
    : graphs_(graphs), arrivals_(trace, graphs.tree()), waiting_(trace, graphs.tree()), dark_below_(trace.streams.size()) {
    for (const tmon_streams::Stream& stream : trace.streams) {
        // A node without any record may wait for its monitor, with a message that it did not record.
        const bool dark = stream.state == tmon_streams::StreamState::Open || (stream.losses.empty() && stream.size() == 0);
        kinds_.push_back(dark ? NodeKind::Dark : stream.losses.empty() ? NodeKind::Whole : NodeKind::Lossy);
    }
    const auto& order = graphs.tree().from_the_top();
    for (auto node = order.rbegin(); node != order.rend(); ++node) {
        const auto children = graphs.tree().children(*node);
        dark_below_[*node] = kind(*node) == NodeKind::Dark &&
                             std::all_of(children.begin(), children.end(), [this](auto child) { return dark_below_[child]; });
    }
    for (std::uint32_t i = 0; i < graphs.edges().size(); ++i)
        edge_of_[{graphs.edges()[i].worker, graphs.edges()[i].subtask}] = i;
}

std::uint8_t TaskMessages::bits(std::uint16_t worker, SubTaskId subtask, std::uint32_t task) const {
    const auto edge = edge_of_.find({worker, subtask});
    return edge == edge_of_.end() ? std::uint8_t{0} : static_cast<std::uint8_t>(graphs_.bits(edge->second, task) & 0xFU);
}

// The state of a message between a worker and its parent.
TaskMessages::State TaskMessages::state(std::uint16_t worker, bool on_record) const {
    if (on_record) return State::Yes;
    const NodeKind below = kind(worker), above = kind(parent_of(worker));
    if (below == NodeKind::Whole || above == NodeKind::Whole) return State::No;
    return below == NodeKind::Dark && above == NodeKind::Dark ? State::Dark : State::Open;
}

// Its result may have gone up without a record of its arrival, and a node that lost records may have lost that or not.
bool TaskMessages::may_wait(const Link& link, std::uint32_t task) const {
    const NodeKind above = kind(parent_of(link.worker));
    if ((link.have & result_received) != 0 || above == NodeKind::Dark) return false;
    if ((link.have & result_sent) != 0) return above == NodeKind::Lossy && waiting_.may_be(link.worker, task, link.subtask);
    return kind(link.worker) == NodeKind::Lossy && waiting_.may_be_lost(link.worker);
}

void TaskMessages::add(std::uint16_t worker, SubTaskId subtask, std::optional<std::size_t> above, std::size_t first,
                       std::uint32_t task) {
    const std::uint8_t have = bits(worker, subtask, task);
    const State down = state(worker, have != 0);
    if (down == State::Dark && dark_below_[worker]) return;
    links_.push_back({worker, subtask, above, have, down, state(worker, (have & (result_sent | result_received)) != 0), first});
}

// All links that the task may have taken. False: too many.
bool TaskMessages::expand(std::uint32_t task) {
    const farm_spec::FarmSpec& spec = graphs_.spec();
    links_.clear();
    for (const std::uint16_t child : graphs_.tree().children(0)) add(child, 0, {}, 0, task);
    for (std::size_t i = 0; i < links_.size(); ++i) {
        const Link link = links_[i];
        if (link.down == State::No || !graphs_.tree().may_pass_down(link.worker)) continue;
        const std::size_t first = links_.size();
        const auto children = graphs_.tree().children(link.worker);
        for (unsigned j = 0; j < (spec.divides() ? spec.degree : children.size()); ++j) {
            const SubTaskId part = !spec.divides()
                                       ? link.subtask
                                       : farm_spec::FarmSpec::branch_id(link.subtask, graphs_.tree().level(link.worker), j);
            add(children[j % children.size()], part, i, first, task);
        }
        if (links_.size() > most_links) return false;
    }
    return true;
}

// False when a record tells of a link that the machine would not have taken.
bool TaskMessages::all_seen(std::uint32_t task) const {
    std::size_t on_record = 0;
    for (std::uint32_t edge = 0; edge < graphs_.edges().size(); ++edge) on_record += graphs_.bits(edge, task) != 0 ? 1 : 0;
    const auto known = std::count_if(links_.begin(), links_.end(), [](const Link& link) { return link.have != 0; });
    return on_record == static_cast<std::size_t>(known);
}

// False when a node may have no record of a message that it sent. Its silent receiver has one, and the link may have failed
// before the sender knew.
bool TaskMessages::is_clear(std::uint32_t task) const {
    return std::all_of(links_.begin(), links_.end(), [&](const Link& link) {
        const NodeKind below = kind(link.worker), above = kind(parent_of(link.worker));
        if (below == NodeKind::Dark && above == NodeKind::Lossy && link.have != 0 && (link.have & sent) == 0)
            return (link.have & received) != 0 && arrivals_.was_followed({task, link.worker, link.subtask, sent});
        return above != NodeKind::Dark || below != NodeKind::Lossy ||
               (link.have & (result_sent | result_received)) != result_received;
    });
}

std::optional<TaskMessages::Reading> TaskMessages::read(std::uint32_t task, std::uint64_t& most_steps) {
    const std::uint64_t looks = graphs_.edges().size() / 8;  // all_seen() is quick with each edge
    if (most_steps < looks || !expand(task) || most_steps - looks < links_.size()) return {};
    most_steps -= looks + links_.size();
    if (!all_seen(task)) return {};
    leaves_out_some_ = leaves_out_some_ || !is_clear(task);
    if (graphs_.finished(task)) return of_finished(task);
    const bool at_home =
        std::any_of(links_.begin(), links_.end(), [](const Link& link) { return !link.above && link.up == State::Yes; });
    if (at_home && kind(0) == NodeKind::Lossy) return of_finished(task);  // its arrival at node 0 is among the lost records
    Reading reading;
    if (!choose(0, task, most_steps, reading)) return {};
    return reading;
}

// ---- a finished task ----

TaskMessages::Reading TaskMessages::of_finished(std::uint32_t task) {
    close();
    Reading reading{{lost(task)}, {}};
    for (const Link& link : links_)
        if (link.down == State::Open) reading.detours.push_back(link.worker);
    for (Link& link : links_) {
        if (link.above || link.up != State::Yes || !may_wait(link, task)) continue;
        link.waits = true;
        reading.options.push_back(lost(task));
        link.waits = false;
    }
    return reading;
}

// The consequences for a task whose result is at node 0.
void TaskMessages::close() {
    for (bool more = true; more;) {
        more = false;
        for (std::size_t i = links_.size(); i-- > 0;) {
            more = close_up(links_[i]) || more;
            more = close_siblings(i) || more;
        }
    }
}

bool TaskMessages::close_up(Link& link) {
    const State down = link.down, up = link.up;
    if (link.up == State::Yes) link.down = State::Yes;
    if (link.down == State::Yes && link.above) {
        Link& above = links_[*link.above];
        if (above.down != State::Yes || above.up != State::Yes) {
            above.down = above.up = State::Yes;
            link.up = State::Yes;
            return true;
        }
    }
    if (link.down == State::Yes) link.up = State::Yes;
    if (link.up == State::No && link.down == State::Open) link.down = State::No;
    if (link.down == State::No && link.up == State::Open) link.up = State::No;
    return link.down != down || link.up != up;
}

// In a processor farm a task went to one child; a split passed down all parts, or there was none.
bool TaskMessages::close_siblings(std::size_t number) {
    const Link& link = links_[number];
    const bool one_only = !link.above || !graphs_.spec().divides();
    const bool tells = link.down == State::Yes || (link.down == State::No && !one_only);
    if (!tells) return false;
    const State other = one_only ? State::No : link.down;
    bool more = false;
    for (std::size_t i = link.first_sibling; i < links_.size() && links_[i].above == link.above; ++i) {
        if (i == number || links_[i].down != State::Open) continue;
        links_[i].down = other;
        more = true;
    }
    return more;
}

// ---- a task that is not finished ----

// Each choice for the links from this number on. False: too many steps.
bool TaskMessages::choose(std::size_t number, std::uint32_t task, std::uint64_t& most_steps, Reading& reading) {
    if (most_steps == 0) return false;
    --most_steps;
    if (number == links_.size()) {
        reading.options.push_back(lost(task));
        return true;
    }
    const Link as_read = links_[number];
    for (const State down : {State::No, State::Yes}) {
        if (as_read.down != State::Open && down == State::Yes) continue;
        for (const State up : {State::No, State::Yes}) {
            if (as_read.up != State::Open && up == State::Yes) continue;
            Link& link = links_[number];
            if (as_read.down == State::Open) link.down = down;
            if (as_read.up == State::Open) link.up = up;
            if (fits(number) && !choose(number + 1, task, most_steps, reading)) return false;
        }
    }
    links_[number] = as_read;
    return choose_waiting(number, task, most_steps, reading);
}

// The choice in which the result of this link waits above.
bool TaskMessages::choose_waiting(std::size_t number, std::uint32_t task, std::uint64_t& most_steps, Reading& reading) {
    const Link as_read = links_[number];
    if (as_read.down == State::No || as_read.down == State::Dark || !may_wait(as_read, task)) return true;
    Link& link = links_[number];
    link.down = link.up = State::Yes;
    link.waits = true;
    const bool goes_on = !fits(number) || choose(number + 1, task, most_steps, reading);
    links_[number] = as_read;
    return goes_on;
}

// True when the machine allows this link, given those above and before it.
bool TaskMessages::fits(std::size_t number) const {
    const Link& link = links_[number];
    if (link.up == State::Yes && link.down == State::No) return false;
    const Link* const above = link.above ? &links_[*link.above] : nullptr;
    if (link.down == State::Yes && above != nullptr && above->down == State::No) return false;
    const bool whole_went_up = above != nullptr && above->up == State::Yes;
    if (link.waits && whole_went_up) return false;
    if (whole_went_up && link.down == State::Yes && link.up == State::No) return false;
    const bool one_only = above == nullptr || !graphs_.spec().divides();
    for (std::size_t i = link.first_sibling; i < number; ++i) {
        const State other = links_[i].down;
        if (one_only && link.down == State::Yes && other == State::Yes) return false;
        const bool differ = (link.down == State::Yes && other == State::No) || (link.down == State::No && other == State::Yes);
        if (!one_only && whole_went_up && differ) return false;
    }
    return true;
}

// The ends of messages that happened and have no record, where records were lost.
TaskMessages::Option TaskMessages::lost(std::uint32_t task) const {
    Option events;
    for (const Link& link : links_) {
        const auto note = [&](std::uint16_t node, State state, std::uint8_t bit) {
            if (state == State::Yes && (link.have & bit) == 0 && kind(node) == NodeKind::Lossy)
                events.push_back({task, link.worker, link.subtask, bit, link.waits && bit == result_sent});
        };
        note(parent_of(link.worker), link.down, sent);
        note(link.worker, link.down, received);
        note(link.worker, link.up, result_sent);
        if (!link.waits) note(parent_of(link.worker), link.up, result_received);
    }
    return events;
}

}  // namespace tmon_detrek
