#include "event_ends.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>

namespace babeltrace_filter {

using tmon_order::End;
using tmon_order::Group;
using tmon_order::Key;
using tmon_order::Role;
using tmon_order::Shape;

namespace {

enum Tag : std::uint64_t { Message = 1, Channel, GroupName, Barrier };
constexpr std::size_t most_members = 1U << 20;
constexpr std::uint64_t counters_end = std::uint64_t{1} << 62;  // those of the sorter

// A field that counts messages or operations.
std::uint64_t counter_in(const bt_field* field) {
    const std::uint64_t number = number_in(field);
    if (number >= counters_end)
        throw FilterError("a field that 'number' or 'instance' names is below 0, or 2^62 or more; name one that counts from 0");
    return number;
}

}  // namespace

bool EventEnds::before(const Key& a, const Key& b) {
    return a.where != b.where ? a.where < b.where : a.what < b.what;
}

void EventEnds::add_stream(std::uint32_t index, const bt_stream* stream) {
    if (streams_.size() <= index) streams_.resize(index + 1);
    Stream& to = streams_[index];
    to.stream_class = bt_stream_borrow_class_const(stream);
    to.id = bt_stream_get_id(stream);
    to.trace = traces_.emplace(bt_stream_borrow_trace_const(stream), traces_.size()).first->second;
    by_id_.emplace(std::pair(to.stream_class, to.id), index);
}

void EventEnds::lost(std::uint32_t index) {
    streams_[index].lossy = true;
}

// 128 bits, so that two messages do not get one key by chance.
Key EventEnds::key_of(const bt_event* event, const std::vector<FieldPlace>& places, std::uint64_t tag) {
    bytes_.assign(reinterpret_cast<const char*>(&tag), sizeof tag);
    append_values(event, places, bytes_);
    const XXH128_hash_t hash = XXH3_128bits(bytes_.data(), bytes_.size());
    return {hash.high64, hash.low64};
}

std::uint32_t EventEnds::stream_with(const Stream& beside, std::uint64_t id) const {
    const auto found = by_id_.find({beside.stream_class, id});
    return found != by_id_.end() ? found->second : unknown_stream;
}

void EventEnds::append(std::uint32_t index, const bt_event* event, const EventRule& rule, std::vector<End>& ends) {
    if (rule.part == Part::Send || rule.part == Part::Receive) message(index, event, rule, ends);
    if (rule.part == Part::BarrierBegin || rule.part == Part::BarrierEnd) barrier(index, event, rule, ends);
}

// A receiver does not know whether others get the message too. A sender knows when it names its partner.
void EventEnds::message(std::uint32_t index, const bt_event* event, const EventRule& rule, std::vector<End>& ends) {
    const bool send = rule.part == Part::Send;
    std::uint32_t partner = unknown_stream;
    if (rule.partner) {
        const bt_field* field = field_at(event, *rule.partner);
        if (field != nullptr) partner = stream_with(streams_[index], number_in(field));
    }
    End& end = ends.emplace_back();
    end.key = key_of(event, rule.key, Message);
    end.role = send ? Role::Source : Role::Target;
    end.shape = send && partner != unknown_stream ? Shape::Message : Shape::Cast;
    end.from = send ? index : partner;
    end.to = send ? partner : index;
    end.receives_in_order = false;
    if (rule.number) {
        const bt_field* field = field_at(event, *rule.number);
        end.channel = key_of(event, rule.channel, Channel);
        end.number = field != nullptr ? counter_in(field) : 0;
    } else if (partner == unknown_stream) {
        end.channel = {Channel, 0};
        end.number = 0;  // nothing follows from later messages
    } else {
        end.channel = {Channel, std::uint64_t{end.from} << 32 | end.to};
        if (!send) end.shape = Shape::Message;
    }
}

std::shared_ptr<const Group> EventEnds::group_of(const Stream& stream, const Key& group, const bt_event* event,
                                                 const EventRule& rule) {
    auto& known = groups_[{group.where, group.what}];
    if (known != nullptr) return known;
    auto members = std::make_shared<Group>();
    if (rule.members) {
        const bt_field* field = field_at(event, *rule.members);
        const std::uint64_t count = field != nullptr ? bt_field_array_get_length(field) : 0;
        for (std::uint64_t i = 0; i < std::min<std::uint64_t>(count, most_members); ++i)
            members->push_back(stream_with(stream, number_in(bt_field_array_borrow_element_field_by_index_const(field, i))));
    } else {
        for (std::uint32_t i = 1; i < streams_.size(); ++i) {
            if (streams_[i].stream_class == stream.stream_class && streams_[i].trace == stream.trace) members->push_back(i);
        }
    }
    return known = std::move(members);
}

void EventEnds::barrier(std::uint32_t index, const bt_event* event, const EventRule& rule, std::vector<End>& ends) {
    Stream& stream = streams_[index];
    const bool begins = rule.part == Part::BarrierBegin;
    Key group = key_of(event, rule.key, GroupName);
    group.where ^= stream.trace;
    std::uint64_t number = 0;
    if (rule.instance) {
        const bt_field* field = field_at(event, *rule.instance);
        number = field != nullptr ? counter_in(field) : 0;
    } else {
        if (stream.lossy) return;
        auto& counts = stream.barriers[group];
        number = begins ? counts.first++ : counts.second++;
    }
    const std::shared_ptr<const Group> members = group_of(stream, group, event, rule);
    const auto self = std::find(members->begin(), members->end(), index);
    if (self == members->end() || members->size() < 2) return;
    if (std::find(members->begin(), members->end(), unknown_stream) != members->end()) return;
    End& end = ends.emplace_back();
    end.key = {group.where ^ Barrier << 60, group.what + number};
    end.role = begins ? Role::Source : Role::Target;
    end.shape = Shape::AllToAll;
    end.channel = group;
    end.number = number;
    end.group = members;
    end.rank = static_cast<std::uint32_t>(self - members->begin());
}

}  // namespace babeltrace_filter
