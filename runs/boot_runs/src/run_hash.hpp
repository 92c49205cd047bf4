// The hash of a run, over numbers and bytes in their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace boot_runs {

class RunHash {
public:
    RunHash();
    ~RunHash();
    RunHash(const RunHash&) = delete;
    RunHash& operator=(const RunHash&) = delete;

    void add(std::uint64_t number);
    void add(std::span<const std::byte> bytes);
    std::uint64_t value() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace boot_runs
