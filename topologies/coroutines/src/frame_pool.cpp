#include <coroutines/frame_pool.hpp>

#include <memory>
#include <vector>

namespace coroutines {

// A new block, from the rest of the last slab.
void* FramePool::carve(std::size_t size) {
    constexpr std::size_t slab_bytes = std::size_t{64} << 10;
    static std::vector<std::unique_ptr<std::byte[]>> slabs;
    static std::size_t left = 0;
    const std::size_t bytes = size * unit;
    if (left < bytes) {  // the rest is too small to be worth a list
        slabs.push_back(std::make_unique_for_overwrite<std::byte[]>(slab_bytes));
        left = slab_bytes;
    }
    left -= bytes;
    return slabs.back().get() + left;
}

}  // namespace coroutines
