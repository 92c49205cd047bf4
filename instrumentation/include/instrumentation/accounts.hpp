// The accounts of the monitor (vocabulary/account.hpp), as the bill of monitoring names them (docs/overhead.md).
#pragma once

#include <vocabulary/account.hpp>

namespace instrumentation::accounts {

using vocabulary::Account;

inline constexpr Account probe(3);          // to notice an event
inline constexpr Account meter(4);          // to time it and to store the record
inline constexpr Account manager(5);        // to look at buffers and to pack records
inline constexpr Account backend(6);        // to take a global interrupt: clock and usage
inline constexpr Account interrupt(7);      // to raise it: interface and controller of the master
inline constexpr Account trace_message(8);  // bytes on links; kernel and links of the node that made the records
inline constexpr Account forwarding = vocabulary::in_transit(trace_message);  // kernel and links of other nodes on the way

}  // namespace instrumentation::accounts
