#pragma once

#include <cstdint>

namespace tmon_sorted {

// As reports show times.
inline double us(std::int64_t ns) {
    return static_cast<double>(ns) * 1e-3;
}

}  // namespace tmon_sorted
