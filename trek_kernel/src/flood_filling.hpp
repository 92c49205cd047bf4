// Flood filling: the child that asked first gets the next task (Lin 1993, section 3.2.2).
#pragma once

#include <boost/container/deque.hpp>

#include "policies.hpp"

namespace trek_kernel {

class FloodFilling : public Distribution {
public:
    using Distribution::Distribution;
    void add(std::size_t child, std::uint32_t count) override;
    void take(std::size_t child) override;
    void forget(std::size_t child) override;
    std::optional<std::size_t> next() override;

private:
    boost::container::deque<std::uint8_t> order_;  // children by age of their tokens
};

}  // namespace trek_kernel
