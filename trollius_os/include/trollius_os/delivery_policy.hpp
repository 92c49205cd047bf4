// DeliveryPolicy: chooses among several waiting processes that one rendez-vous could take. A policy may reorder deliveries, as
// a search for races does, or repeat those of a recorded run. It takes no modelled time. A kernel without a policy takes the
// process that came first, at the cost of one comparison with nullptr a match.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace trollius_os {

class Process;

class DeliveryPolicy {
public:
    virtual ~DeliveryPolicy() = default;
    // The index in `candidates` of the process that `caller` meets. Empty: none of them yet; the caller then waits, or its
    // operation would block, as without candidates. The kernel may ask twice for one operation.
    //
    // `candidates`: at least one, in order of arrival. Each waits on the caller's event with a matching type. All have the
    // highest kernel priority among the waiting ones, so no policy can break the kernel's own rule.
    virtual std::optional<std::size_t> choose(const Process& caller, std::span<Process* const> candidates) = 0;
};

// The rule of Trollius, which a kernel without a policy follows too. Other policies can fall back on it.
class FirstCome final : public DeliveryPolicy {
public:
    std::optional<std::size_t> choose(const Process&, std::span<Process* const>) override { return 0; }
};

}  // namespace trollius_os
