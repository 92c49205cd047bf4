#include <boot_runs/boot_run.hpp>
#include <boot_runs/live_run.hpp>

#include <algorithm>

#include <fmt/format.h>

namespace boot_runs {

Result run(const Plan& plan) {
    LiveRun live(plan);
    live.go(SimTime::never());
    return live.result();
}

topologies::MachineDescription with_cores(topologies::MachineDescription machine) {
    const auto is_core = [](const topologies::NodeDescription& node) { return node.core == topologies::NodeCore::T800; };
    if (std::any_of(machine.nodes.begin(), machine.nodes.end(), is_core)) return machine;
    for (topologies::NodeDescription& node : machine.nodes) node.core = topologies::NodeCore::T800;
    return machine;
}

// A boot message begins with its length. Before it, 0 writes a word and 1 reads one.
std::string complaint_about(const std::vector<std::byte>& image) {
    if (image.empty()) return "the image is empty; a boot image begins with the length of its boot code, 2 to 255";
    std::size_t at = 0;
    for (; at < image.size() && image[at] < std::byte{2}; ++at) at += image[at] == std::byte{0} ? 8 : 4;
    if (at >= image.size())
        return "the image writes and reads words, and has no boot code; a boot message begins with its length, 2 to 255";
    const auto says = std::to_integer<std::size_t>(image[at]), has = image.size() - at - 1;
    if (has >= says) return "";
    return fmt::format(
        "the image is cut, or its length byte is wrong: byte {} says that {} bytes of boot code follow, and the file has {} "
        "more",
        at, says, has);
}

}  // namespace boot_runs
