// The accounts that the kernel knows (vocabulary/account.hpp), and the details that divide a charge further.
#pragma once

#include <cstdint>

#include <vocabulary/account.hpp>

namespace trollius_os {

using vocabulary::Account;

namespace accounts {
// The default. On a link: packets of the datalink. On a processor: application, runtime and kernel.
inline constexpr Account system(0);
inline constexpr Account application(1);  // on a link: messages of circuits between programs
}  // namespace accounts

// The detail of a charge for an event: the record's kind (1 to 127) and a flag for results.
constexpr std::uint8_t probed(std::uint8_t kind, bool is_result) {
    return static_cast<std::uint8_t>(kind | (is_result ? 0x80 : 0));
}
// Detail of a charge for a program: the user's own computation, not runtime or kernel.
inline constexpr std::uint8_t computation = 1;

}  // namespace trollius_os
