// One line for a record of a sorted trace: for people, and as JSON. docs/guide/sorting.md has the members.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <tmon_order/trace_sorter.hpp>

namespace tmon_sorted {

// "lost": the word for the reason in lines and counts.
std::string_view assumed_name(tmon_order::Assumed assumed);
std::string_view ending_name(tmon_order::StreamEnding ending);
// "n3:17".
std::string id_text(tmon_order::RecordId id);
// Why a record stands where it stands: its source, how much later its final time is, what was assumed. With two blanks before
// each part; may be empty.
std::string order_text(const tmon_order::SortedRecord& record);

// Both end with a new line. A text line has at most 128 columns.
std::string text_line(const tmon_order::SortedItem& item);
// `reported_us`: the host's clock when the item was reported; empty for a stored trace.
std::string json_line(const tmon_order::SortedItem& item, std::optional<std::uint64_t> reported_us = {});

}  // namespace tmon_sorted
