#include <real_mpi/real_trace.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <trace_record/trace_file.hpp>

#include "messages.hpp"

namespace real_mpi {
namespace {

using trace_record::Event;
using trace_record::EventKind;

constexpr std::size_t block_records = 1024;

class RankTrace {
public:
    RankTrace(const RankFiles& files, const Messages& messages, std::size_t rank)
        : files_(files), records_(files.ranks()[rank].records), messages_(messages), rank_(rank) {
        skip();
    }

    bool over() const { return at_ >= records_.size(); }
    std::uint64_t next_ns() const { return files_.ns(records_[at_]); }
    std::uint32_t made() const { return seq_; }

    // The next records, about as many as a block has.
    std::vector<Event> block() {
        std::vector<Event> events;
        for (; at_ < records_.size() && events.size() < block_records; ++at_) take(records_[at_], events);
        skip();
        return events;
    }

private:
    struct Operations {
        std::uint32_t begun = 0, ended = 0;
    };

    // These have no time.
    void skip() {
        while (!over() && (records_[at_].kind == REAL_COMMUNICATOR || records_[at_].kind == REAL_MEMBER)) ++at_;
    }

    Event& add(std::vector<Event>& events, const real_record& its, EventKind kind, std::int32_t peer) {
        time_us_ = std::max(time_us_, files_.ns(its) / 1000);
        events.push_back({.time_us = time_us_,
                          .seq = seq_++,
                          .task = static_cast<std::uint32_t>(its.tag),
                          .bytes = its.bytes,
                          .node = static_cast<std::uint16_t>(rank_),
                          .peer = peer < 0 ? trace_record::unknown_peer : static_cast<std::uint16_t>(peer),
                          .kind = kind});
        return events.back();
    }

    void take(const real_record& its, std::vector<Event>& events) {
        switch (its.kind) {
            case REAL_SEND:
                if (its.peer < 0) return;
                sends_.resize(std::max<std::size_t>(sends_.size(), its.number + std::size_t{1}), nullptr);
                sends_[its.number] = &its;
                add(events, its, EventKind::SendCall, its.peer).bytes = its.number;
                return;
            case REAL_SENT:
                if (its.number < sends_.size() && sends_[its.number] != nullptr) sent(its, *sends_[its.number], events);
                return;
            case REAL_POST:
                if ((its.flags & REAL_PROBE) == 0) add(events, its, EventKind::ReceiveCall, 0).bytes = 0;
                return;
            case REAL_CAME:
                if ((its.flags & REAL_PROBE) == 0) receive(its, events);
                return;
            case REAL_COLLECTIVE:
            case REAL_COLLECTIVE_END:
                if (its.tag == REAL_ALL) operation(its, events);
                return;
            default:
                return;
        }
    }

    void sent(const real_record& end, const real_record& begun, std::vector<Event>& events) {
        Event& event = add(events, end, EventKind::MessageSend, begun.peer);
        event.task = static_cast<std::uint32_t>(begun.tag);
        event.bytes = begun.bytes;
    }

    void receive(const real_record& its, std::vector<Event>& events) {
        const Came came = messages_.came[rank_][at_];
        if (came.number != none && !messages_.freed) {
            Event& partner = add(events, its, EventKind::Partner, its.peer);
            partner.task = came.number + 1;
            partner.bytes = 0;
        }
        add(events, its, EventKind::MessageReceive, its.peer);
    }

    void operation(const real_record& its, std::vector<Event>& events) {
        const std::uint32_t comm = its.comm < messages_.named[rank_].size() ? messages_.named[rank_][its.comm] : none;
        if (comm == none || comm >= trace_record::unknown_peer - std::uint32_t{trace_record::first_cast}) return;
        const std::vector<std::int32_t>& members = messages_.communicators[comm].members;
        const auto cast = static_cast<std::int32_t>(trace_record::first_cast + comm);
        operations_.resize(std::max<std::size_t>(operations_.size(), comm + std::size_t{1}));
        Operations& so_far = operations_[comm];
        if (so_far.begun == 0) {
            for (std::size_t i = 0; i < members.size(); ++i) {
                Event& member = add(events, its, EventKind::Member, members[i]);
                member.task = static_cast<std::uint32_t>(cast);
                member.subtask = static_cast<std::uint32_t>(i);
                member.bytes = static_cast<std::uint32_t>(members.size());
            }
        }
        const bool begins = its.kind == REAL_COLLECTIVE;
        Event& event = add(events, its, begins ? EventKind::CollectiveBegin : EventKind::CollectiveEnd, cast);
        event.task = static_cast<std::uint32_t>(trace_record::Collective::AllToAll);
        event.bytes = begins ? ++so_far.begun : ++so_far.ended;
    }

    const RankFiles& files_;
    std::span<const real_record> records_;
    const Messages& messages_;
    std::size_t rank_;
    std::uint64_t time_us_ = 0;
    std::size_t at_ = 0;
    std::uint32_t seq_ = 0;
    std::vector<const real_record*> sends_;
    std::vector<Operations> operations_;
};

}  // namespace

void write_trace(const RankFiles& files, const std::string& path, nlohmann::ordered_json manifest) {
    const Messages messages = messages_of(files);
    const std::size_t ranks = files.ranks().size();
    manifest["expected_nodes"] = ranks;
    trace_record::TraceFileWriter writer(path, manifest.dump(), {.compress = true, .force = true});
    std::vector<RankTrace> traces;
    for (std::size_t rank = 0; rank < ranks; ++rank) traces.emplace_back(files, messages, rank);
    // The block that begins first comes first, so that a sorter need not hold much.
    for (;;) {
        std::size_t first = ranks;
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            if (!traces[rank].over() && (first == ranks || traces[rank].next_ns() < traces[first].next_ns())) first = rank;
        }
        if (first == ranks) break;
        const std::uint32_t seq = traces[first].made();
        const std::vector<Event> events = traces[first].block();
        if (!events.empty()) writer.events(static_cast<std::uint16_t>(first), seq, events);
    }
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        if (files.ranks()[rank].finalized) writer.stream_end(static_cast<std::uint16_t>(rank), traces[rank].made());
    }
    writer.close();
}

}  // namespace real_mpi
