// FramePool: the memory of coroutine frames. A frame lives for one call or for a whole process. Blocks come from free lists by
// size. The block that was freed last is taken first, because it is still in the host's caches. Memory is kept until the
// program ends. Cost: some ten instructions a frame. Not for several threads. Under AddressSanitizer each frame is a block of
// the host, so that a use after its end is found.
#pragma once

#include <array>
#include <cstddef>
#include <new>
#include <utility>

namespace coroutines {

class FramePool {
public:
    static void* take(std::size_t bytes) {
        const std::size_t size = size_class(bytes);
        if (size >= classes) return ::operator new(bytes);
        Free*& list = lists_[size];
        if (list == nullptr) [[unlikely]]
            return carve(size);
        return std::exchange(list, list->next);
    }
    static void give_back(void* block, std::size_t bytes) {
        const std::size_t size = size_class(bytes);
        if (size >= classes) return ::operator delete(block);
        lists_[size] = new (block) Free{lists_[size]};
    }

private:
    struct Free {
        Free* next;
    };
#if defined(__SANITIZE_ADDRESS__)
#define MAGICWIRE_FRAMES_OF_HOST
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MAGICWIRE_FRAMES_OF_HOST
#endif
#endif
#ifdef MAGICWIRE_FRAMES_OF_HOST
    static constexpr std::size_t unit = 32, classes = 1;
#else
    static constexpr std::size_t unit = 32, classes = 64;  // below 2 KiB
#endif
    static std::size_t size_class(std::size_t bytes) {
        return (bytes + unit - 1) / unit;
    }
    static void* carve(std::size_t size);

    static inline std::array<Free*, classes> lists_{};
};

}  // namespace coroutines
