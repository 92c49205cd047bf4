#include <instrumentation/hostmon.hpp>

#include <instrumentation/message_seal.hpp>
#include <instrumentation/record_codec.hpp>

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

namespace {

class Hostmon {
public:
    Hostmon(trollius_os::Api& api, TraceSink& sink) : api_(api), sink_(sink) {}

    void take(const Message& report) {
        const Seal state = check_seal(report);
        const NodeId node(static_cast<NodeId::value_type>(report.data[1]));
        const auto a = static_cast<std::uint32_t>(report.data[2]), b = static_cast<std::uint32_t>(report.data[3]);
        const bool is_trace = report.data[0] == static_cast<std::int32_t>(Report::Trace) && b > 0;
        if (state != Seal::Whole) {
            api_.kernel().drop("hostmon", "a damaged report");
            if (state == Seal::BodyDamaged && is_trace) sink_.damaged(node, a, a + b - 1);
            return;
        }
        switch (static_cast<Report>(report.data[0])) {
            case Report::Trace:
                if (!is_trace || report.length / b < record_bytes) break;
                return take_records(report, node, a, b);
            case Report::Dropped:
                return sink_.dropped(node, a, b);
            case Report::End:
                return sink_.end(node, a, static_cast<std::uint32_t>(report.data[4]));
        }
        api_.kernel().drop("hostmon", "what is no report");
    }

private:
    void take_records(const Message& report, NodeId node, std::uint32_t first, std::uint32_t count) {
        batch_.clear();
        for (std::uint32_t i = 0; i < count; ++i) {
            const std::byte* record = report.body.data() + i * (report.length / count);
            batch_.push_back(decode(std::span<const std::byte, record_bytes>(record, record_bytes)));
            batch_.back().node = node.value();
            batch_.back().seq = first + i;
            batch_.back().time_us = unwrap(clocks_, node, batch_.back().time_us);
        }
        sink_.receive(node, first, batch_);
    }

    trollius_os::Api& api_;
    TraceSink& sink_;
    std::vector<trace_record::Event> batch_;
    std::vector<std::uint64_t> clocks_;  // last time of each node: 32 bits travel, the rest is counted here
};

}  // namespace

void hostmon(trollius_os::Api& api, TraceSink& sink) {
    std::vector<std::byte> body(api.kernel().costs().most_packet);
    Hostmon hostmon(api, sink);
    while (true) {
        Message report{.event = instrumentation::events::collector, .body = body};
        api.nrecv(report);
        hostmon.take(report);
    }
}

void monctrl(trollius_os::Api& api, Control command, const std::vector<NodeId>& nodes, std::vector<NodeId>* silent) {
    const auto tell = [&](NodeId node) {
        Message message{.node = node,
                        .event = events::nodemon,
                        .flags = trollius_os::flags::monitor,
                        .data = {static_cast<std::int32_t>(command), api.node().value(), api.process().reply_event().value()}};
        seal(message);
        if (silent != nullptr) silent->push_back(node);
        api.nsend(message);
    };
    const auto await_answer = [&] {
        if (command != Control::Begin) return;
        Message answer{.event = api.process().reply_event()};
        for (bool whole = false; !whole;) {
            api.nrecv(answer);
            whole = check_seal(answer) == Seal::Whole;
            if (!whole) api.kernel().drop("monctrl", "a damaged answer");
        }
        if (silent != nullptr) std::erase(*silent, NodeId(static_cast<NodeId::value_type>(answer.data[0])));
    };
    for (std::size_t i = 0; i + 1 < nodes.size(); ++i) tell(nodes[i]);
    for (std::size_t i = 0; i + 1 < nodes.size(); ++i) await_answer();
    tell(nodes.back());
    await_answer();
}

}  // namespace instrumentation
