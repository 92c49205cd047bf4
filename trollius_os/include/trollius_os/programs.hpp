// Programs that can be loaded: name -> module and entry. A program's code is host-compiled. Its module travels over the links and
// occupies the node's memory until its process ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include <coroutines/task.hpp>
#include <trollius_os/process.hpp>

namespace trollius_os {

// The words after the program's name, as the C convention has them: argv[1] is the first.
using Arguments = std::vector<std::string>;

struct Program {
    std::uint32_t bytes = 0;        // size of the load module
    std::uint64_t stack_bytes = 0;  // modelled stack of its first process
    // With a stack of its own, or as a coroutine (calls.hpp).
    std::variant<std::function<void(Api& api, const Arguments& arguments)>,
                 std::function<coroutines::Task<>(Calls& calls, const Arguments& arguments)>>
        entry;
    // The module's bytes, or the first of them; the others are zeros. A program that is not of one's own has none.
    std::vector<std::byte> content = {};

    ProcessCode code(Arguments arguments) const;
};

using ProgramRegistry = std::map<std::string, Program>;

}  // namespace trollius_os
