// Traces of other programs. What PICL is read is written, and read again; every order has each event once.
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include <tmon_foreign/foreign_sort.hpp>

#include "fuzz_target.hpp"

namespace {

using namespace tmon_foreign;

struct Written : ForeignItems {
    Written(const ForeignTrace& of, Format to) : trace(of), format(to) {}
    void item(const ForeignItem& item) override {
        ++count;
        text += picl_line(trace, item, format);
        lines += text_line(trace, item) + json_line(trace, item) + csv_line(trace, item);
        fuzz::require(!last || !by_cause || *last <= item.order.final_ns, "a final time is before the one before it");
        last = item.order.final_ns;
    }
    const ForeignTrace& trace;
    const Format format;
    std::string text, lines;
    std::uint64_t count = 0;
    std::optional<std::int64_t> last;
    bool by_cause = false;
};

std::string sorted(const ForeignTrace& trace, tmon_sorted::SortBy by) {
    Written written(trace, trace.format);
    written.by_cause = by == tmon_sorted::SortBy::Cause;
    ForeignSortOptions options;
    options.by = by;
    const tmon_sorted::SortResult result = sort_foreign(trace, options, written);
    fuzz::require(written.count == trace.events.size() && result.records == trace.events.size(),
                  "an event is lost, or there twice");
    tmon_sorted::sort_text(result);
    tmon_sorted::sort_json(result);
    return written.text;
}

}  // namespace

FUZZ_TARGET(foreign_trace, input) {
    const ForeignTrace trace = read_foreign(fuzz::put("a.picl", input));
    for (const auto by : {tmon_sorted::SortBy::Cause, tmon_sorted::SortBy::Time}) sorted(trace, by);
    const std::string text = sorted(trace, tmon_sorted::SortBy::Arrival);
    const std::string file = fuzz::put("b.picl", text);
    fuzz::reads_again([&] {
        const ForeignTrace again = read_foreign(file);
        fuzz::require(again.status == "whole" && sorted(again, tmon_sorted::SortBy::Arrival) == text,
                      "the PICL read again is another");
    });
}
