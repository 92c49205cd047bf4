#include <twin/critical_path.hpp>

#include <algorithm>

#include <instrumentation/accounts.hpp>
#include <vocabulary/contract.hpp>

namespace twin {
namespace {

using hw_model::Chronicle;
using vocabulary::Account;
using vocabulary::is_tool;
using vocabulary::SimTime;

constexpr Account program = trollius_os::accounts::system;
constexpr std::size_t links_per_node = 4;

Account cause_of(const Chronicle::Transfer& transfer) {
    if (!is_tool(transfer.account)) return program;
    return is_tool(transfer.purpose) ? transfer.purpose : transfer.account;
}

std::size_t number_of(Chronicle::End end) {
    return end.node * links_per_node + end.link;
}

PathKind kind_of(Chronicle::Kind kind) {
    return kind == Chronicle::Kind::Switch   ? PathKind::Switch
           : kind == Chronicle::Kind::Memory ? PathKind::Memory
                                             : PathKind::Use;
}

PathKind waited_for(Chronicle::Why why) {
    return why == Chronicle::Why::Timer ? PathKind::Timer : why == Chronicle::Why::Event ? PathKind::Event : PathKind::Unknown;
}

}  // namespace

CriticalPath::CriticalPath(const Chronicle& chronicle, std::function<const hw_model::LinkTiming&(End)> timing,
                           std::function<std::optional<End>(End)> across)
    : chronicle_(chronicle), timing_(std::move(timing)), across_(std::move(across)) {
    index_processors();
    index_links();
}

void CriticalPath::index_processors() {
    for (std::size_t i = 0; i < chronicle_.entries().size(); ++i) {
        const Entry& entry = chronicle_.entries()[i];
        if (entry.kind == Chronicle::Kind::Wait) continue;
        const std::size_t node = chronicle_.node_of(entry.actor).value();
        if (uses_.size() <= node) uses_.resize(node + 1);
        uses_[node].push_back(static_cast<EntryNo>(i));
    }
}

void CriticalPath::index_links() {
    for (const std::uint32_t number : chronicle_.sent_transfers()) {
        const Transfer& transfer = chronicle_.transfers()[number];
        const std::size_t end = number_of({transfer.node, transfer.link});
        if (sent_.size() <= end) sent_.resize(end + 1);
        sent_[end].push_back(number);
    }
}

std::vector<PathSegment> CriticalPath::back(EntryNo last, SimTime until, SimTime since) {
    EXPECTS(since <= until, "critical_path.back.span");
    path_.clear();
    at_ = last;
    now_ = until;
    since_ = since;
    while (now_ > since_) step();
    return std::move(path_);
}

// The path goes on at `from`, or where the span begins.
void CriticalPath::add(SimTime from, PathSegment like) {
    from = std::clamp(from, since_, now_);
    if (from == now_) return;
    like.from = from;
    like.until = now_;
    now_ = from;
    const bool same = !path_.empty() && path_.back().kind == like.kind && path_.back().cause == like.cause &&
                      path_.back().what == like.what && path_.back().link == like.link && path_.back().node == like.node;
    if (same) {
        path_.back().from = from;
    } else {
        path_.push_back(like);
    }
}

PathSegment CriticalPath::of_node(PathKind kind, const Entry& entry) const {
    PathSegment segment{
        .kind = kind, .cause = entry.purpose, .what = entry.what, .node = chronicle_.node_of(entry.actor).value()};
    if (entry.kind == Chronicle::Kind::Memory) {
        if (const Account messages(entry.what); is_tool(messages)) segment.cause = messages;
        segment.what = 0;
    }
    return segment;
}

void CriticalPath::step() {
    if (at_ == Chronicle::none) return add(since_, {});
    const Entry& entry = chronicle_.entries()[at_];
    if (entry.until < now_) return add_processor_wait(entry);
    if (entry.kind != Chronicle::Kind::Wait) {
        add(entry.from, of_node(kind_of(entry.kind), entry));
        at_ = entry.before;
        return;
    }
    const bool over_link = entry.why == Chronicle::Why::Received || entry.why == Chronicle::Why::Sent;
    if (over_link) return over_the_link(entry, chronicle_.transfers()[entry.by]);
    if (entry.why == Chronicle::Why::Activity && entry.by != Chronicle::none) {
        at_ = entry.by;
        return;
    }
    add(entry.from, of_node(waited_for(entry.why), entry));
    at_ = entry.before;
}

// Since its last entry it has been ready, and others had the processor.
void CriticalPath::add_processor_wait(const Entry& entry) {
    const SimTime from = std::max(entry.until, since_);
    const std::uint16_t node = chronicle_.node_of(entry.actor).value();
    const PathSegment nobody{.kind = PathKind::Unknown, .node = node};
    if (node < uses_.size()) {
        const auto& uses = uses_[node];
        auto after =
            std::partition_point(uses.begin(), uses.end(), [&](EntryNo at) { return chronicle_.entries()[at].from < now_; });
        while (after != uses.begin() && now_ > from) {
            const Entry& other = chronicle_.entries()[*--after];
            if (other.until <= from) break;
            add(std::max(from, other.until), nobody);
            add(std::max(from, other.from), of_node(PathKind::Processor, other));
        }
    }
    add(from, nobody);
}

// The path goes to the later of the two ends. If that is the sender, it includes the wait in the link's queue until the message
// was the first.
void CriticalPath::over_the_link(const Entry& entry, const Transfer& transfer) {
    const bool receiver_late = transfer.wanted > transfer.first;
    const EntryNo next = receiver_late ? transfer.receiver_before : transfer.sender_before;
    add_transfer(std::max(transfer.wanted, transfer.first), transfer);
    if (!receiver_late) add_link_wait(transfer.offered, transfer);
    if (next != Chronicle::none) {
        at_ = next;
        return;
    }
    add(entry.from, of_node(PathKind::Unknown, entry));
    at_ = entry.before;
}

template <class Function>
void CriticalPath::each_overlapping(End end, SimTime from, SimTime until, Function function) const {
    if (number_of(end) >= sent_.size()) return;
    const auto& sent = sent_[number_of(end)];
    auto at = std::partition_point(sent.begin(), sent.end(),
                                   [&](std::uint32_t number) { return chronicle_.transfers()[number].done <= from; });
    for (; at != sent.end() && chronicle_.transfers()[*at].first < until; ++at) function(chronicle_.transfers()[*at]);
}

// Both ways a byte takes longer than one way, by a share that the number of switches decides.
SimTime CriticalPath::slowed_by_monitor(SimTime from, SimTime until, const Transfer& transfer) const {
    const auto other = across_({transfer.node, transfer.link});
    if (!other) return {};
    const std::size_t switches = std::min<std::size_t>(transfer.switches, hw_model::LinkTiming::most_switches);
    const hw_model::LinkTiming& timing = timing_({transfer.node, transfer.link});
    const SimTime one = timing.byte_one_way[switches], both = timing.byte_both_ways[switches];
    SimTime slowed;
    each_overlapping(*other, from, until, [&](const Transfer& against) {
        if (cause_of(against) == program) return;
        const SimTime together = std::min(until, against.done) - std::max(from, against.began);
        if (together > SimTime()) slowed += SimTime::ps(together.in_ps() / both.in_ps() * (both - one).in_ps());
    });
    return std::min(slowed, until - from);
}

void CriticalPath::add_transfer(SimTime from, const Transfer& transfer) {
    from = std::clamp(from, since_, now_);
    PathSegment segment{.kind = PathKind::Transfer, .cause = cause_of(transfer), .link = transfer.link, .node = transfer.node};
    if (segment.cause == program) {
        const SimTime slowed = slowed_by_monitor(from, now_, transfer);
        PathSegment slow = segment;
        slow.kind = PathKind::SlowLink;
        slow.cause = instrumentation::accounts::trace_message;
        add(now_ - slowed, slow);
    }
    add(from, segment);
}

// Messages leave in the order they are given. Until this message was the first, those before it had the link.
void CriticalPath::add_link_wait(SimTime from, const Transfer& transfer) {
    std::vector<const Transfer*> ahead;
    each_overlapping({transfer.node, transfer.link}, from, now_, [&](const Transfer& other) { ahead.push_back(&other); });
    PathSegment segment{.kind = PathKind::Link, .link = transfer.link, .node = transfer.node};
    for (auto other = ahead.rbegin(); other != ahead.rend(); ++other) {
        if ((*other)->first >= now_) continue;
        add(std::max(from, (*other)->done), segment);
        segment.cause = cause_of(**other);
        add(std::max(from, (*other)->first), segment);
        segment.cause = program;
    }
    add(from, segment);
}

}  // namespace twin
