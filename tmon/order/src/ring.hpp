// Ring: a queue in one block of memory. References do not outlive the next push(). The block never shrinks.
#pragma once

#include <cstddef>
#include <vector>

namespace tmon_order {

template <class Element>
class Ring {
public:
    bool empty() const { return count_ == 0; }
    std::size_t size() const { return count_; }
    Element& front() { return places_[head_]; }
    const Element& front() const { return places_[head_]; }
    // From 0 for the front.
    const Element& operator[](std::size_t at) const { return places_[(head_ + at) & (places_.size() - 1)]; }
    void push(const Element& element) {
        if (count_ == places_.size()) grow();
        places_[(head_ + count_) & (places_.size() - 1)] = element;
        ++count_;
    }
    void pop() {
        head_ = (head_ + 1) & (places_.size() - 1);
        --count_;
    }

private:
    void grow() {
        std::vector<Element> larger(places_.empty() ? 8 : 2 * places_.size());
        for (std::size_t i = 0; i < count_; ++i) larger[i] = (*this)[i];
        places_.swap(larger);
        head_ = 0;
    }

    std::vector<Element> places_;  // a power of two
    std::size_t head_ = 0, count_ = 0;
};

}  // namespace tmon_order
