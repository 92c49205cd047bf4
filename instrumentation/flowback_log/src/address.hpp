// Memory of the process that logs, which runs in this one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace flowback_log {

inline const std::byte* at(std::uint64_t address) {
    return reinterpret_cast<const std::byte*>(address);  // NOLINT(performance-no-int-to-ptr)
}
inline const char* text_at(std::uint64_t address) {
    return reinterpret_cast<const char*>(at(address));
}

}  // namespace flowback_log
