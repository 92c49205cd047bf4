#include <tmon_predicates/predicate_watch.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <tmon_order/order_rules.hpp>

#include "evaluator.hpp"

namespace tmon_predicates {

using tmon_order::SortedItem;
using tmon_order::SortedRecord;
using tmon_order::StreamEnding;

namespace {

constexpr std::size_t most_lenient = 1024;  // vectors

std::unique_ptr<Evaluator> make(const Predicate& predicate, std::uint16_t nodes, const CausalClocks& clocks) {
    switch (predicate.what) {
        case Predicate::What::Linked:
            return make_linked(predicate, nodes, clocks);
        case Predicate::What::Possibly:
            return make_possibly(predicate, nodes, clocks);
        case Predicate::What::Definitely:
            return make_definitely(predicate, nodes, clocks);
        case Predicate::What::Count:
            return make_count(predicate, nodes, clocks);
        case Predicate::What::InFlight:
            return make_in_flight(predicate, nodes, clocks);
        case Predicate::What::Unread:
            break;
    }
    return make_unread(predicate, nodes, clocks);
}

}  // namespace

std::string classes_off(trace_record::ClassSet named, trace_record::ClassSet recorded) {
    for (std::uint8_t i = 0; i < trace_record::event_classes; ++i) {
        const auto which = static_cast<trace_record::EventClass>(i);
        if (named.has(which) && !recorded.has(which))
            return fmt::format("class {} is off, or was switched; monitor.events names the classes that are on",
                               trace_record::class_name(which));
    }
    return {};
}

trace_record::ClassSet classes_of(const Predicate& predicate) {
    trace_record::ClassSet classes;
    for (const EventPattern& event : predicate.events) classes.add(trace_record::class_of(event.kind));
    for (const Local& local : predicate.locals) classes.add(trace_record::class_of(local.event.kind));
    if (predicate.what == Predicate::What::InFlight || predicate.what == Predicate::What::Unread)
        classes.add(predicate.messages == Messages::Tasks ? trace_record::EventClass::Task : trace_record::EventClass::Message);
    return classes;
}

struct PredicateWatch::State {
    struct One {
        std::unique_ptr<Evaluator> evaluator;
        // States that only unsure causes exclude may have been. So this one has the sure causes alone; null: not needed, or
        // no longer. It keeps what a sure cause would exclude, so it gives up at a limit.
        std::unique_ptr<Evaluator> lenient;
        bool may_have_been = false;      // by that one
        trace_record::ClassSet classes;  // of the records that it names
        std::string loss{};              // the first that may have made it true, in words
    };

    explicit State(std::uint16_t count) : nodes(count), clocks(count), finished(count) {}

    // Each predicate that is not known to be true.
    template <class Do>
    void each(const SortedRecord& order, Do act) {
        for (One& one : ones) {
            PredicateAnswer& answer = one.evaluator->answer();
            if (answer.truth != Truth::NotSoFar) continue;
            act(one);
            if (answer.truth == Truth::NotSoFar) continue;
            answer.told_by = order.id;
            ++true_ones;
        }
    }
    static void look_at_lenient(One& one) {
        if (one.lenient->answer().truth != Truth::Holds && one.lenient->kept() <= most_lenient) return;
        one.may_have_been = true;
        one.lenient.reset();
    }
    void record(const SortedItem& item);
    void lost(const SortedItem& item);
    void ended(const SortedRecord& order);
    std::string why_unknown(const One& one) const;

