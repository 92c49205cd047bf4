// CallGate: the way from a program's support code to Magicwire. It wraps each function that the support code can call. The
// fence is open while Magicwire's code runs, the caller's errno stays, and there is room on the stack.
#pragma once

#include <cerrno>
#include <type_traits>

#include <user_programs/processor_flags.hpp>
#include <user_programs/program_process.hpp>
#include <user_programs/system_fence.hpp>

namespace user_programs {

template <auto function>
struct CallGate;
template <class Result, class... Arguments, Result (*function)(Arguments...)>
struct CallGate<function> {
    static Result call(Arguments... arguments) {
        clear_flags_of_the_program();
        SystemFence::open();
        const int error = errno;
        ProgramProcess* const caller = ProgramProcess::current();
        if (caller == nullptr) return Result();  // the C library has kept a function of a program for later
        caller->arrive(__builtin_frame_address(0));
        if constexpr (std::is_void_v<Result>) {
            function(arguments...);
            errno = error;
            SystemFence::close();
        } else {
            const Result result = function(arguments...);
            errno = error;
            SystemFence::close();
            return result;
        }
    }
};

}  // namespace user_programs
