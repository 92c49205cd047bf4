#include <tmon_order/logical_time.hpp>

#include <algorithm>

#include <tmon_order/message_matcher.hpp>
#include <vocabulary/contract.hpp>

namespace tmon_order {

namespace {

template <class Each>
void for_each_event(const tmon_streams::Trace& trace, Each&& each) {
    std::uint64_t number = 0;
    for (const tmon_streams::Stream& stream : trace.streams) {
        for (const auto part : stream.in_passing()) {
            for (const Event& event : part) each(event, number++);
        }
    }
}

}  // namespace

// The replay of the thesis. Gives every node its vector clock and stores it at the checkpoints.
class LogicalTime::Replay {
public:
    Replay(LogicalTime& owner, const Visitor& visit)
        : owner_(owner),
          visit_(visit),
          nodes_(owner.first_.size() - 1),
          clock_(nodes_, std::vector<std::uint32_t>(nodes_)),
          next_(nodes_),
          queued_(nodes_, true),
          message_(owner.link_.size(), no_message) {
        for (std::size_t node = 0; node < nodes_; ++node) stack_.push_back(node);
        owner_.checkpoints_.resize(nodes_);
    }

    void run() {
        for (;;) {
            while (!stack_.empty()) {
                const std::size_t node = stack_.back();
                stack_.pop_back();
                queued_[node] = false;
                while (step(node, false)) continue;
            }
            const std::size_t stuck = first_stuck();
            if (stuck == nodes_) return;
            ++owner_.contradictions_;
            step(stuck, true);
            push(stuck);
        }
    }

private:
    static constexpr std::uint32_t no_message = 0xFFFF'FFFF;

    void push(std::size_t node) {
        if (queued_[node]) return;
        queued_[node] = true;
        stack_.push_back(node);
    }
    std::size_t first_stuck() const {
        std::size_t node = 0;
        while (node < nodes_ && owner_.first_[node] + next_[node] == owner_.first_[node + 1]) ++node;
        return node;
    }
    bool step(std::size_t node, bool force) {
        const std::uint64_t number = owner_.first_[node] + next_[node];
        if (number == owner_.first_[node + 1]) return false;
        const EventRef ref{static_cast<std::uint16_t>(node), next_[node]};
        const std::uint64_t other = owner_.link_[number];
        if (owner_.event(ref).kind == EventKind::Send) {
            tick(node);
            if (other != no_link) {
                message_[number] = keep(clock_[node]);
                push(owner_.ref(other).node);
            }
            return true;
        }
        if (other != no_link && message_[other] == no_message) {
            if (!force) return false;
            owner_.link_[other] = no_link;
            owner_.link_[number] = no_link;
        } else if (other != no_link) {
            std::vector<std::uint32_t>& sent = pool_[message_[other]];
            for (std::size_t i = 0; i < nodes_; ++i) clock_[node][i] = std::max(clock_[node][i], sent[i]);
            free_.push_back(message_[other]);
        }
        tick(node);
        return true;
    }
    void tick(std::size_t node) {
        clock_[node][node] = ++next_[node];
        if (visit_) visit_({static_cast<std::uint16_t>(node), next_[node] - 1}, clock_[node]);
        if ((next_[node] - 1) % checkpoint_every != 0) return;
        auto& kept = owner_.checkpoints_[node];
        kept.insert(kept.end(), clock_[node].begin(), clock_[node].end());
    }
    std::uint32_t keep(const std::vector<std::uint32_t>& stamp) {
        if (free_.empty()) {
            pool_.push_back(stamp);
            return static_cast<std::uint32_t>(pool_.size() - 1);
        }
        const std::uint32_t place = free_.back();
        free_.pop_back();
        pool_[place] = stamp;
        return place;
    }

