// Lines about a reconfiguration and the messages that it meets, for people: in the summary of a run, and in the shell.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include <session/simulated.hpp>
#include <vocabulary/account.hpp>

namespace outcome {

// "at 12.000 ms: 3 changed, set and read back in 0.548 ms; routes reached 16 nodes after 3.100 ms", without a line feed.
std::string reconfigured_text(const trollius_hosted::Reconfigured& done);
// "440 bytes on n0.1 -> n1.0 at 12.100 ms, task 3"
std::string lost_transfer_text(const trollius_hosted::LostTransfer& lost);
// "task 3 (440 bytes)", "a message of 64 bytes (system)". `header`: of a message over a circuit, else empty.
std::string message_text(std::span<const std::byte> header, std::uint32_t bytes, vocabulary::Account account);

}  // namespace outcome
