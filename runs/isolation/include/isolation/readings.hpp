// Readings: what the functions of a run read from their clocks and from the input, where the run has kept that
// (farm_programs/readings.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <farm_programs/readings.hpp>
#include <tmon_streams/trace.hpp>

namespace isolation {

// Those of one process, in order; each is handed out once.
class ReadingsOfProcess {
public:
    void add(farm_programs::Reading what, std::uint64_t value) { list_.emplace_back(what, value); }
    void lose() { lossy_ = true; }
    // True: records of the node are missing, perhaps readings among them.
    bool lossy() const { return lossy_; }
    // Empty when the next reading is another, or none is left.
    std::optional<std::uint64_t> clock();
    std::optional<std::size_t> input(std::span<std::byte> room);

private:
    std::optional<std::uint64_t> next(farm_programs::Reading what);
    std::vector<std::pair<farm_programs::Reading, std::uint64_t>> list_;
    std::size_t at_ = 0;
    bool lossy_ = false;
};

class Readings {
public:
    Readings() = default;  // none were kept
    // `trace`: with the records of class user. Cost: one pass over the records, 16 bytes for each of these.
    explicit Readings(const tmon_streams::Trace& trace);
    ReadingsOfProcess of(std::uint16_t node, farm_programs::Function function) const;

private:
    std::map<std::pair<std::uint16_t, farm_programs::Function>, ReadingsOfProcess> by_process_;
};

}  // namespace isolation
