#include "run_hash.hpp"

#include <xxhash.h>

namespace boot_runs {

struct RunHash::State {
    XXH64_state_t* of = XXH64_createState();
    State() { XXH64_reset(of, 0); }
    ~State() { XXH64_freeState(of); }
    State(const State&) = delete;
    State& operator=(const State&) = delete;
};

RunHash::RunHash() : state_(std::make_unique<State>()) {}
RunHash::~RunHash() = default;

void RunHash::add(std::uint64_t number) {
    std::byte bytes[8];
    for (std::byte& byte : bytes) {
        byte = static_cast<std::byte>(number & 0xff);
        number >>= 8;
    }
    add(bytes);
}

void RunHash::add(std::span<const std::byte> bytes) {
    XXH64_update(state_->of, bytes.data(), bytes.size());
}

std::uint64_t RunHash::value() const {
    return XXH64_digest(state_->of);
}

}  // namespace boot_runs
