// ChannelWords: which words of memory have served as channels. A word alone cannot tell: a pointer to a workspace looks like a
// process that waits. Cost: a bit a word, of which the host gives memory where channels lie, and one store each wait.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

namespace t800_core {

class ChannelWords {
public:
    explicit ChannelWords(std::uint32_t memory_size)
        : bytes_(memory_size / 32 + 1), bits_(static_cast<std::uint8_t*>(std::calloc(bytes_, 1))) {
        if (bits_ == nullptr) throw std::bad_alloc();
    }
    // `offset` lies in the memory.
    void note(std::uint32_t offset) { bits_.get()[offset >> 5] |= static_cast<std::uint8_t>(1U << ((offset >> 2) & 7U)); }
    bool contains(std::uint32_t offset) const {
        return offset >> 5 < bytes_ && (bits_.get()[offset >> 5] >> ((offset >> 2) & 7U) & 1U) != 0;
    }
    void copy(const ChannelWords& other) { std::memcpy(bits_.get(), other.bits_.get(), bytes_); }

private:
    struct Free {
        void operator()(std::uint8_t* memory) const { std::free(memory); }
    };
    std::size_t bytes_;
    std::unique_ptr<std::uint8_t, Free> bits_;
};

}  // namespace t800_core
