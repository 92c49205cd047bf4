#include <instrumentation/hostmon.hpp>

#include <instrumentation/record_codec.hpp>
#include <vocabulary/contract.hpp>

namespace instrumentation {

using trollius_os::Message;
using vocabulary::NodeId;

namespace {

// The node's timer wraps after 2^32 us (71 minutes); its records come in order, so a step back is a wrap.
std::uint64_t unwrap(std::vector<std::uint64_t>& clocks, NodeId node, std::uint64_t time) {
    if (clocks.size() <= node.value()) clocks.resize(node.value() + 1U);
    std::uint64_t& last = clocks[node.value()];
    constexpr std::uint64_t period = std::uint64_t{1} << 32;
    time += last / period * period;
    if (time < last) time += period;
    return last = time;
}

}  // namespace

void hostmon(trollius_os::Api& api, TraceSink& sink) {
    std::vector<std::byte> body(api.kernel().costs().most_packet);
    std::vector<trace_record::Event> batch;
    std::vector<std::uint64_t> clocks;  // last time of each node: 32 bits travel, the rest is counted here
    while (true) {
        Message report{.event = instrumentation::events::collector, .body = body};
        api.nrecv(report);
        const NodeId node(static_cast<NodeId::value_type>(report.data[1]));
        const auto a = static_cast<std::uint32_t>(report.data[2]), b = static_cast<std::uint32_t>(report.data[3]);
        switch (static_cast<Report>(report.data[0])) {
            case Report::Trace:
                EXPECTS(b > 0 && report.length / b >= record_bytes, "hostmon.trace_message.size");
                batch.clear();
                for (std::uint32_t i = 0; i < b; ++i) {
                    const std::byte* record = body.data() + i * (report.length / b);
                    batch.push_back(decode(std::span<const std::byte, record_bytes>(record, record_bytes)));
                    batch.back().node = node.value();
                    batch.back().seq = a + i;
                    batch.back().time_us = unwrap(clocks, node, batch.back().time_us);
                }
                sink.receive(node, a, batch);
                break;
            case Report::Dropped:
                sink.dropped(node, a, b);
                break;
            case Report::End:
                sink.end(node, a);
                break;
        }
    }
}

void monctrl(trollius_os::Api& api, Control command, const std::vector<NodeId>& nodes) {
    const auto tell = [&](NodeId node) {
        Message message{.node = node,
                        .event = events::nodemon,
                        .flags = trollius_os::flags::monitor,
                        .data = {static_cast<std::int32_t>(command), api.node().value(), api.process().reply_event().value()}};
        api.nsend(message);
    };
    const auto await_answer = [&] {
        if (command != Control::Begin) return;
        Message answer{.event = api.process().reply_event()};
        api.nrecv(answer);
    };
    for (std::size_t i = 0; i + 1 < nodes.size(); ++i) tell(nodes[i]);
    for (std::size_t i = 0; i + 1 < nodes.size(); ++i) await_answer();
    tell(nodes.back());
    await_answer();
}

}  // namespace instrumentation
