#include "filter_parameters.hpp"

#include <limits>
#include <map>
#include <set>

#include <vocabulary/nearest_name.hpp>

#include "library_refs.hpp"

namespace babeltrace_filter {
namespace {

[[noreturn]] void wrong(const std::string& name, const std::string& why) {
    throw FilterError("parameter '" + name + "': " + why);
}

std::string text_of(const std::string& name, const bt_value* value) {
    if (!bt_value_is_string(value)) wrong(name, "give a string");
    std::string text = bt_value_string_get(value);
    if (text.empty()) wrong(name, "the string is empty");
    return text;
}

// One string, or an array of them.
Names names_of(const std::string& name, const bt_value* value) {
    if (bt_value_is_string(value)) return {text_of(name, value)};
    if (!bt_value_is_array(value)) wrong(name, "give a string or an array of strings");
    Names names;
    for (std::uint64_t i = 0; i < bt_value_array_get_length(value); ++i) {
        const bt_value* element = bt_value_array_borrow_element_by_index_const(value, i);
        if (!bt_value_is_string(element)) wrong(name, "give a string or an array of strings");
        names.push_back(text_of(name, element));
    }
    if (names.empty()) wrong(name, "the array is empty");
    return names;
}

// The command line's `5` is a signed integer, `+5` an unsigned one.
std::uint64_t number_of(const std::string& name, const bt_value* value, std::uint64_t most) {
    const std::string range = "give a whole number from 0 to " + std::to_string(most);
    std::uint64_t number = 0;
    if (bt_value_is_unsigned_integer(value)) {
        number = bt_value_integer_unsigned_get(value);
    } else if (bt_value_is_signed_integer(value) && bt_value_integer_signed_get(value) >= 0) {
        number = static_cast<std::uint64_t>(bt_value_integer_signed_get(value));
    } else {
        wrong(name, range);
    }
    if (number > most) wrong(name, range);
    return number;
}

class Reader {
public:
    FilterParameters read(const bt_value* map) {
        const auto visit = [](const char* key, const bt_value* value, void* self) {
            static_cast<Reader*>(self)->values_.emplace(key, value);
            static_cast<Reader*>(self)->given_.insert(key);
            return BT_VALUE_MAP_FOREACH_ENTRY_CONST_FUNC_STATUS_OK;
        };
        if (map != nullptr) check(bt_value_map_foreach_entry_const(map, visit, this));
        FilterParameters result;
        take_ends(result);
        take_barriers(result);
        number("latency", result.least_latency_ns, 1'000'000'000'000);
        number("give-up-after", result.give_up_after, std::numeric_limits<std::int64_t>::max());
        number("spare-streams", result.spare_streams, 1U << 20);
        number("kept-sends", result.kept_sends, 1U << 24);
        refuse_unknown();
        check_together(result);
        refuse_without_effect(result);
        return result;
    }

private:
    const bt_value* value(const std::string& name) {
        known_.push_back(name);
        const auto found = values_.find(name);
        if (found == values_.end()) return nullptr;
        const bt_value* const one = found->second;
        values_.erase(found);
        return one;
    }
    void names(const std::string& name, Names& to) {
        if (const bt_value* one = value(name)) to = names_of(name, one);
    }
    void text(const std::string& name, std::string& to) {
        if (const bt_value* one = value(name)) to = text_of(name, one);
    }
    template <class Number>
    void number(const std::string& name, Number& to, std::uint64_t most) {
        if (const bt_value* one = value(name)) to = static_cast<Number>(number_of(name, one, most));
    }
    // `key` for both ends; `send-key` and `receive-key` for one.
    template <class Value, class Take>
    void both(const std::string& name, Value& send, Value& receive, const Take& take) {
        take(name, send);
        receive = send;
        take("send-" + name, send);
        take("receive-" + name, receive);
    }
    void take_ends(FilterParameters& to) {
        const auto take_names = [this](const std::string& name, Names& into) { names(name, into); };
        const auto take_text = [this](const std::string& name, std::string& into) { text(name, into); };
        names("send", to.send);
        names("receive", to.receive);
        both("key", to.send_key, to.receive_key, take_names);
        both("channel", to.send_channel, to.receive_channel, take_names);
        both("number", to.send_number, to.receive_number, take_text);
        both("partner", to.send_partner, to.receive_partner, take_text);
    }
    void take_barriers(FilterParameters& to) {
        names("barrier-begin", to.barrier_begin);
        names("barrier-end", to.barrier_end);
        names("group", to.group);
        text("members", to.members);
        text("instance", to.instance);
    }
    void refuse_unknown() const {
        if (values_.empty()) return;
        const std::string& name = values_.begin()->first;
        const std::optional<std::string> nearest = vocabulary::nearest_name(name, known_);
        wrong(name, "there is no such parameter" + (nearest ? "; did you mean '" + *nearest + "'?" : std::string()));
    }
    static void check_together(const FilterParameters& all) {
        if (all.send.empty() && all.barrier_begin.empty())
            wrong("send", "it is missing; name the events that are sends, and those that are receives with 'receive'");
        if (all.send.empty() != all.receive.empty()) wrong(all.send.empty() ? "send" : "receive", "it is missing");
        if (!all.send.empty() && (all.send_key.empty() || all.receive_key.empty()))
            wrong("key", "it is missing; name the fields whose values are equal at a send and its receive");
        if (all.send_key.size() != all.receive_key.size())
            wrong("receive-key", "it has another number of fields than the key of the sends");
        if (all.send_channel.size() != all.receive_channel.size())
            wrong("receive-channel", "it has another number of fields than the channel of the sends");
        if (all.send_number.empty() != all.receive_number.empty()) wrong("number", "it is missing for one of the ends");
        if (all.send_number.empty() != all.send_channel.empty())
            wrong(all.send_number.empty() ? "number" : "channel", "it is missing; numbers count the messages of a channel");
        if (all.barrier_begin.empty() != all.barrier_end.empty())
            wrong(all.barrier_begin.empty() ? "barrier-begin" : "barrier-end", "it is missing");
    }

    void refuse(const std::vector<std::string>& names, const std::string& why) const {
        for (const std::string& name : names) {
            if (given_.contains(name)) wrong(name, why);
        }
    }
    void refuse_without_effect(const FilterParameters& all) const {
        const auto no = [](const char* what) {
            return std::string("it has no effect, since no event is ") + what + "; leave it out, or name those events";
        };
        std::vector<std::string> of_messages{"kept-sends"};
        for (const char* const name : {"key", "channel", "number", "partner"}) {
            for (const char* const end : {"", "send-", "receive-"}) of_messages.push_back(std::string(end) + name);
            if (given_.contains(std::string("send-") + name) && given_.contains(std::string("receive-") + name))
                refuse({name}, "it has no effect, since both ends have their own; leave it out");
        }
        if (all.send.empty()) refuse(of_messages, no("a send ('send')"));
        if (all.barrier_begin.empty()) refuse({"group", "members", "instance"}, no("of a barrier ('barrier-begin')"));
    }

    std::map<std::string, const bt_value*> values_;
    std::set<std::string> given_;
    std::vector<std::string> known_;
};

}  // namespace

FilterParameters read_parameters(const bt_value* map) {
    return Reader().read(map);
}

}  // namespace babeltrace_filter
