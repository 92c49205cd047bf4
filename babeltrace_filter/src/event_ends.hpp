// EventEnds: the ends (tmon_order/communication.hpp) of an event, from its rule and its values.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <tmon_order/communication.hpp>

#include "event_rules.hpp"

namespace babeltrace_filter {

// Stream 0 of the sorter stands for those that nobody knows.
inline constexpr std::uint32_t unknown_stream = 0;

class EventEnds {
public:
    // A stream of the sorter, and the stream that it is.
    void add_stream(std::uint32_t index, const bt_stream* stream);
    // The stream lost events: barriers that are counted have unknown numbers from now on.
    void lost(std::uint32_t index);
    // Appends the ends of the stream's next event, of which there is at most one.
    void append(std::uint32_t index, const bt_event* event, const EventRule& rule, std::vector<tmon_order::End>& ends);

private:
    struct Stream {
        const bt_stream_class* stream_class = nullptr;
        std::uint64_t trace = 0;  // number in the order in which traces came
        std::uint64_t id = 0;
        bool lossy = false;
        std::map<tmon_order::Key, std::pair<std::uint64_t, std::uint64_t>,
                 bool (*)(const tmon_order::Key&, const tmon_order::Key&)>
            barriers{before};  // begun and ended, by group
    };
    static bool before(const tmon_order::Key& a, const tmon_order::Key& b);
    tmon_order::Key key_of(const bt_event* event, const std::vector<FieldPlace>& places, std::uint64_t tag);
    std::uint32_t stream_with(const Stream& beside, std::uint64_t id) const;
    void message(std::uint32_t index, const bt_event* event, const EventRule& rule, std::vector<tmon_order::End>& ends);
    void barrier(std::uint32_t index, const bt_event* event, const EventRule& rule, std::vector<tmon_order::End>& ends);
    std::shared_ptr<const tmon_order::Group> group_of(const Stream& stream, const tmon_order::Key& group, const bt_event* event,
                                                      const EventRule& rule);

    std::vector<Stream> streams_;
    std::unordered_map<const bt_trace*, std::uint64_t> traces_;
    std::map<std::pair<const bt_stream_class*, std::uint64_t>, std::uint32_t> by_id_;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::shared_ptr<const tmon_order::Group>> groups_;
    std::string bytes_;
};

}  // namespace babeltrace_filter
