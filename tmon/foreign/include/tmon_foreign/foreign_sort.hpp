// The sort of a foreign trace: by cause, by time, or as it stands in the file. As tmon_sorted/sort_trace.hpp, with which it
// shares the figures.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include <tmon_foreign/foreign_trace.hpp>
#include <tmon_sorted/sort_trace.hpp>

namespace tmon_foreign {

struct ForeignItem {
    tmon_order::SortedRecord order;  // its raw time is that of the event
    const ForeignEvent* event = nullptr;
};

class ForeignItems {
public:
    virtual ~ForeignItems() = default;
    virtual void item(const ForeignItem& item) = 0;
};

struct ForeignSortOptions {
    tmon_sorted::SortBy by = tmon_sorted::SortBy::Cause;
    std::int64_t least_latency_ns = 0;
    // Called from time to time with the events of all three passes so far and their total; false: stop there.
    std::function<bool(std::uint64_t done, std::uint64_t of)> progress{};
};

// Gives the events in their order. Cost: three passes over the events.
tmon_sorted::SortResult sort_foreign(const ForeignTrace& trace, const ForeignSortOptions& options, ForeignItems& items);

// Each ends with a new line.
std::string text_line(const ForeignTrace& trace, const ForeignItem& item);
std::string json_line(const ForeignTrace& trace, const ForeignItem& item);
std::string csv_head();
std::string csv_line(const ForeignTrace& trace, const ForeignItem& item);

// A PICL file with final times: of 1990 or of 1992. A trace of PICL keeps its format: throws vocabulary::RequestError for the
// other.
std::string picl_head(const ForeignTrace& trace, Format to);
std::string picl_line(const ForeignTrace& trace, const ForeignItem& item, Format to);

}  // namespace tmon_foreign
