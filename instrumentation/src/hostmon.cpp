#include <instrumentation/hostmon.hpp>

#include <optional>

#include <instrumentation/message_seal.hpp>
#include <instrumentation/record_codec.hpp>
#include <instrumentation/report_codec.hpp>

namespace instrumentation {

using trace_record::LossRange;
using trollius_os::Message;
using vocabulary::NodeId;

namespace {

constexpr std::uint64_t timer_period = std::uint64_t{1} << 32;  // us, 71 minutes: the part of a node's clock that travels

// The first time with these 32 bits that is not before `least`.
std::uint64_t not_before(std::uint64_t least, std::uint32_t low_bits) {
    const std::uint64_t time = least / timer_period * timer_period + low_bits;
    return time < least ? time + timer_period : time;
}
// The last one that is not after `most`; losses are reported after they happened.
std::uint64_t not_after(std::uint64_t most, std::uint64_t low_bits) {
    const std::uint64_t time = most / timer_period * timer_period + low_bits;
    return time > most && time >= timer_period ? time - timer_period : time;
}

class Hostmon {
public:
    Hostmon(trollius_os::Api& api, TraceSink& sink) : api_(api), sink_(sink) {}

    void take(const Message& report) {
        const Seal state = check_seal(report);
        if (state == Seal::Damaged) return drop("a damaged report");
        const std::optional<ReportHead> head = head_of(report);
        if (!head) return drop("a message that is no report");
        if (state == Seal::Whole) {
            if (!take(report, *head)) drop("a message that is no report");
            return;
        }
        drop("a damaged report");
        if (head->what == Report::Trace)
            sink_.lost({head->node.value(), head->first_seq, head->last_seq, trace_record::LossCause::Damaged});
    }

private:
    void drop(const char* why) { api_.kernel().drop("hostmon", why); }
    bool take(const Message& report, const ReportHead& head) {
        switch (head.what) {
            case Report::Trace:
                return take_records(report, head);
            case Report::Losses:
                return take_losses(report, head.node);
            case Report::Heartbeat:
                return take_heartbeat(head);
            case Report::End:
                break;
        }
        sink_.end(head.node, head.first_seq, head.dropped_messages);
        return true;
    }

    // The last known time of a node. Its records come in order, so one that seems earlier is of the next period.
    std::uint64_t& clock(NodeId node) {
        if (clocks_.size() <= node.value()) clocks_.resize(node.value() + 1U);
        return clocks_[node.value()];
    }

    bool take_records(const Message& report, const ReportHead& head) {
        batch_.clear();
        std::uint32_t next = head.first_seq;
        std::uint64_t last_us = clock(head.node);
        const std::size_t stride = report.length / head.count;
        for (std::uint32_t i = 0; i < head.count; ++i) {
            const std::span<const std::byte, record_bytes> record(report.body.data() + i * stride, record_bytes);
            batch_.push_back(decode(record));
            batch_.back().node = head.node.value();
            batch_.back().seq = next + missing_before(record);
            next = batch_.back().seq + 1;
            last_us = batch_.back().time_us = not_before(last_us, static_cast<std::uint32_t>(batch_.back().time_us));
        }
        if (next != head.last_seq + 1) return false;
        clock(head.node) = last_us;
        const std::uint64_t unloaded_us = not_before(last_us, head.unloaded_us);
        for (std::size_t first = 0, i = 1; i <= batch_.size(); ++i) {
            if (i < batch_.size() && batch_[i].seq == batch_[i - 1].seq + 1) continue;
            sink_.receive(head.node, std::span(batch_).subspan(first, i - first), unloaded_us);
            first = i;
        }
        return true;
    }

    bool take_heartbeat(const ReportHead& head) {
        std::uint64_t& last_us = clock(head.node);
        const std::uint64_t before_us = not_before(last_us, head.before_us);
        // A record that contradicts the heartbeat keeps its time: half a period is room for it.
        last_us = std::max(last_us, before_us - std::min(before_us, timer_period / 2));
        sink_.heartbeat(head.node, before_us);
        return true;
    }

    bool take_losses(const Message& report, NodeId node) {
        const std::vector<LossRange> losses = losses_of(report);
        for (LossRange loss : losses) {
            // Losses are reported soon, so they lie within half a period of the last record.
            const std::uint64_t most = clock(node) + timer_period / 2;
            loss.until_us = not_after(most, loss.until_us);
            loss.from_us = not_after(loss.until_us, loss.from_us);
            sink_.lost(loss);
        }
        return !losses.empty();
    }

    trollius_os::Api& api_;
    TraceSink& sink_;
    std::vector<trace_record::Event> batch_;
    std::vector<std::uint64_t> clocks_;
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

}  // namespace instrumentation
