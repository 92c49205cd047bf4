// Outputs: turns the output of a user process into messages. Planted bugs of the message-passing class act here (Lin 1993,
// section 3.4.1).
#pragma once

#include <functional>
#include <map>
#include <vector>

#include <trollius_os/api.hpp>

#include "item.hpp"

namespace trek_kernel {

class Outputs {
public:
    // `send` gets each message of the output, and those that the same process held back before, all before emit() returns.
    void emit(const trollius_os::Api& api, ItemPtr item, const Output& how, const std::function<void(ItemPtr)>& send);

private:
    // Messages that each process holds back (Output::held_back), the last first.
    std::map<vocabulary::ProcessId, std::vector<ItemPtr>> held_back_;
};

}  // namespace trek_kernel
