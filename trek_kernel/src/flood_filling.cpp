#include "flood_filling.hpp"

#include <algorithm>

namespace trek_kernel {

void FloodFilling::add(std::size_t child, std::uint32_t count) {
    Distribution::add(child, count);
    order_.insert(order_.end(), count, static_cast<std::uint8_t>(child));
}

void FloodFilling::take(std::size_t child) {
    Distribution::take(child);
    order_.erase(std::find(order_.begin(), order_.end(), static_cast<std::uint8_t>(child)));
}

void FloodFilling::forget(std::size_t child) {
    Distribution::forget(child);
    order_.erase(std::remove(order_.begin(), order_.end(), static_cast<std::uint8_t>(child)), order_.end());
}

std::optional<std::size_t> FloodFilling::next() {
    if (order_.empty()) return std::nullopt;
    const std::size_t child = order_.front();
    order_.pop_front();
    Distribution::take(child);
    return child;
}

std::unique_ptr<Distribution> flood_filling(std::size_t children) {
    return std::make_unique<FloodFilling>(children);
}

}  // namespace trek_kernel
