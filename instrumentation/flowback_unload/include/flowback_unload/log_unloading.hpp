// The way of flowback's logs from the nodes to the host: a message for each block, and a process of the host that takes them.
// Nothing is answered and nothing repeated. A process that sends waits only until the next node has its block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <trollius_os/api.hpp>
#include <vocabulary/account.hpp>

namespace flowback_unload {

namespace accounts {
inline constexpr vocabulary::Account log(9);  // keeping it, and its messages at both ends
inline constexpr vocabulary::Account forwarding = vocabulary::in_transit(log);
}  // namespace accounts

// The host's side. `process`: a number that its node knows.
class LogInbox {
public:
    using Take = std::function<void(std::uint32_t number, std::vector<std::byte> block)>;
    using Count = std::function<std::uint64_t()>;

    // Blocks of this process go to `take`. `in_flight`: of its blocks, how many are on their way.
    void open(vocabulary::NodeId node, std::uint32_t process, Take take, Count in_flight);
    // False: there is no such process.
    bool take(vocabulary::NodeId node, std::uint32_t process, std::uint32_t number, std::vector<std::byte> block);
    std::uint64_t in_flight() const;

private:
    std::map<std::pair<vocabulary::NodeId, std::uint32_t>, std::pair<Take, Count>> processes_;
};

void send_block(trollius_os::Api& api, std::uint32_t process, std::uint32_t number, std::span<std::byte> block);
// The host's process; never returns.
void collect(trollius_os::Api& api, LogInbox& inbox);

}  // namespace flowback_unload
