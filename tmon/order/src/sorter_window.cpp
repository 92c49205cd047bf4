// The graph, from a window of messages (message_window.hpp). It has the nodes that it would have by now, in the order in which
// their records came, with their edges and ends.
#include <algorithm>
#include <memory>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "sorter_state.hpp"

namespace tmon_order {

namespace {

using Record = MessageWindow::Record;

// A record that the graph still needs. A reported one waits for its successor or for its target.
struct Needed {
    std::uint64_t step;
    RecordId id;
    Record record;
    bool reported;
};

std::vector<Needed> needed_records(const MessageWindow& window) {
    std::vector<Needed> needed;
    for (std::uint32_t index = 0; index < window.streams().size(); ++index) {
        const MessageWindow::Stream& stream = window.streams()[index];
        for (std::size_t i = 0; i < stream.waiting.size(); ++i)
            needed.push_back({stream.waiting[i].step, {index, stream.first_waiting + i}, stream.waiting[i], false});
        if (stream.next > 0 && stream.waiting.empty() && !stream.newest_is_unmatched)
            needed.push_back({0, {index, stream.next - 1}, {}, true});
    }
    for (std::uint32_t i = 0; i < window.channels().size(); ++i) {
        const MessageWindow::Channel& channel = window.channels()[i];
        for (std::uint32_t at = channel.first; channel.sources && at != MessageWindow::none; at = window.message(at).next) {
            const MessageWindow::Message& message = window.message(at);
            if (!message.source_is_reported) continue;
            needed.push_back({0, {channel.from, message.source}, {0, message.source_raw_ns, 0, at, true}, true});
        }
    }
    std::sort(needed.begin(), needed.end(), [](const Needed& a, const Needed& b) {
        return std::tie(a.step, a.id.stream, a.id.number) < std::tie(b.step, b.id.stream, b.id.number);
    });
    return needed;
}

// Channels of the messages with one end, by message.
std::vector<std::pair<std::uint32_t, Key>> channels_of_messages(const MessageWindow& window) {
    std::vector<std::pair<std::uint32_t, Key>> channels;
    for (std::uint32_t i = 0; i < window.channels().size(); ++i) {
        const MessageWindow::Channel& channel = window.channels()[i];
        for (std::uint32_t at = channel.first; at != MessageWindow::none; at = window.message(at).next)
            channels.emplace_back(at, channel.key);
    }
    std::sort(channels.begin(), channels.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return channels;
}

End end_of(const MessageWindow::Message& message, const Key& channel, Role role) {
    End end;
    end.key = message.key;
    end.role = role;
    end.channel = channel;
    end.source_may_be_late = message.source_may_be_late;
    end.from = message.from;
    end.to = message.to;
    end.key_is_of_channel = true;
    return end;
}

}  // namespace

// Sources and targets that are joined, and of which the target is not reported.
void CausalSorter::State::tie_again(const MessageWindow& of, std::uint32_t node, const MessageWindow::Message& message,
                                    std::span<const std::uint32_t> source_nodes) {
    nodes[node].loose = message.source_may_be_late;
    if (message.source_is_reported) {
        take_cause(nodes[node], {{message.from, message.source}, message.source_raw_ns, message.source_final_ns});
        return;
    }
    const std::uint64_t first = of.streams()[message.from].first_waiting;
    const std::uint32_t source = source_nodes[message.source - first];
    ++nodes[node].waits;
    push(nodes[source].effects, node);
    push(nodes[node].causes, source);
}

std::uint32_t CausalSorter::State::make_again(const MessageWindow::Stream& of, RecordId id, const Record& record,
                                              bool reported) {
    const std::uint32_t index = make_node(SortedRecord::Kind::Record, id, id.number, record.payload);
    Node& node = nodes[index];
    node.raw_ns = record.raw_ns;
    node.step = record.step;
    node.awaits = id.number + 1 == of.next ? 1 : 0;
    node.reported = reported;
    if (reported) --pending;
    return index;
}

void CausalSorter::State::leave_window() {
    const std::unique_ptr<MessageWindow> left = std::exchange(window, nullptr);
    const SorterCounts counted = counts;
    std::vector<std::vector<std::uint32_t>> waiting(streams.size());  // their nodes, by stream
    const std::vector<Needed> needed = needed_records(*left);
    const std::vector<std::pair<std::uint32_t, Key>> channel_keys = channels_of_messages(*left);
    std::vector<std::uint32_t> made;
    for (const Needed& one : needed) {
        made.push_back(make_again(left->streams()[one.id.stream], one.id, one.record, one.reported));
        if (!one.reported) waiting[one.id.stream].push_back(made.back());
        const MessageWindow::Stream& of = left->streams()[one.id.stream];
        if (one.reported && one.id.number + 1 == of.next) nodes[made.back()].final_ns = of.newest_final_ns;
        if (one.reported && one.record.message != none)
            nodes[made.back()].final_ns = left->message(one.record.message).source_final_ns;
        if (one.id.number + 1 == of.next) streams[one.id.stream].numbers.add(0, one.id.number, made.back());
    }
    for (std::uint32_t index = 0; index < streams.size(); ++index) follow_again(index, left->streams()[index], waiting[index]);
    for (std::size_t i = 0; i < needed.size(); ++i) {
        if (needed[i].record.message == none) continue;
        const MessageWindow::Message& message = left->message(needed[i].record.message);
        const bool source = needed[i].record.is_source;
        if (!message.source_is_here || !message.target_is_here) {
            const auto channel = std::lower_bound(channel_keys.begin(), channel_keys.end(), needed[i].record.message,
                                                  [](const auto& a, std::uint32_t b) { return a.first < b; });
            attach(made[i], end_of(message, channel->second, source ? Role::Source : Role::Target));
        } else if (!source) {
            tie_again(*left, made[i], message, waiting[message.from]);
        }
    }
    counts = counted;
}

// Each waiting record behind the one before it.
void CausalSorter::State::follow_again(std::uint32_t index, const MessageWindow::Stream& of,
                                       std::span<const std::uint32_t> waiting) {
    Stream& stream = streams[index];
    stream.drift_ns = of.drift_ns;
    stream.forced_by = of.forced_by;
    if (waiting.empty()) return;
    stream.frontier = waiting.front();
    if (of.first_waiting > 0) after(nodes[waiting.front()], of.newest_final_ns, {index, of.first_waiting - 1});
    for (std::size_t i = 1; i < waiting.size(); ++i) {
        nodes[waiting[i - 1]].next = waiting[i];
        ++nodes[waiting[i]].waits;
    }
}

}  // namespace tmon_order
