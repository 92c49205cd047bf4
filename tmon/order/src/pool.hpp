// Pool: elements by index. Indices stay valid until release; references do not outlive the next take().
#pragma once

#include <cstdint>
#include <vector>

namespace tmon_order {

template <class Element>
class Pool {
public:
    std::uint32_t take() {
        if (free_.empty()) {
            elements_.emplace_back();
            return static_cast<std::uint32_t>(elements_.size() - 1);
        }
        const std::uint32_t index = free_.back();
        free_.pop_back();
        elements_[index] = Element{};
        return index;
    }
    void release(std::uint32_t index) { free_.push_back(index); }
    Element& operator[](std::uint32_t index) { return elements_[index]; }
    const Element& operator[](std::uint32_t index) const { return elements_[index]; }
    std::uint32_t size() const { return static_cast<std::uint32_t>(elements_.size()); }

private:
    std::vector<Element> elements_;
    std::vector<std::uint32_t> free_;
};

}  // namespace tmon_order