    LogicalTime& owner_;
    const Visitor& visit_;
    std::size_t nodes_;
    std::vector<VectorStamp> clock_;
    std::vector<std::uint32_t> next_;
    std::vector<bool> queued_;
    std::vector<std::size_t> stack_;
    std::vector<std::uint32_t> message_;  // by send number: where its stamp is kept
    std::vector<VectorStamp> pool_;       // stamps of messages under way
    std::vector<std::uint32_t> free_;
};

LogicalTime::LogicalTime(const tmon_streams::Trace& trace, const Visitor& visit) : trace_(trace) {
    for (const tmon_streams::Stream& stream : trace.streams) {
        first_.push_back(first_.empty() ? 0 : first_.back() + part_begin_.back().back());
        std::vector<std::size_t> begin = {0};
        for (const auto part : stream.parts) begin.push_back(begin.back() + part.size());
        part_begin_.push_back(std::move(begin));
    }
    first_.push_back(first_.empty() ? 0 : first_.back() + part_begin_.back().back());
    pair_messages();
    list_unmatched();
    Replay(*this, visit).run();
}

void LogicalTime::pair_messages() {
    link_.resize(first_.back(), no_link);
    MessageMatcher matcher(trace_.streams.size());
    for_each_event(trace_, [&](const Event& event, std::uint64_t number) {
        const auto other = matcher.match(event, number);
        if (!other) return;
        link_[number] = *other;
        link_[*other] = number;
    });
}

void LogicalTime::list_unmatched() {
    for_each_event(trace_, [&](const Event& event, std::uint64_t number) {
        if (link_[number] != no_link) return;
        (event.kind == EventKind::Send ? unmatched_sends_ : unmatched_receives_).push_back(ref(number));
    });
}

EventRef LogicalTime::ref(std::uint64_t number) const {
    const auto after = std::upper_bound(first_.begin(), first_.end() - 1, number);
    const auto node = static_cast<std::size_t>(after - first_.begin()) - 1;
    return {static_cast<std::uint16_t>(node), static_cast<std::uint32_t>(number - first_[node])};
}

const Event& LogicalTime::event(EventRef ref) const {
    EXPECTS(ref.node + 1u < first_.size() && number(ref) < first_[ref.node + 1u], "logical_time.event");
    const auto& begin = part_begin_[ref.node];
    const auto part = static_cast<std::size_t>(std::upper_bound(begin.begin(), begin.end(), ref.index) - begin.begin()) - 1;
    return trace_.streams[ref.node].parts[part][ref.index - begin[part]];
}

std::optional<EventRef> LogicalTime::partner(EventRef of) const {
    EXPECTS(of.node + 1u < first_.size() && number(of) < first_[of.node + 1u], "logical_time.partner");
    const std::uint64_t other = link_[number(of)];
    if (other == no_link) return std::nullopt;
    return ref(other);
}

// Walks back from the event to the checkpoint before it. Then does the same on every node with a send that is newer than what
// is known. A checkpoint knows everything before it, so no node is walked further than from one to the next.
VectorStamp LogicalTime::stamp(EventRef event) const {
    EXPECTS(event.node + 1u < first_.size() && number(event) < first_[event.node + 1u], "logical_time.stamp");
    const std::size_t nodes = first_.size() - 1;
    VectorStamp known(nodes, 0);   // events of each node that are in the past
    VectorStamp walked(nodes, 0);  // events of each node whose own past is in `known` already
    std::vector<EventRef> todo = {event};
    while (!todo.empty()) {
        const EventRef at = todo.back();
        todo.pop_back();
        known[at.node] = std::max(known[at.node], at.index + 1);
        const std::uint32_t checkpoint = at.index - at.index % checkpoint_every;
        for (std::uint32_t index = at.index + 1; index-- > std::max(checkpoint + 1, walked[at.node]);) {
            const std::uint64_t number_here = first_[at.node] + index;
            const EventRef here{at.node, index};
            const std::uint64_t other = link_[number_here];
            if (other == no_link || this->event(here).kind == EventKind::Send) continue;
            const EventRef sent = ref(other);
            if (known[sent.node] < sent.index + 1) todo.push_back(sent);
        }
        if (walked[at.node] <= checkpoint) {
            const std::uint32_t* const stored = &checkpoints_[at.node][checkpoint / checkpoint_every * nodes];
            for (std::size_t i = 0; i < nodes; ++i) known[i] = std::max(known[i], stored[i]);
        }
        walked[at.node] = std::max(walked[at.node], at.index + 1);
    }
    return known;
}

bool LogicalTime::happens_before(EventRef a, EventRef b) const {
    if (a.node == b.node) return a.index < b.index;
    return stamp(b)[a.node] > a.index;
}

}  // namespace tmon_order
