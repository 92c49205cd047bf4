#include "program_session.hpp"

#include <algorithm>
#include <memory>

namespace session {

void serve_program(trollius_hosted::Multicomputer& machine, const scenario::Scenario& scenario, Observed& observed) {
    trollius_os::NodeServices& services = machine.host_services();
    services.save = [&files = observed.files](const std::string& name, std::vector<std::byte> content) {
        const auto same = std::find_if(files.begin(), files.end(), [&](const auto& file) { return file.first == name; });
        if (same == files.end()) {
            files.emplace_back(name, std::move(content));
        } else {
            same->second = std::move(content);
        }
    };
    services.read = [&scenario, at = std::size_t{0}](std::span<std::byte> room) mutable {
        const std::string& input = scenario.program_settings.input;
        const std::size_t count = std::min(room.size(), input.size() - at);
        std::transform(input.begin() + static_cast<std::ptrdiff_t>(at), input.begin() + static_cast<std::ptrdiff_t>(at + count),
                       room.begin(), [](char c) { return static_cast<std::byte>(c); });
        at += count;
        return count;
    };
}

}  // namespace session
