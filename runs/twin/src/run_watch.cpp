#include <twin/run_watch.hpp>

#include <algorithm>
#include <tuple>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <vocabulary/contract.hpp>

namespace twin {

using hw_model::Chronicle;
using vocabulary::SimTime;

std::uint64_t hash_of(std::span<const std::byte> content) {
    return XXH3_64bits(content.data(), content.size());
}

void RunWatch::attach(trollius_hosted::Multicomputer& machine) {
    machine_ = &machine;
    machine.machine().attach(chronicle_);
    for (std::size_t i = 0; i <= machine.node_count(); ++i)
        machine.port(vocabulary::NodeId(static_cast<vocabulary::NodeId::value_type>(i))).attach(&chronicle_);
}

// The same results as Truth::results_at_manager() counts.
void RunWatch::on_moved(const trek_kernel::TaskMoved& what, SimTime when) {
    first_ = std::min(first_, when);
    if (!counts_exchanges_ && !counts_ranks_ && what.node.value() == 0 && what.result && !what.sent)
        result(what.tasks, what.node, when);
}

void RunWatch::on_step(const trek_kernel::TaskStep& what, SimTime when) {
    first_ = std::min(first_, when);
    if (counts_ranks_ && what.moment == trek_kernel::Moment::End) result(1, what.node, when);
    if (counts_ranks_) return;
    const bool by_manager = what.node.value() == 0 && what.process == trek_kernel::UserProcess::Compute;
    // A step of a halo follows a whole exchange.
    const auto counted = counts_exchanges_ ? trek_kernel::Moment::Begin : trek_kernel::Moment::End;
    if (by_manager && what.moment == counted) result(1, what.node, when);
}

void RunWatch::on_finished(vocabulary::NodeId node, SimTime when) {
    if (counts_exchanges_ && node.value() == 0) result(1, node, when);
}

void RunWatch::result(std::uint32_t more, vocabulary::NodeId node, SimTime when) {
    if (machine_ == nullptr) {
        results_.push_back({results() + more, when, {}});
        return;
    }
    const hw_model::Activity* running = machine_->machine().node(node).processor.running();
    EXPECTS(running != nullptr, "run_watch.result.outside_a_process");
    results_.push_back({results() + more, when, chronicle_.last_of(*running)});
}

void RunWatch::on_result(const trek_kernel::ResultTaken& what, SimTime) {
    contents_[what.task] = hash_of(what.content);
}

const RunWatch::Mark& RunWatch::mark(std::uint64_t count) const {
    const auto found = std::partition_point(results_.begin(), results_.end(), [&](const Mark& m) { return m.count < count; });
    EXPECTS(count > 0 && found != results_.end(), "run_watch.mark.count");
    return *found;
}

SimTime RunWatch::span(SimTime began, std::uint64_t count) const {
    return std::max(SimTime(), mark(count).when - began);
}

std::vector<std::int64_t> RunWatch::spans_ps(SimTime began) const {
    std::vector<std::int64_t> spans;
    for (std::uint64_t i = 1; i <= results(); ++i) spans.push_back(span(began, i).in_ps());
    return spans;
}

std::vector<PathShare> RunWatch::path(SimTime began, std::uint64_t count) const {
    EXPECTS(machine_ != nullptr, "run_watch.path.not_attached");
    const Mark& end = mark(count);
    const auto across = [&](Chronicle::End at) -> std::optional<Chronicle::End> {
        const auto& neighbour = machine_->network().neighbour(vocabulary::NodeId(at.node), vocabulary::LinkNo(at.link));
        if (!neighbour) return std::nullopt;
        return Chronicle::End{neighbour->node.value(), neighbour->link.value()};
    };
    const auto timing = [&](Chronicle::End at) -> const hw_model::LinkTiming& {
        return machine_->machine().link_timing(vocabulary::NodeId(at.node), vocabulary::LinkNo(at.link));
    };
    CriticalPath path(chronicle_, timing, across);
    std::map<std::tuple<PathKind, vocabulary::Account, std::uint8_t, std::uint8_t, std::uint16_t>, SimTime> sums;
    for (const PathSegment& s : path.back(end.last, end.when, std::min(began, end.when)))
        sums[{s.kind, s.cause, s.what, s.link, s.node}] += s.length();
    std::vector<PathShare> shares;
    for (const auto& [key, time] : sums)
        shares.push_back({std::get<0>(key), std::get<1>(key), std::get<2>(key), std::get<3>(key), std::get<4>(key), time});
    return shares;
}

std::vector<RunContent> RunWatch::contents() const {
    std::vector<RunContent> contents;
    for (const auto& [task, hash] : contents_) contents.push_back({"task " + std::to_string(task), hash});
    return contents;
}

}  // namespace twin
