// CollectorSink: what hostmon gives the records to: the collector, and counts of what came for those who watch the session.
#pragma once

#include <span>
#include <vector>

#include <instrumentation/hostmon.hpp>
#include <tmon/collector.hpp>

namespace tmon_session {

class CollectorSink final : public instrumentation::TraceSink {
public:
    explicit CollectorSink(std::uint16_t nodes) : collector(nodes), has_ended(nodes), dropped_by_node(nodes) {}
    void receive(vocabulary::NodeId node, std::uint32_t first_seq, std::span<const trace_record::Event> batch) override {
        received += batch.size();
        collector.receive(node.value(), first_seq, batch);
    }
    void dropped(vocabulary::NodeId node, std::uint32_t first_seq, std::uint32_t last_seq) override {
        lost += last_seq - first_seq + 1;
        collector.dropped(node.value(), first_seq, last_seq, tmon::LossCause::BufferFull);
    }
    void damaged(vocabulary::NodeId node, std::uint32_t first_seq, std::uint32_t last_seq) override {
        lost += last_seq - first_seq + 1;
        collector.dropped(node.value(), first_seq, last_seq, tmon::LossCause::Damaged);
    }
    void end(vocabulary::NodeId node, std::uint32_t records, std::uint32_t dropped_messages) override {
        if (node.value() >= dropped_by_node.size()) return;
        ended += has_ended[node.value()] ? 0 : 1;
        has_ended[node.value()] = true;
        dropped_by_node[node.value()] = dropped_messages;
        collector.end(node.value(), records);
    }
    tmon::Collector collector;
    std::uint64_t received = 0, lost = 0;
    std::size_t ended = 0;
    std::vector<bool> has_ended;
    std::vector<std::uint32_t> dropped_by_node;  // messages, as the nodes' end marks say
};

}  // namespace tmon_session
