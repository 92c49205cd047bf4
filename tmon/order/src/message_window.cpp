#include "message_window.hpp"

#include <algorithm>
#include <limits>

namespace tmon_order {

namespace {

constexpr std::size_t few_channels = 4;
constexpr std::int64_t never = std::numeric_limits<std::int64_t>::min();

}  // namespace

std::uint32_t MessageWindow::first_channel(std::uint32_t from, std::uint32_t to) const {
    const Stream& stream = streams_[from];
    if (!stream.channel_to.empty()) return stream.channel_to[to];
    for (const auto& [target, channel] : stream.channels) {
        if (target == to) return channel;
    }
    return none;
}

void MessageWindow::expect(std::span<const End> ends) {
    const auto is_known = [&](const End& end) { return std::max(end.from, end.to) < streams_.size(); };
    for (const End& end : ends) {
        if (is_known(end) && !streams_[end.from].channel_to.empty()) __builtin_prefetch(&streams_[end.from].channel_to[end.to]);
    }
    for (const End& end : ends) {
        const std::uint32_t channel = is_known(end) ? first_channel(end.from, end.to) : none;
        if (channel != none) __builtin_prefetch(&channels_[channel]);
    }
    for (const End& end : ends) {
        const std::uint32_t channel = is_known(end) ? first_channel(end.from, end.to) : none;
        if (channel != none && channels_[channel].first != none) __builtin_prefetch(&messages_[channels_[channel].first]);
    }
}

std::uint32_t MessageWindow::find_channel(const End& end) const {
    std::uint32_t channel = first_channel(end.from, end.to);
    while (channel != none && !(channels_[channel].key == end.channel)) channel = channels_[channel].same_streams;
    return channel;
}

std::uint32_t MessageWindow::open_channel(const End& end) {
    const std::uint32_t index = channels_.take();
    Channel& channel = channels_[index];
    channel.key = end.channel;
    channel.from = end.from;
    channel.to = end.to;
    channel.same_streams = first_channel(end.from, end.to);
    Stream& stream = streams_[end.from];
    if (!stream.channel_to.empty()) {
        stream.channel_to[end.to] = index;
        return index;
    }
    const auto known =
        std::find_if(stream.channels.begin(), stream.channels.end(), [&](const auto& one) { return one.first == end.to; });
    if (known != stream.channels.end()) {
        known->second = index;
    } else if (stream.channels.size() < few_channels) {
        stream.channels.emplace_back(end.to, index);
    } else {
        stream.channel_to.assign(streams_.size(), none);
        for (const auto& [target, first] : stream.channels) stream.channel_to[target] = first;
        stream.channel_to[end.to] = index;
        stream.channels = {};
    }
    return index;
}

// A stream with many targets knows only channels with messages, so that they fit into the cache.
void MessageWindow::close_channel(std::uint32_t index) {
    const Channel& channel = channels_[index];
    Stream& stream = streams_[channel.from];
    if (stream.channel_to.empty()) return;
    std::uint32_t* at = &stream.channel_to[channel.to];
    while (*at != index) at = &channels_[*at].same_streams;
    *at = channel.same_streams;
    channels_.release(index);
}

// The other end is the first of the queue, or has not come.
bool MessageWindow::joins_in_order(const Channel& channel, const End& end) const {
    if (channel.first == none) return true;
    const bool source = end.role == Role::Source;
    if (channel.sources == source) return !source || channel.count < options_.most_waiting;
    return messages_[channel.first].key == end.key;
}

bool MessageWindow::takes(RecordId id, std::span<const End> ends) const {
    if (ends.size() > 1) return false;
    if (ends.empty()) return true;
    const End& end = ends.front();
    if (end.shape != Shape::Message || end.number || !end.key_is_of_channel || end.from == end.to) return false;
    return (end.role == Role::Source ? end.from : end.to) == id.stream && std::max(end.from, end.to) < streams_.size();
}

bool MessageWindow::insert(RecordId id, std::int64_t raw_ns, std::uint64_t payload, std::span<const End> ends) {
    Stream& stream = streams_[id.stream];
    if (id.number < stream.next) {
        ++counts_.repeated;
        return true;
    }
    if (id.number > stream.next || !takes(id, ends)) return false;
    std::uint32_t channel = none;
    if (!ends.empty()) {
        channel = find_channel(ends.front());
        if (channel == none) {
            channel = open_channel(ends.front());
        } else if (!joins_in_order(channels_[channel], ends.front())) {
            return false;
        }
    }
    ++counts_.records;
    ++counts_.steps;
    ++counts_.window;
    ++counts_.unreported;
    // The record before it has its successor now.
    if (stream.next > 0 && stream.waiting.empty() && !stream.newest_is_unmatched) --counts_.window;
    ++stream.next;
    stream.newest_is_unmatched = false;
    Record record{payload, raw_ns, counts_.steps, none, false};
    if (!ends.empty()) attach(record, id, ends.front(), channel);
    const bool first = stream.waiting.empty();
    stream.waiting.push(record);
    if (first && is_free(stream)) {
        freed_.push_back(id.stream);
        settle();
    }
    counts_.window_sum += counts_.window;
    counts_.unreported_sum += counts_.unreported;
    counts_.most_window = std::max(counts_.most_window, counts_.window);
    counts_.most_unreported = std::max(counts_.most_unreported, counts_.unreported);
    return true;
}

void MessageWindow::attach(Record& record, RecordId id, const End& end, std::uint32_t at) {
    Channel& channel = channels_[at];
    record.is_source = end.role == Role::Source;
    const bool joins = channel.first != none && channel.sources != record.is_source;
    if (joins) {
        record.message = channel.first;
        channel.first = messages_[record.message].next;
        if (channel.first == none) channel.last = none;
        --channel.count;
        ++counts_.joined;
    } else {
        record.message = messages_.take();
        (channel.last == none ? channel.first : messages_[channel.last].next) = record.message;
        channel.last = record.message;
        channel.sources = record.is_source;
        ++channel.count;
    }
    Message& message = messages_[record.message];
    message.key = end.key;
    message.from = end.from;
    message.to = end.to;
    if (joins && channel.first == none) close_channel(at);
    if (record.is_source) {
        message.source = id.number;
        message.source_is_here = true;
        streams_[id.stream].newest_is_unmatched = !joins;
        return;
    }
    message.target = id.number;
    message.target_is_here = true;
    message.source_may_be_late = end.source_may_be_late;
    if (joins) join_source(streams_[end.from], message);
}

// The target of a source has come.
void MessageWindow::join_source(Stream& stream, const Message& message) {
    if (message.source + 1 == stream.next) {
        stream.newest_is_unmatched = false;
    } else if (message.source < stream.first_waiting) {
        --counts_.window;
    }
}

bool MessageWindow::is_free(const Stream& stream) const {
    const Record& record = stream.waiting.front();
    return record.message == none || record.is_source || messages_[record.message].source_is_reported;
}

// In the order of figure 2: a record, then what followed from it alone, first its target.
void MessageWindow::settle() {
    for (std::size_t at = 0; at < freed_.size(); ++at) report(freed_[at]);
    freed_.clear();
}

// Section 2.6. Of two causes with equal times the one of the first stream counts, whatever came first.
void MessageWindow::set_time(Stream& of, std::uint32_t stream, const Record& record) {
    std::int64_t need_ns = never;
    RecordId needed_by;
    if (of.first_waiting > 0) {
        need_ns = of.newest_final_ns;
        needed_by = {stream, of.first_waiting - 1};
    }
    given_.source.reset();
    if (record.message != none && !record.is_source) {
        const Message& message = messages_[record.message];
        const Cause cause{{message.from, message.source}, message.source_raw_ns, message.source_final_ns};
        const std::int64_t from_cause_ns = cause.final_ns + options_.least_latency_ns;
        if (from_cause_ns > need_ns || (from_cause_ns == need_ns && cause.id.stream < needed_by.stream)) {
            need_ns = from_cause_ns;
            needed_by = cause.id;
        }
        given_.source = cause;
    }
    if (need_ns != never && need_ns - record.raw_ns > of.drift_ns) {
        of.drift_ns = need_ns - record.raw_ns;
        of.forced_by = needed_by;
    }
    of.newest_final_ns = record.raw_ns + of.drift_ns;
}

void MessageWindow::report(std::uint32_t index) {
    Stream& stream = streams_[index];
    const Record record = stream.waiting.front();
    stream.waiting.pop();
    set_time(stream, index, record);
    const std::uint64_t number = stream.first_waiting++;
    given_.id = {index, number};
    given_.last = number;
    given_.payload = record.payload;
    given_.raw_ns = record.raw_ns;
    given_.final_ns = stream.newest_final_ns;
    given_.forced_by = stream.forced_by;
    const std::uint64_t waited = counts_.steps - record.step;
    ++counts_.reported;
    --counts_.unreported;
    counts_.waited_sum += waited;
    counts_.most_waited = std::max(counts_.most_waited, waited);
    output_.report(given_);
    const bool has_next = number + 1 < stream.next;
    if (record.is_source) {
        source_reported(messages_[record.message], record, stream.newest_final_ns);
        if (has_next && messages_[record.message].target_is_here) --counts_.window;
    } else {
        if (record.message != none) messages_.release(record.message);
        if (has_next) --counts_.window;
    }
    if (!stream.waiting.empty() && is_free(stream)) freed_.push_back(index);
}

void MessageWindow::source_reported(Message& message, const Record& record, std::int64_t final_ns) {
    message.source_is_reported = true;
    message.source_raw_ns = record.raw_ns;
    message.source_final_ns = final_ns;
    if (!message.target_is_here) return;
    const std::uint32_t to = message.to;
    if (streams_[to].first_waiting == message.target) freed_.push_back(to);
}

// The stream for whose record the first waiting one of this stream waits, if that has come; else none.
std::uint32_t MessageWindow::awaited(std::uint32_t index) const {
    const Stream& stream = streams_[index];
    if (stream.waiting.empty() || is_free(stream)) return none;
    const Message& message = messages_[stream.waiting.front().message];
    return message.source_is_here ? message.from : none;
}

bool MessageWindow::has_circle() const {
    std::vector<std::uint32_t> walk(streams_.size(), none);  // the stream from which each was reached
    for (std::uint32_t start = 0; start < streams_.size(); ++start) {
        std::uint32_t at = start;
        while (at != none && walk[at] == none) {
            walk[at] = start;
            at = awaited(at);
        }
        if (at != none && walk[at] == start) return true;
    }
    return false;
}

}  // namespace tmon_order
