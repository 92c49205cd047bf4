// possibly(...): weak conjunctive predicates by queues of candidates (Garg and Waldecker 1994).
//
// A candidate is a run of states of one node between two of its receives in which its locals are true. All of them have the
// same past on other nodes, so one vector stands for the run.
#include <algorithm>
#include <deque>

#include "evaluator.hpp"
#include "local_states.hpp"

namespace tmon_predicates {
namespace {

class Possibly final : public Evaluator {
public:
    Possibly(const Predicate& predicate, std::uint16_t nodes, const CausalClocks& clocks) : Evaluator(clocks), nodes_(nodes) {
        for (auto& [node, locals] : LocalStates::of(predicate.locals))
            named_.push_back({node, std::move(locals), {}, {}, false});
    }

    void record(const Step& step) override {
        Named* const named = find(step.position.node);
        if (named == nullptr) return;
        const State state = named->locals.record(step);
        take(*named, state, step.position, step.position.count);
    }
    void lost(const trace_record::LossRange& loss, const Position& position) override {
        Named* const named = find(loss.node);
        if (named == nullptr) return;
        take(*named, named->locals.lost(loss), position, loss.first_seq + 1);
    }
    void ended(std::uint16_t node, Ended /*how*/) override {
        if (Named* const named = find(node)) {
            named->ended = true;
            look();
        }
    }
    bool may_be_in(const trace_record::LossRange& loss) const override {
        return std::any_of(named_.begin(), named_.end(), [&](const Named& named) { return named.locals.may_be_in(loss); });
    }
    std::size_t kept() const override {
        std::size_t sum = 0;
        for (const Named& named : named_) sum += named.queue.size();
        return sum;
    }

private:
    static constexpr std::uint32_t open = ~std::uint32_t{0};
    struct Run {
        Position first;
        std::uint32_t last = open;  // state, as the number of records before it
        State state = State::True;
        std::vector<tmon_order::RecordId> made_by{};
    };
    struct Named {
        std::uint16_t node = 0;
        LocalStates locals;
        std::deque<Run> queue;
        Position now;
        bool ended = false;
    };

    Named* find(std::uint16_t node) {
        const auto found = std::find_if(named_.begin(), named_.end(), [node](const Named& one) { return one.node == node; });
        return found == named_.end() ? nullptr : &*found;
    }

    // `first`: the state directly behind the record, or behind the first of the lost ones.
    void take(Named& named, State state, const Position& position, std::uint32_t first) {
        named.now = position;
        Run* last = named.queue.empty() || named.queue.back().last != open ? nullptr : &named.queue.back();
        const bool goes_on = last != nullptr && last->state == state && last->first.past == position.past;
        if (last != nullptr && !goes_on) last->last = first - 1;
        if (state != State::False && !goes_on) named.queue.push_back({position, open, state, named.locals.made_by()});
        look();
    }

    void look() {
        while (drop_one()) {
        }
        for (const Named& named : named_) {
            if (named.queue.empty()) return;
        }
        tell();
    }

    // A run that is over in the past of another node's first candidate is concurrent to none of its candidates.
    bool drop_one() {
        for (const Named& other : named_) {
            if (other.queue.empty() && other.ended) return drop_all();
            // Without a candidate: the next one has at least the present past.
            const Position& its = other.queue.empty() ? other.now : other.queue.front().first;
            for (Named& named : named_) {
                if (&named == &other || named.queue.empty() || named.queue.front().last >= its.up_to(named.node)) continue;
                named.queue.pop_front();
                return true;
            }
        }
        return false;
    }
    bool drop_all() {
        for (Named& named : named_) named.queue.clear();
        return false;
    }

    void tell() {
        Cut cut(nodes_);
        std::vector<tmon_order::RecordId> records;
        bool sure = true;
        for (const Named& named : named_) {
            const Run& run = named.queue.front();
            run.first.join_into(cut);
            records.insert(records.end(), run.made_by.begin(), run.made_by.end());
            sure = sure && run.state == State::True;
        }
        std::string doubt = clocks_.doubt(cut);
        if (doubt.empty() && !sure) doubt = "a lost record may have ended one of the states before";
        holds(std::move(cut), std::move(records), doubt);
    }

    const std::uint16_t nodes_;
    std::vector<Named> named_;
};

}  // namespace

std::unique_ptr<Evaluator> make_possibly(const Predicate& predicate, std::uint16_t nodes, const CausalClocks& clocks) {
    return std::make_unique<Possibly>(predicate, nodes, clocks);
}

}  // namespace tmon_predicates
