// mstate: what the memory of nodes is used for.
#include <fmt/format.h>

#include <trollius_commands/command_words.hpp>
#include <trollius_os/services.hpp>

#include "commands.hpp"

namespace trollius_commands {
namespace {

using trollius_os::services::MemoryRegion;
using trollius_os::services::MemoryUse;

const char* words_of(MemoryUse use) {
    switch (use) {
        case MemoryUse::System:
            return "system";
        case MemoryUse::Processes:
            return "processes";
        case MemoryUse::Other:
            return "heaps, modules, traces";
        case MemoryUse::Block:
            return "allocated";
        case MemoryUse::Free:
            return "free";
    }
    return "?";
}

class Mstate final : public NodesCommand {
public:
    Mstate(const Words& words, const Site& site) : site_(site) {
        CommandWords given(words, site, "", "", mstate_usage);
        nodes_ = given.take_nodes(true);
        given.end();
    }
    const char* name() const override { return "mstate"; }
    std::string head() const override { return fmt::format("{:<9} {:<11} {:>10} {}\n", "NODE", "ADDRESS", "BYTES", "USE"); }
    bool step(std::size_t number, trollius_os::Api& api, std::string& text) override {
        const std::string node = node_text(asks(number), site_);
        if (asks(number) == site_.host) {
            text += fmt::format("{:<9} service unavailable: the host has no mallocd; name nodes\n", node);
            return false;
        }
        for (const MemoryRegion& region : trollius_os::memory_regions(api, asks(number))) {
            const std::string address = region.use == MemoryUse::Block ? fmt::format("{:#x}", region.address) : "-";
            text += fmt::format("{:<9} {:<11} {:>10} {}\n", node, address, region.bytes, words_of(region.use));
        }
        return true;
    }

private:
    const Site site_;
};

}  // namespace

std::unique_ptr<Command> make_mstate(const Words& words, const Site& site) {
    return std::make_unique<Mstate>(words, site);
}

}  // namespace trollius_commands
