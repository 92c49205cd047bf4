// The one grammar of `break` in `magicwire shell`. Alone, or with `list`, it lists the breakpoints. `break when PREDICATE`
// stops when the records that the host has show it (tmon_predicates/predicate.hpp). `break [RANKS] PLACE` stops when a rank of
// an MPI program comes there (rank_debugger/rank_debugger.hpp). PLACE is FUNCTION, FILE:LINE or FILE:FUNCTION; `list()` is a
// function. `break race r0 recv 3` stops where rank 0 begins its third receive. `break delete NUMBER|all` deletes.
//
// A new kind of breakpoint is another word in the place of `when`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace cli {

struct BreakOrder {
    enum class What : std::uint8_t { List, When, Place, Delete };
    What what = What::List;
    std::string predicate{};              // When
    std::optional<std::size_t> number{};  // Delete; empty: all
    std::string ranks{}, place{};         // Place; no ranks: all
};

// Reads the words behind `break`. `takes_places`: there is an MPI program. Throws vocabulary::RequestError, which says what may
// stand there.
BreakOrder parse_break(const std::string& arguments, bool takes_places);

}  // namespace cli
