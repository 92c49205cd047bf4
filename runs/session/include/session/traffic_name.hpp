// The word for the owner of a message, as texts and JSON of a run print it.
#pragma once

#include <trollius_os/accounts.hpp>

namespace session {

// The only tool that sends messages is the monitor.
constexpr const char* traffic_name(vocabulary::Account account) {
    if (vocabulary::is_tool(account)) return "monitor";
    return account == trollius_os::accounts::application ? "application" : "system";
}

}  // namespace session
