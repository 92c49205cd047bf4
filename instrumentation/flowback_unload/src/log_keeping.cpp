#include <flowback_unload/log_keeping.hpp>

#include <utility>

namespace flowback_unload {

std::unique_ptr<user_programs::KeptLog> LogKeeping::begin(flowback_log::Recorder::Process its, vocabulary::NodeId node,
                                                          std::uint32_t number) const {
    its.program = digest;
    auto kept = std::make_unique<user_programs::KeptLog>(folder + "/" + its.name + ".mwl", its, store, costs);
    if (inbox != nullptr) {
        inbox->open(
            node, number,
            [log = kept.get()](std::uint32_t block, std::vector<std::byte> bytes) { log->arrived(block, std::move(bytes)); },
            [log = kept.get()] { return log->in_flight(); });
    }
    return kept;
}

}  // namespace flowback_unload
