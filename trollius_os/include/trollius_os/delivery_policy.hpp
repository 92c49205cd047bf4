// DeliveryPolicy: the kernel's choice where one rendez-vous could take several waiting processes. A policy may reorder
// deliveries, as a search for races does, or repeat those of a recorded run. It takes no modelled time. A kernel without a
// policy takes the process that came first; the open door costs it one comparison with nullptr a match.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace trollius_os {

class Process;

class DeliveryPolicy {
public:
    virtual ~DeliveryPolicy() = default;
    // The index in `candidates` of the process that `caller` meets. Nothing: none of them yet. The caller then goes on as if
    // nobody waited: it waits itself, or its operation would block. The kernel may ask twice for one operation.
    //
    // `candidates`: at least one, in the order in which they came. Each waits on the caller's event, and their types meet. All
    // have the same kernel priority, the highest of those that wait: no policy can break the kernel's own rule.
    virtual std::optional<std::size_t> choose(const Process& caller, std::span<Process* const> candidates) = 0;
};

// The rule of Trollius, which a kernel without a policy follows too. Other policies can fall back on it.
class FirstCome final : public DeliveryPolicy {
public:
    std::optional<std::size_t> choose(const Process&, std::span<Process* const>) override { return 0; }
};

}  // namespace trollius_os
