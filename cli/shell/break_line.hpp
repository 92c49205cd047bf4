// The one grammar of `break` in `magicwire shell`:
//
//   break [list]              lists the breakpoints
//   break when PREDICATE      stops when the records that the host has show it (tmon_predicates/predicate.hpp)
//   break delete NUMBER|all
//
// A new kind of breakpoint is another word in the place of `when`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace cli {

struct BreakOrder {
    enum class What : std::uint8_t { List, When, Delete };
    What what = What::List;
    std::string predicate{};              // When
    std::optional<std::size_t> number{};  // Delete; empty: all
};

// Reads the words behind `break`. Throws vocabulary::RequestError, which says what may stand there.
BreakOrder parse_break(const std::string& arguments);

}  // namespace cli
