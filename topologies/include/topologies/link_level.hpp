#pragma once

#include <cstdint>

namespace topologies {

// How a link is modelled: each message by a closed form, or each data and acknowledge packet by itself
// (hw_model/link_protocol.hpp).
enum class LinkLevel : std::uint8_t { Message, Byte };

}  // namespace topologies
