// Copies of field classes and of the values of fields. Arrays, options and variants lose their link to the field that has their
// length or choice; that field stays, and so do all values.
#pragma once

#include <cstdint>
#include <string>

#include "library_refs.hpp"

namespace babeltrace_filter {

// `depth`: levels of nesting so far. Throws FilterError beyond 64 levels, or for a class that the library has and this does
// not.
FieldClassRef copy_field_class(bt_trace_class* own, const bt_field_class* from, unsigned depth = 0);

// The values of a field in a row of bytes, behind those that are there. So a message need not be kept until its copy leaves:
// the library uses its memory again while it is in the cache.
void append_image(const bt_field* from, std::string& bytes);

// Takes the values from `at` on into `to`, and moves `at` behind them. copy_field_class() made the class of `to` of that of the
// source.
void restore_image(const char*& at, bt_field* to);
// The same for a structure with more members at its end: for the first `members`.
void restore_members(const char*& at, bt_field* to, std::uint64_t members);

}  // namespace babeltrace_filter
