// Evaluator: one predicate on the records in causal order. Private to the room; predicate_watch.cpp feeds it.
#pragma once

#include <cstdint>
#include <memory>

#include "causal_clocks.hpp"

namespace tmon_predicates {

// One record that is reported, and the moment of its node behind it.
struct Step {
    const trace_record::Event& event;
    const tmon_order::SortedRecord& order;
    const Position& position;

    tmon_order::RecordId id() const { return order.id; }
};

enum class Ended : std::uint8_t { Finished, WithoutMark };

// The reason where only joins of tasks show an order.
inline constexpr const char* late_sends =
    "a task's send is recorded when it has left, so records before it may be later than the receive";

class Evaluator {
public:
    explicit Evaluator(const CausalClocks& clocks) : clocks_(clocks) {}
    virtual ~Evaluator() = default;
    Evaluator(const Evaluator&) = delete;
    Evaluator& operator=(const Evaluator&) = delete;

    virtual void record(const Step& step) = 0;
    // Its place was given away. Its causes are not known.
    virtual void late(const Step& /*step*/) {}
    // `position`: behind the lost records.
    virtual void lost(const trace_record::LossRange& /*loss*/, const Position& /*position*/) {}
    virtual void ended(std::uint16_t /*node*/, Ended /*how*/) {}
    // True when one of the lost records may be one that the predicate names.
    virtual bool may_be_in(const trace_record::LossRange& loss) const = 0;
    virtual bool is_about_order() const { return true; }
    // False: the machine may have been in such a state between two records.
    virtual bool is_told_by_records() const { return true; }
    virtual std::size_t kept() const { return 0; }

    const PredicateAnswer& answer() const { return answer_; }
    PredicateAnswer& answer() { return answer_; }

protected:
    void holds(Cut cut, std::vector<tmon_order::RecordId> records, const std::string& doubt) {
        answer_.truth = Truth::Holds;
        answer_.certainty = doubt.empty() ? Certainty::Certain : Certainty::Likely;
        answer_.why = doubt;
        answer_.cut = std::move(cut);
        answer_.records = std::move(records);
    }
    const CausalClocks& clocks_;

private:
    PredicateAnswer answer_;
};

std::unique_ptr<Evaluator> make_linked(const Predicate& predicate, std::uint16_t nodes, const CausalClocks& clocks);
std::unique_ptr<Evaluator> make_count(const Predicate& predicate, std::uint16_t nodes, const CausalClocks& clocks);
std::unique_ptr<Evaluator> make_in_flight(const Predicate& predicate, std::uint16_t nodes, const CausalClocks& clocks);
std::unique_ptr<Evaluator> make_unread(const Predicate& predicate, std::uint16_t nodes, const CausalClocks& clocks);
std::unique_ptr<Evaluator> make_possibly(const Predicate& predicate, std::uint16_t nodes, const CausalClocks& clocks);
std::unique_ptr<Evaluator> make_definitely(const Predicate& predicate, std::uint16_t nodes, const CausalClocks& clocks);

}  // namespace tmon_predicates
