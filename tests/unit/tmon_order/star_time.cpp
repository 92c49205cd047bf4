#include "star_time.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include <tmon_order/message_matcher.hpp>

namespace tmon_order {

namespace {

constexpr std::uint32_t nothing = std::numeric_limits<std::uint32_t>::max();

// Nodes that touch each edge, `forced` among them. On a forest no fewer will do: the neighbour of a leaf is never a worse
// choice than the leaf. On other networks a node with most open edges is taken when there is no leaf.
std::vector<std::uint16_t> cover_of(std::vector<std::set<std::uint16_t>> neighbours, const std::vector<bool>& forced) {
    std::vector<bool> chosen = forced;
    const auto choose = [&](std::uint16_t node) {
        chosen[node] = true;
        for (const std::uint16_t other : neighbours[node]) neighbours[other].erase(node);
        neighbours[node].clear();
    };
    for (std::uint16_t node = 0; node < forced.size(); ++node)
        if (forced[node]) choose(node);
    for (;;) {
        std::optional<std::uint16_t> leaf, most;
        for (std::uint16_t node = 0; node < neighbours.size(); ++node) {
            if (neighbours[node].size() == 1 && !leaf) leaf = node;
            if (!neighbours[node].empty() && (!most || neighbours[node].size() > neighbours[*most].size())) most = node;
        }
        if (!most) break;
        choose(leaf ? *neighbours[*leaf].begin() : *most);
    }
    std::vector<std::uint16_t> nodes;
    for (std::uint16_t node = 0; node < chosen.size(); ++node)
        if (chosen[node]) nodes.push_back(node);
    return nodes;
}

struct Ends {  // event numbers of a message; `other` is `nothing` when only one end was recorded
    std::uint32_t node = 0, other_node = nothing;
};

}  // namespace

// Gives each message its stamp when it is the next of both ends.
class StarTime::Replay {
public:
    Replay(StarTime& owner, const tmon_streams::Trace& trace) : owner_(owner), trace_(trace), next_(trace.streams.size()) {
        join_messages();
        find_chains();
    }

    bool run() {
        owner_.stamps_.resize(ends_.size() * owner_.entries());
        clock_.assign(next_.size(), VectorStamp(owner_.entries()));
        std::vector<std::uint16_t> ready;
        for (std::uint16_t node = 0; node < next_.size(); ++node) ready.push_back(node);
        std::size_t done = 0;
        while (!ready.empty()) {
            const std::uint16_t node = ready.back();
            ready.pop_back();
            while (const auto other = step(node)) {
                ++done;
                if (*other != nothing) ready.push_back(static_cast<std::uint16_t>(*other));
            }
        }
        return done == ends_.size();
    }

private:
    void join_messages() {
        MessageMatcher matcher(trace_.streams.size());
        std::vector<std::uint32_t> message_of;  // by event number
        for (const tmon_streams::Stream& stream : trace_.streams) {
            auto& of_node = owner_.message_.emplace_back();
            of_node.reserve(stream.size());
            for (const auto part : stream.in_passing()) {
                for (const Event& event : part) {
                    const auto other = matcher.match(event, message_of.size());
                    if (other) {
                        ends_[message_of[*other]].other_node = stream.node;
                    } else {
                        ends_.push_back({stream.node});
                    }
                    message_of.push_back(other ? message_of[*other] : static_cast<std::uint32_t>(ends_.size() - 1));
                    of_node.push_back(message_of.back());
                }
            }
        }
    }

    void find_chains() {
        std::vector<std::set<std::uint16_t>> neighbours(next_.size());
        std::vector<bool> forced(next_.size());
        for (const Ends& message : ends_) {
            if (message.other_node == nothing) {
                forced[message.node] = true;
                continue;
            }
            neighbours[message.node].insert(static_cast<std::uint16_t>(message.other_node));
            neighbours[message.other_node].insert(static_cast<std::uint16_t>(message.node));
        }
        owner_.chain_nodes_ = cover_of(std::move(neighbours), forced);
        const auto& nodes = owner_.chain_nodes_;
        for (const Ends& message : ends_) {
            auto place = std::lower_bound(nodes.begin(), nodes.end(), message.node);
            if (place == nodes.end() || *place != message.node)
                place = std::lower_bound(nodes.begin(), nodes.end(), message.other_node);
            owner_.chain_.push_back(static_cast<std::uint32_t>(place - nodes.begin()));
        }
    }

    // The node's next message, if it is the next of its other end too: that end's node, or `nothing` when there is none.
    std::optional<std::uint32_t> step(std::uint16_t node) {
        const auto& of_node = owner_.message_[node];
        if (next_[node] == of_node.size()) return std::nullopt;
        const std::uint32_t message = of_node[next_[node]];
        const Ends& ends = ends_[message];
        std::uint32_t other = ends.other_node;
        if (other == node) other = ends.node;
        VectorStamp& here = clock_[node];
        if (other != nothing) {
            if (owner_.message_[other].size() == next_[other] || owner_.message_[other][next_[other]] != message)
                return std::nullopt;
            for (std::size_t i = 0; i < here.size(); ++i) here[i] = std::max(here[i], clock_[other][i]);
        }
        ++here[owner_.chain_[message]];
        std::copy(here.begin(), here.end(), owner_.stamps_.begin() + static_cast<std::ptrdiff_t>(message * here.size()));
        ++next_[node];
        if (other != nothing) {
            clock_[other] = here;
            ++next_[other];
        }
        return other;
    }

    StarTime& owner_;
    const tmon_streams::Trace& trace_;
    std::vector<std::size_t> next_;  // by node: index of its next event
    std::vector<Ends> ends_;         // by message
    std::vector<VectorStamp> clock_;
};

std::optional<StarTime> StarTime::of(const tmon_streams::Trace& trace) {
    StarTime time;
    if (!Replay(time, trace).run()) return std::nullopt;
    return time;
}

VectorStamp StarTime::stamp(EventRef event) const {
    const std::size_t at = message_.at(event.node).at(event.index) * entries();
    const auto first = stamps_.begin() + static_cast<std::ptrdiff_t>(at);
    return {first, first + static_cast<std::ptrdiff_t>(entries())};
}

bool StarTime::happens_before(EventRef a, EventRef b) const {
    const std::size_t first = message_.at(a.node).at(a.index), second = message_.at(b.node).at(b.index);
    if (first == second) return false;
    const std::uint32_t chain = chain_[first];
    return stamps_[second * entries() + chain] >= stamps_[first * entries() + chain];
}

}  // namespace tmon_order
