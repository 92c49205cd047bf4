// CollectorSink: receives the records from hostmon, passes them to the collector, and counts them for observers of the
// session.
#pragma once

#include <exception>
#include <functional>
#include <span>
#include <vector>

#include <instrumentation/hostmon.hpp>
#include <tmon_streams/collector.hpp>
#include <trace_record/trace_file.hpp>

#include "trace_delay.hpp"

namespace session {

class CollectorSink final : public instrumentation::TraceSink {
public:
    // `now`: the host's clock. `file`, if given, gets every block and is flushed. With `file_only` the collector keeps no
    // records. `feed`: see Collector; may be null.
    CollectorSink(std::uint16_t nodes, std::function<vocabulary::SimTime()> now, trace_record::TraceFileWriter* file,
                  bool file_only, tmon_streams::TraceFeed* feed)
        : collector(nodes, file_only ? tmon_streams::Collector::Keep::Nothing : tmon_streams::Collector::Keep::Records, feed),
          has_ended(nodes),
          dropped_by_node(nodes),
          now_(std::move(now)),
          file_(file) {}
    void receive(vocabulary::NodeId node, std::span<const trace_record::Event> batch, std::uint64_t unloaded_us) override {
        received += batch.size();
        if (node.value() < has_ended.size()) delay.came(node, batch.front().time_us, batch.back().time_us, now_());
        if (collector.receive(node.value(), batch.front().seq, batch, unloaded_us, now_us()))
            write(node.value(), batch, unloaded_us);
    }
    void lost(const trace_record::LossRange& range) override {
        records_lost += range.last_seq - range.first_seq + 1;
        if (collector.dropped(range, now_us())) on_file([&] { file_->loss(range); });
    }
    void end(vocabulary::NodeId node, std::uint32_t records, std::uint32_t dropped_messages) override {
        if (node.value() >= dropped_by_node.size()) return;
        ended += has_ended[node.value()] ? 0 : 1;
        has_ended[node.value()] = true;
        delay.ended(node);
        dropped_by_node[node.value()] = dropped_messages;
        end_stream(node.value(), records);
    }
    void heartbeat(vocabulary::NodeId node, std::uint64_t before_us) override {
        collector.heartbeat(node.value(), before_us, now_us());
    }
    // For a node outside the farm: its stream is whole and empty.
    void absent(std::uint16_t node) { end_stream(node, 0); }

    tmon_streams::Collector collector;
    TraceDelay delay;
    std::uint64_t received = 0, records_lost = 0;
    std::size_t ended = 0;
    std::vector<bool> has_ended;
    std::vector<std::uint32_t> dropped_by_node;  // messages, from the nodes' end marks
    std::uint64_t unwritten = 0;                 // records with impossible numbers
    std::exception_ptr failure;                  // why writing the file failed; the rest is not written

private:
    std::uint64_t now_us() const { return static_cast<std::uint64_t>(now_().in_us()); }
    void write(std::uint16_t node, std::span<const trace_record::Event> batch, std::uint64_t unloaded_us) {
        if (file_ == nullptr) return;
        const std::uint32_t first_seq = batch.front().seq;
        if (first_seq + std::uint64_t{batch.size()} > std::uint64_t{1} << 32) {
            unwritten += batch.size();
            return;
        }
        on_file([&] { file_->events(node, first_seq, batch, unloaded_us); });
    }
    void end_stream(std::uint16_t node, std::uint32_t records) {
        if (collector.end(node, records, now_us())) on_file([&] { file_->stream_end(node, records); });
    }
    // Called in a SystemC process, through which no exception may pass.
    template <class Function>
    void on_file(Function write) {
        if (file_ == nullptr || failure) return;
        try {
            write();
            file_->flush();
        } catch (const std::exception&) {
            failure = std::current_exception();
        }
    }
    std::function<vocabulary::SimTime()> now_;
    trace_record::TraceFileWriter* file_;
};

}  // namespace session
