#pragma once

#include <cstdint>
#include <vector>

#include <tmon_order/causal_sorter.hpp>

namespace testing_support {

// Keeps all that was reported, and when.
struct KeptRecords : tmon_order::SortedOutput {
    void report(const tmon_order::SortedRecord& record) override {
        records.push_back(record);
        steps.push_back(step);
    }
    std::vector<tmon_order::SortedRecord> records;
    std::vector<std::uint64_t> steps;
    std::uint64_t step = 0;
};

}  // namespace testing_support
