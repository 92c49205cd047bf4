// Judges the system calls of a user's function, direct ones and those through the C library.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include <user_programs/loaded_program.hpp>

namespace user_programs {

struct SystemCall {
    long number = 0;
    std::array<std::uint64_t, 6> arguments{};
    bool of_32_bits = false;      // int $0x80, which has numbers of its own
    bool by_the_program = false;  // the instruction is the program's own, not the C library's
};

enum class Verdict : std::uint8_t {
    Make,    // made: the C library needs it
    Answer,  // not made: the C library gets `answer`; there is no report
    Refuse,  // not made: fails with ENOSYS and is reported
    End      // not made, and the function cannot continue
};
struct Judgement {
    Verdict verdict = Verdict::Refuse;
    std::int64_t answer = 0;
};
// May be called in a signal handler.
Judgement judge(const SystemCall& call);

// "makes the system call unlink, which a node does not have", or the meaning of the C library's call.
std::string what_it_does(const SystemCall& call);
std::string advice_about(const SystemCall& call, const ProgramKind& kind);

}  // namespace user_programs
