// ActScript: the order in which the processes of a node pass its probes. It is noted in one run. From a
// snapshot the same run then follows it, up to an act behind which all of them are held. For who looks from outside; no
// analysis reads it.
//
// An act is a record of a program, kept or lost: all but those of the monitor itself, of classes usage and clock.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include <trace_record/event.hpp>
#include <trollius_os/node_port.hpp>

namespace instrumentation {

struct ActScript {
    std::uint32_t first = 0;              // number of the act that makers[0] made
    std::vector<std::uint32_t> makers{};  // ids of processes, by act
    // Likewise, what they recorded, without time and number. `reserved` is 1 when its class was off.
    std::vector<trace_record::Event> acts{};
    // To be followed: the makers of the acts from number `from` on. Behind the last one all wait. Empty: nobody waits.
    std::optional<std::vector<std::uint32_t>> turns{};
    std::uint32_t from = 0;
    bool free_behind = false;  // behind the last turn nobody waits
    std::deque<trollius_os::Thread*> held{};

    // True: the process may make the acts `number` ... number + count - 1 now.
    bool may(std::uint32_t process, std::uint32_t number, std::uint32_t count) const {
        if (!turns) return true;
        for (std::uint32_t i = number - from; count > 0; ++i, --count) {
            if (i >= turns->size()) return free_behind;
            if ((*turns)[i] != process) return false;
        }
        return true;
    }
};

}  // namespace instrumentation
