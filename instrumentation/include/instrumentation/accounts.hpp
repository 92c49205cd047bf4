// The accounts of the monitor (vocabulary/account.hpp), as the bill of monitoring names them (docs/guide/overhead.md).
#pragma once

#include <vocabulary/account.hpp>

namespace instrumentation::accounts {

using vocabulary::Account;

inline constexpr Account probe(3);          // noticing an event
inline constexpr Account meter(4);          // timing it and storing the record
inline constexpr Account manager(5);        // checking buffers and packing records
inline constexpr Account backend(6);        // taking a global interrupt: clock and usage
inline constexpr Account interrupt(7);      // raising it: interface and controller of the master
inline constexpr Account trace_message(8);  // bytes on links; kernel and links of the node that made the records
inline constexpr Account forwarding = vocabulary::in_transit(trace_message);  // kernel and links of other nodes on the way

}  // namespace instrumentation::accounts
