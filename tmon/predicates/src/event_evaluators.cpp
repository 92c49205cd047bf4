// E1 -> E2 -> ..., and count(E) >= k.
#include <algorithm>

#include "evaluator.hpp"

namespace tmon_predicates {
namespace {

using tmon_order::RecordId;

// Miller and Choi 1988: for each link of the chain and each node the first record with which the chain so far is complete. A
// later one of the same node precedes nothing that the first does not precede.
class Linked final : public Evaluator {
public:
    Linked(const Predicate& predicate, std::uint16_t nodes, const CausalClocks& clocks)
        : Evaluator(clocks), events_(predicate.events), reached_(events_.size(), std::vector<Reached>(nodes)) {}

    void record(const Step& step) override {
        // From the end, so that a record is one event of the chain only: it does not precede itself.
        for (std::size_t link = events_.size(); link-- > 0;) {
            if (!events_[link].matches(step.event)) continue;
            Reached made = before(link, step);
            if (made.chain.empty() && link > 0) continue;
            made.count = step.position.count;
            made.chain.push_back(step.id());
            if (link + 1 == events_.size()) return is_complete(step, made);
            Reached& first = reached_[link][step.position.node];
            if (first.count == 0) first = made;
            if (first.sure_count == 0 && made.sure) first.sure_count = made.count;
        }
    }
    void late(const Step& step) override {
        if (events_.size() != 1 || !events_[0].matches(step.event)) return;
        Cut cut = cut_at(step.position);
        const auto number = static_cast<std::uint32_t>(step.id().number);
        cut[step.id().stream] = std::max(cut[step.id().stream], number + 1);
        holds(std::move(cut), {step.id()}, {});
    }
    bool may_be_in(const trace_record::LossRange& loss) const override {
        return std::any_of(events_.begin(), events_.end(), [&](const EventPattern& one) { return one.may_be_in(loss); });
    }

    bool is_about_order() const override { return events_.size() > 1; }

private:
    struct Reached {
        std::uint32_t count = 0;  // of the node's records, with this one; 0: not reached
        std::vector<RecordId> chain{};
        bool sure = true;              // by sure messages only
        std::uint32_t sure_count = 0;  // the first that is reached by those
    };

    // The chain that this position follows from, up to the link before.
    Reached before(std::size_t link, const Step& step) const {
        const Position& position = step.position;
        Reached made;
        if (link == 0) return made;
        made.sure = false;
        for (std::uint16_t node = 0; node < reached_[link - 1].size(); ++node) {
            const Reached& first = reached_[link - 1][node];
            if (first.count == 0 || first.count > position.up_to(node)) continue;
            if (made.chain.empty()) made.chain = first.chain;
            made.sure = made.sure || (first.sure_count != 0 && first.sure_count <= position.surely_up_to(node));
            // A message's own send precedes its receive, whenever it was recorded.
            made.sure = made.sure || (link == 1 && step.order.source && step.order.source->id == first.chain.back() &&
                                      step.order.assumed == tmon_order::Assumed::Nothing);
        }
        return made;
    }
    Cut cut_at(const Position& position) const {
        Cut cut(reached_[0].size());
        position.join_into(cut);
        return cut;
    }
    void is_complete(const Step& step, const Reached& made) {
        Cut cut = cut_at(step.position);
        std::string doubt;
        if (!made.sure) {
            doubt = clocks_.doubt(cut);
            if (doubt.empty()) doubt = late_sends;
        }
        holds(std::move(cut), made.chain, doubt);
    }

    const std::vector<EventPattern> events_;
    std::vector<std::vector<Reached>> reached_;  // by link and node
};

class Count final : public Evaluator {
public:
    Count(const Predicate& predicate, std::uint16_t nodes, const CausalClocks& clocks)
        : Evaluator(clocks), event_(predicate.events[0]), least_(predicate.least), cut_(nodes) {}

    void record(const Step& step) override {
        if (!event_.matches(step.event)) return;
        step.position.join_into(cut_);
        is_one_more(step.id());
    }
    void late(const Step& step) override {
        if (!event_.matches(step.event)) return;
        const auto number = static_cast<std::uint32_t>(step.id().number);
        step.position.join_into(cut_);
        cut_[step.id().stream] = std::max(cut_[step.id().stream], number + 1);
        is_one_more(step.id());
    }
    bool may_be_in(const trace_record::LossRange& loss) const override { return event_.may_be_in(loss); }
    bool is_about_order() const override { return false; }

private:
    void is_one_more(RecordId id) {
        if (++count_ == least_) holds(cut_, {id}, {});
    }

    const EventPattern event_;
    const std::uint64_t least_;
    std::uint64_t count_ = 0;
    Cut cut_;
};

}  // namespace

std::unique_ptr<Evaluator> make_linked(const Predicate& predicate, std::uint16_t nodes, const CausalClocks& clocks) {
    return std::make_unique<Linked>(predicate, nodes, clocks);
}
std::unique_ptr<Evaluator> make_count(const Predicate& predicate, std::uint16_t nodes, const CausalClocks& clocks) {
    return std::make_unique<Count>(predicate, nodes, clocks);
}

}  // namespace tmon_predicates
