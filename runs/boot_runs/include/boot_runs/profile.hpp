// NodeProfile: cycles and executions of each instruction of a node, at no modelled cost. A core that is profiled runs
// instruction by instruction, some twenty times slower. The cycles of all rows, of switches and of idleness add up to those of
// the core.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include <t800_core/core.hpp>
#include <t800_core/observer.hpp>

namespace boot_runs {

struct ProfileRow {
    std::uint32_t address = 0, operand = 0;
    std::uint8_t function = 0;            // as SeenInstruction
    std::uint8_t length = 0;              // bytes with the prefixes, 255 for more
    std::array<std::uint8_t, 8> bytes{};  // the first of them, as they were at the first execution
    std::uint64_t executions = 0, cycles = 0;
};

struct ProfiledNode {
    std::vector<ProfileRow> rows;  // in order of the addresses
    std::uint64_t switching = 0;   // cycles between processes: one is put away, and the next is started
    std::uint64_t cycles = 0;      // of all rows and of switching
};

class NodeProfile final : public t800_core::Observer {
public:
    explicit NodeProfile(const t800_core::Core& core) : core_(core) {}
    ProfiledNode result() const;

    void instruction(const t800_core::SeenInstruction& what) override;
    void process_started(t800_core::Cycle at, std::uint32_t descriptor, std::uint32_t iptr) override;
    void process_left(t800_core::Cycle at, std::uint32_t descriptor, bool ends) override;
    void idle(t800_core::Cycle at) override;

private:
    void charge(t800_core::Cycle until);

    const t800_core::Core& core_;
    std::unordered_map<std::uint32_t, ProfileRow> rows_;
    std::map<std::uint32_t, std::uint32_t> cut_;  // the instruction under way, by the descriptor of the process that left it
    ProfileRow* row_ = nullptr;                   // of the instruction under way
    t800_core::Cycle since_ = 0;
    bool between_ = false;
    std::uint64_t switching_ = 0;
};

}  // namespace boot_runs