    const std::uint16_t nodes;
    CausalClocks clocks;
    std::vector<One> ones;
    trace_record::ClassSet recorded = trace_record::ClassSet::all();
    std::vector<bool> finished;  // by node: its end mark came, and all before it
    std::size_t true_ones = 0;
};

void PredicateWatch::State::record(const SortedItem& item) {
    if (!item.order.late) clocks.record(item.order, *item.event);
    const Position position = clocks.now(static_cast<std::uint16_t>(item.order.id.stream));
    const Step step{*item.event, item.order, position};
    each(item.order, [&](One& one) {
        item.order.late ? one.evaluator->late(step) : one.evaluator->record(step);
        if (!one.lenient) return;
        const Position surely = clocks.surely_now(static_cast<std::uint16_t>(item.order.id.stream));
        const Step sure_step{*item.event, item.order, surely};
        item.order.late ? one.lenient->late(sure_step) : one.lenient->record(sure_step);
        look_at_lenient(one);
    });
}

void PredicateWatch::State::lost(const SortedItem& item) {
    if (!item.order.late) clocks.lost(*item.loss);
    const Position position = clocks.now(static_cast<std::uint16_t>(item.order.id.stream));
    each(item.order, [&](One& one) {
        const bool hides_causes = one.evaluator->is_about_order() && tmon_order::may_hold_ends(*item.loss);
        if (one.loss.empty() && (hides_causes || one.evaluator->may_be_in(*item.loss)))
            one.loss = fmt::format("n{} lost records from n{}:{} on, which may have made it true", item.loss->node,
                                   item.loss->node, item.loss->first_seq);
        if (item.order.late) return;
        one.evaluator->lost(*item.loss, position);
        if (!one.lenient) return;
        one.lenient->lost(*item.loss, clocks.surely_now(item.loss->node));
        look_at_lenient(one);
    });
}

void PredicateWatch::State::ended(const SortedRecord& order) {
    const auto node = static_cast<std::uint16_t>(order.id.stream);
    finished[node] = order.ending == StreamEnding::Finished;
    const Ended how = finished[node] ? Ended::Finished : Ended::WithoutMark;
    each(order, [&](One& one) {
        one.evaluator->ended(node, how);
        if (!one.lenient) return;
        one.lenient->ended(node, how);
        look_at_lenient(one);
    });
}

PredicateWatch::PredicateWatch(std::uint16_t nodes) : state_(std::make_unique<State>(nodes)) {}
PredicateWatch::~PredicateWatch() = default;

std::size_t PredicateWatch::add(const Predicate& predicate) {
    using What = Predicate::What;
    const bool asks_for_states =
        predicate.what == What::Possibly || predicate.what == What::InFlight || predicate.what == What::Unread;
    State::One one;
    one.evaluator = make(predicate, state_->nodes, state_->clocks);
    if (asks_for_states) one.lenient = make(predicate, state_->nodes, state_->clocks);
    one.classes = classes_of(predicate);
    state_->ones.push_back(std::move(one));
    return state_->ones.size() - 1;
}

void PredicateWatch::item(const SortedItem& item) {
    switch (item.order.kind) {
        case SortedRecord::Kind::Record:
            return state_->record(item);
        case SortedRecord::Kind::Lost:
            return state_->lost(item);
        case SortedRecord::Kind::End:
            return state_->ended(item.order);
    }
}

// A stream without an end mark may have lost any records behind its last one. Causes among them show elsewhere: as receives
// without a send.
std::string PredicateWatch::State::why_unknown(const One& one) const {
    if (std::string off = classes_off(one.classes, recorded); !off.empty()) return off;
    if (!one.loss.empty()) return one.loss;
    for (std::uint16_t node = 0; node < nodes; ++node) {
        if (!finished[node] && one.evaluator->may_be_in({.node = node}))
            return fmt::format("the records of n{} end without an end mark", node);
    }
    std::string doubt = one.evaluator->is_about_order() ? clocks.doubt(Cut(nodes, ~std::uint32_t{0})) : std::string();
    if (doubt.empty() && ((one.may_have_been && clocks.joins_tasks()) || !one.evaluator->is_told_by_records()))
        doubt = late_sends;
    return doubt;
}

void PredicateWatch::finish() {
    for (State::One& one : state_->ones) {
        PredicateAnswer& answer = one.evaluator->answer();
        if (answer.truth != Truth::NotSoFar) continue;
        answer.truth = Truth::Never;
        answer.why = state_->why_unknown(one);
        answer.certainty = answer.why.empty() ? Certainty::Certain : Certainty::Unknown;
    }
}

void PredicateWatch::recorded(trace_record::ClassSet classes) {
    state_->recorded = classes;
}

std::size_t PredicateWatch::size() const {
    return state_->ones.size();
}
const PredicateAnswer& PredicateWatch::answer(std::size_t number) const {
    return state_->ones[number].evaluator->answer();
}
std::size_t PredicateWatch::true_ones() const {
    return state_->true_ones;
}
std::size_t PredicateWatch::kept() const {
    std::size_t sum = state_->clocks.kept();
    for (const State::One& one : state_->ones) sum += one.evaluator->kept() + (one.lenient ? one.lenient->kept() : 0);
    return sum;
}

}  // namespace tmon_predicates
