// Ranges of an axis: whole numbers, times and other numbers.
#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include <scenario/settings.hpp>

#include "axis_values.hpp"

namespace sweeps {

using topologies::YamlValue;

namespace {

constexpr std::int64_t most_number = INT64_MAX / 4;

bool is_whole(const std::string& text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}
bool is_time(const std::string& text) {
    return text.ends_with('s') && !text.empty() && (text[0] == '.' || (text[0] >= '0' && text[0] <= '9'));
}

// A thousandth of the unit that a time is written in: 1 us for "3ms".
std::int64_t grain_of(const std::string& text) {
    if (text.ends_with("ps") || text.ends_with("ns")) return 1;
    if (text.ends_with("us")) return 1'000;
    return text.ends_with("ms") ? 1'000'000 : 1'000'000'000;
}

class RangeReader {
public:
    RangeReader(const YamlValue& given, const std::string& setting) : given_(given), is_place_(setting.empty()) {
        given.only_keys({"from", "to", "step", "steps", "scale"});
        from_ = given.at("from").text();
        if (const auto step = given.find("step"); step && given.find("steps"))
            step->fail("'step' and 'steps' are given; leave one of the two out");
        const scenario::SettingRow* row = scenario::find_setting(setting);
        is_cost_ = row == nullptr && !is_place_;
        if (const auto scale = given.find("scale")) {
            log_ = scale->one_of({"linear", "log"}) == "log";
            if (!given.find("steps")) scale->fail("a 'scale' needs 'steps', the number of values, as 'steps: 5'");
        }
    }

    Sequence read() const {
        if (is_time(from_)) return times();
        if (is_whole(from_) && !(is_cost_ && (given_.find("steps") || is_part(given_.find("step"))))) return whole_numbers();
        return numbers();
    }

private:
    static bool is_part(const std::optional<YamlValue>& step) { return step && !is_whole(step->text()); }

    Sequence times() const {
        const auto read = [this](const char* key) { return given_.at(key).time().in_ps(); };
        const std::int64_t from = read("from"), to = read("to"), grain = grain_of(from_);
        refuse_backwards(from, to);
        const auto text = [](std::int64_t ps) { return topologies::time_text(vocabulary::SimTime::ps(ps)); };
        if (given_.find("steps")) return in_steps(from, to, grain, text);
        if (!given_.find("step") && !is_place_)
            given_.fail("a range of times needs 'step: TIME', or 'steps: NUMBER' for so many values");
        const std::int64_t step = given_.find("step") ? read("step") : grain;
        if (step <= 0) given_.at("step").fail("a step of 0 leads nowhere; give a longer one");
        return by_step(from, to, step, text);
    }

    Sequence whole_numbers() const {
        const std::int64_t from = given_.at("from").integer(0, most_number), to = given_.at("to").integer(0, most_number);
        refuse_backwards(from, to);
        const auto text = [](std::int64_t value) { return std::to_string(value); };
        if (given_.find("steps")) return in_steps(from, to, 1, text);
        const auto step = given_.find("step");
        return by_step(from, to, step ? step->integer(1, most_number) : 1, text);
    }

    Sequence numbers() const {
        const double from = given_.at("from").number(), to = given_.at("to").number();
        if (to < from) given_.at("to").fail("is less than 'from'; exchange the two");
        if (given_.find("steps")) {
            const std::size_t count = steps();
            if (log_ && from <= 0) given_.at("from").fail("a logarithmic scale needs a number above 0");
            Sequence made{count, [=, log = log_](std::size_t i) {
                              if (i == 0 || i + 1 == count) return fmt::format("{}", i == 0 ? from : to);
                              return fmt::format("{:.6g}", between(from, to, i, count, log));
                          }};
            refuse_equal(made);
            return made;
        }
        if (!given_.find("step"))
            given_.fail("a range of such numbers needs 'step: NUMBER', or 'steps: NUMBER' for so many values");
        const double step = given_.at("step").number();
        if (step <= 0) given_.at("step").fail("a step must be above 0");
        const double count = std::floor((to - from) / step * (1 + 1e-12)) + 1;
        if (count > static_cast<double>(most_values)) too_many();
        return {static_cast<std::size_t>(count),
                [=](std::size_t i) { return fmt::format("{:.10g}", from + static_cast<double>(i) * step); }};
    }

    static double between(double from, double to, std::size_t i, std::size_t count, bool log) {
        const double share = static_cast<double>(i) / static_cast<double>(count - 1);
        return log ? std::exp(std::log(from) + share * (std::log(to) - std::log(from))) : from + share * (to - from);
    }

    std::size_t steps() const { return static_cast<std::size_t>(given_.at("steps").integer(2, most_values)); }

    template <class Text>
    Sequence in_steps(std::int64_t from, std::int64_t to, std::int64_t grain, Text text) const {
        const std::size_t count = steps();
        if (log_ && from == 0) given_.at("from").fail("a logarithmic scale needs a value above 0");
        Sequence made{count, [=, log = log_](std::size_t i) {
                          if (i == 0 || i + 1 == count) return text(i == 0 ? from : to);
                          const double value = between(static_cast<double>(from), static_cast<double>(to), i, count, log);
                          return text(std::llround(value / static_cast<double>(grain)) * grain);
                      }};
        refuse_equal(made);
        return made;
    }
    void refuse_equal(const Sequence& made) const {
        std::string before = made.at(0);
        for (std::size_t i = 1; i < made.size; ++i) {
            std::string next = made.at(i);
            if (next == before) given_.at("steps").fail(fmt::format("two of the values are '{}'; take fewer steps", next));
            before = std::move(next);
        }
    }
    template <class Text>
    Sequence by_step(std::int64_t from, std::int64_t to, std::int64_t step, Text text) const {
        const auto count = static_cast<std::size_t>((to - from) / step) + 1;
        if (count > most_values && !is_place_) too_many();
        return {count, [=](std::size_t i) { return text(from + static_cast<std::int64_t>(i) * step); }};
    }
    void refuse_backwards(std::int64_t from, std::int64_t to) const {
        if (to < from)
            given_.at("to").fail(
                fmt::format("'to' is '{}', which is less than 'from'; exchange the two", given_.at("to").text()));
    }
    [[noreturn]] void too_many() const { given_.fail(fmt::format("more than {} values; take a longer step", most_values)); }

    const YamlValue& given_;
    std::string from_;
    bool is_place_, is_cost_ = false, log_ = false;
};

}  // namespace

Sequence read_range(const YamlValue& given, const std::string& setting) {
    return RangeReader(given, setting).read();
}

Sequence read_span(const YamlValue& given) {
    const std::string text = given.text();
    const auto wrong = [&]() {
        given.fail(fmt::format("'{}' is no list of values; write [a, b], n1..n7, or {{from: 1, to: 9}}", text));
    };
    const std::size_t dots = text.find("..");
    if (dots == std::string::npos) wrong();
    const auto parted = [&](const std::string& one) {
        const std::size_t digits = one.find_last_not_of("0123456789") + 1;
        std::int64_t number = -1;
        std::from_chars(one.data() + digits, one.data() + one.size(), number);
        return std::pair(one.substr(0, digits), number);
    };
    const auto [name, first] = parted(text.substr(0, dots));
    const auto [other, last] = parted(text.substr(dots + 2));
    if (first < 0 || last < first || name != other || last > most_number) wrong();
    return {static_cast<std::size_t>(last - first) + 1, [name = name, first = first](std::size_t i) {
                return name + std::to_string(first + static_cast<std::int64_t>(i));
            }};
}

}  // namespace sweeps
