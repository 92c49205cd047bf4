#include <instrumentation/buffer_policy.hpp>

#include "degrade.hpp"
#include "overwrite_oldest.hpp"
#include "stop_when_full.hpp"

namespace instrumentation {

std::unique_ptr<BufferPolicy> make_buffer_policy(WhenFull when_full) {
    switch (when_full) {
        case WhenFull::DropNewest:
            return nullptr;
        case WhenFull::OverwriteOldest:
            return std::make_unique<OverwriteOldest>();
        case WhenFull::Stop:
            return std::make_unique<StopWhenFull>();
        case WhenFull::Degrade:
            return std::make_unique<Degrade>();
    }
    return nullptr;
}

}  // namespace instrumentation
