// Programs that can be loaded: name -> size and entry. A program's code is host-compiled. Its size in bytes travels over the
// links and occupies the node's memory.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <variant>

#include <coroutines/task.hpp>
#include <trollius_os/process.hpp>

namespace trollius_os {

struct Program {
    std::uint32_t bytes = 0;        // size of the load module
    std::uint64_t stack_bytes = 0;  // modelled stack of its first process
    // With a stack of its own, or as a coroutine (calls.hpp).
    std::variant<std::function<void(Api& api, std::int32_t argument)>,
                 std::function<coroutines::Task<>(Calls& calls, std::int32_t argument)>>
        entry;

    ProcessCode code(std::int32_t argument) const;
};

using ProgramRegistry = std::map<std::string, Program>;

}  // namespace trollius_os
