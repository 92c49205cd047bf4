// Identities as distinct types, so that a NodeId cannot be passed where a LinkNo is expected. No id has an invalid value:
// where one may be missing, the type is std::optional. Header only; used by every stage.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace vocabulary {

template <class Tag, class Value = std::uint32_t>
class Id {
public:
    using value_type = Value;
    constexpr Id() = default;
    constexpr explicit Id(Value value) : value_(value) {}
    constexpr Value value() const { return value_; }
    friend constexpr auto operator<=>(Id, Id) = default;

private:
    Value value_{};
};

using NodeId = Id<struct NodeIdTag, std::uint16_t>;        // 0 ... node count - 1; the host has the id after the last node
using LinkNo = Id<struct LinkNoTag, std::uint8_t>;         // 0 ... 3 on a T800
using SwitchId = Id<struct SwitchIdTag, std::uint16_t>;    // C004 in the order of the machine description
using WayNo = Id<struct WayNoTag, std::uint8_t>;           // 0 ... 31 on a C004
using ProcessId = Id<struct ProcessIdTag, std::uint32_t>;  // per node; a Trollius PID is always 1 modulo 4
using EventNo = Id<struct EventNoTag, std::int32_t>;       // a Trollius message address; negative ones belong to the system

}  // namespace vocabulary

template <class Tag, class Value>
struct std::hash<vocabulary::Id<Tag, Value>> {
    std::size_t operator()(vocabulary::Id<Tag, Value> id) const noexcept { return std::hash<Value>{}(id.value()); }
};
