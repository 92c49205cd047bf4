// definitely(...): strong conjunctive predicates by intervals (Garg and Waldecker 1996).
//
// An interval is a run of states of one node in which its locals are true. Let each node enter its interval before any
// other one can leave its own. Then all ways through the cuts pass a cut where all are inside. If one can leave before another
// enters, it has left whenever a later interval of the other begins, so it is dropped.
#include <algorithm>
#include <deque>

#include "evaluator.hpp"
#include "local_states.hpp"

namespace tmon_predicates {
namespace {

class Definitely final : public Evaluator {
public:
    Definitely(const Predicate& predicate, std::uint16_t nodes, const CausalClocks& clocks) : Evaluator(clocks), nodes_(nodes) {
        for (auto& [node, locals] : LocalStates::of(predicate.locals)) named_.push_back({node, std::move(locals), {}});
    }

    void record(const Step& step) override {
        Named* const named = find(step.position.node);
        if (named == nullptr) return;
        const State state = named->locals.record(step);
        take(*named, state, step.position);
    }
    void lost(const trace_record::LossRange& loss, const Position& position) override {
        Named* const named = find(loss.node);
        if (named == nullptr) return;
        Position first = position;  // left with the first of them
        first.count = loss.first_seq + 1;
        const State state = named->locals.lost(loss);
        take(*named, state, state == State::False ? first : position);
    }
    void ended(std::uint16_t node, Ended how) override {
        Named* const named = find(node);
        if (named == nullptr || named->queue.empty() || named->queue.back().left) return;
        named->queue.back().for_ever = true;
        named->queue.back().without_mark = how == Ended::WithoutMark;
        look();
    }
    bool may_be_in(const trace_record::LossRange& loss) const override {
        return std::any_of(named_.begin(), named_.end(), [&](const Named& named) { return named.locals.may_be_in(loss); });
    }
    std::size_t kept() const override {
        std::size_t sum = 0;
        for (const Named& named : named_) sum += 2 * named.queue.size();
        return sum;
    }

private:
    struct Interval {
        Position entered;
        Position reached;  // the record that leaves it, or the newest of the node
        bool left = false, for_ever = false, without_mark = false;
        State state = State::True;
        std::vector<tmon_order::RecordId> made_by{};
    };
    struct Named {
        std::uint16_t node = 0;
        LocalStates locals;
        std::deque<Interval> queue;
    };

    Named* find(std::uint16_t node) {
        const auto found = std::find_if(named_.begin(), named_.end(), [node](const Named& one) { return one.node == node; });
        return found == named_.end() ? nullptr : &*found;
    }

    void take(Named& named, State state, const Position& position) {
        const bool inside = !named.queue.empty() && !named.queue.back().left;
        if (inside) {
            Interval& interval = named.queue.back();
            interval.reached = position;
            interval.left = state == State::False;
            // A lost record may have ended it, and this one begun it anew.
            if (interval.state == State::Unsure && state == State::True)
                interval.left = true;
            else
                interval.state = interval.left ? interval.state : state;
        }
        const bool enters = state != State::False && (!inside || named.queue.back().left);
        // A state that is only a count is never left.
        if (enters)
            named.queue.push_back({position, position, false, named.locals.is_stable(), false, state, named.locals.made_by()});
        look();
    }

    bool enters_before(const Interval& first, std::uint16_t node, const Interval& other) const {
        return other.for_ever || other.reached.up_to(node) >= first.entered.count;
    }

    void look() {
        while (drop_one()) {
        }
        for (const Named& named : named_) {
            for (const Named& other : named_) {
                if (named.queue.empty() || other.queue.empty()) return;
                if (&named != &other && !enters_before(named.queue.front(), named.node, other.queue.front())) return;
            }
        }
        tell();
    }
    // Without an interval of one node here, the next one begins later than all that the others have left.
    bool drop_one() {
        for (const Named& named : named_) {
            for (Named& other : named_) {
                if (&named == &other || other.queue.empty() || !other.queue.front().left) continue;
                if (!named.queue.empty() && enters_before(named.queue.front(), named.node, other.queue.front())) continue;
                other.queue.pop_front();
                return true;
            }
        }
        return false;
    }

    void tell() {
        Cut cut(nodes_);
        std::vector<tmon_order::RecordId> records;
        std::string doubt;
        for (const Named& named : named_) {
            const Interval& interval = named.queue.front();
            interval.entered.join_into(cut);
            records.insert(records.end(), interval.made_by.begin(), interval.made_by.end());
            if (interval.state != State::True) doubt = "a lost record may have ended one of the states before";
            if (interval.without_mark) doubt = "the records of a node end without an end mark, so it may have left its state";
            for (const Named& other : named_) {
                const Interval& its = other.queue.front();
                if (&named == &other || its.for_ever || its.reached.surely_up_to(named.node) >= interval.entered.count)
                    continue;
                doubt = late_sends;
            }
        }
        holds(std::move(cut), std::move(records), doubt);
    }

    const std::uint16_t nodes_;
    std::vector<Named> named_;
};

}  // namespace

std::unique_ptr<Evaluator> make_definitely(const Predicate& predicate, std::uint16_t nodes, const CausalClocks& clocks) {
    return std::make_unique<Definitely>(predicate, nodes, clocks);
}

}  // namespace tmon_predicates
