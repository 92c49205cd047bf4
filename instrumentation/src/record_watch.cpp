#include <instrumentation/record_watch.hpp>

#include <instrumentation/message_seal.hpp>
#include <instrumentation/node_monitor.hpp>
#include <instrumentation/report_codec.hpp>

namespace instrumentation {

std::optional<RecordsInPacket> records_in(const trollius_os::Message& packet) {
    if (packet.event != events::collector || check_seal(packet) != Seal::Whole) return {};
    const auto head = head_of(packet);
    if (!head || head->what != Report::Trace) return {};
    return RecordsInPacket{head->node, head->count};
}

}  // namespace instrumentation
