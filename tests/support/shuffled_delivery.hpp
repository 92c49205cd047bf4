// ShuffledDelivery: a delivery policy that takes any of the waiting processes. Its choices depend only on the seed and the
// number of the choice, so a run with it can be repeated.
#pragma once

#include <trollius_os/delivery_policy.hpp>
#include <vocabulary/split_mix.hpp>

namespace test_support {

class ShuffledDelivery final : public trollius_os::DeliveryPolicy {
public:
    explicit ShuffledDelivery(std::uint64_t seed) : seed_(seed) {}

    std::optional<std::size_t> choose(const trollius_os::Process&, std::span<trollius_os::Process* const> candidates) override {
        if (candidates.size() > 1) ++choices_;
        return vocabulary::split_mix(seed_, ++asked_) % candidates.size();
    }
    std::uint64_t choices() const { return choices_; }  // times that it had more than one candidate

private:
    std::uint64_t seed_, asked_ = 0, choices_ = 0;
};

}  // namespace test_support
