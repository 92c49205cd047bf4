// PredicateWatch: says of predicates over global states when they become true, on records in causal order as
// tmon_order::TraceSorter reports them. It answers with the report of the last record that the answer needs.
//
// A global state is a cut: a first part of each node's records. A cut is consistent when it has the causes of all its records.
//
// - `E1 -> E2`. Records that follow from each other (Miller and Choi 1988).
// - `possibly`. One consistent cut has the locals true, by queues of candidates (Garg and Waldecker 1994).
// - `definitely`. Each way through the consistent cuts passes one, by intervals (Garg and Waldecker 1996).
// - `count`, `in_flight`, `unread`. One consistent cut has so many.
//
// Lost records may have been causes, events, or ends of messages. An answer is certain when no history with the same records
// refutes it. The order is that of the recorded messages and collectives: those of a class that is off order nothing.
//
// Memory: a vector of the nodes for each receive that may still matter. That is one for each send under way, at most
// `most_sends` of them and 32 MB. There is one for each state of a named node that may be concurrent to the next state of the
// others. Cost: nodes / 16 nanoseconds a receive, and a comparison of patterns a record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tmon_order/trace_sorter.hpp>
#include <tmon_predicates/predicate.hpp>
#include <trace_record/event_class.hpp>

namespace tmon_predicates {

enum class Truth : std::uint8_t {
    NotSoFar,
    Holds,
    Never,  // the records have ended, and it has not become true
};
enum class Certainty : std::uint8_t { Certain, Likely, Unknown };

// By node: the number of its records that belong to the cut, lost ones too.
using Cut = std::vector<std::uint32_t>;

struct PredicateAnswer {
    Truth truth = Truth::NotSoFar;
    // Holds: Certain or Likely. Never: Certain or Unknown.
    Certainty certainty = Certainty::Certain;
    std::string why{};  // it is not certain
    // Holds: the earliest consistent cut in which it is true. Of several such cuts (count over all nodes, unread), the one that
    // the order of the records shows first.
    Cut cut{};
    // Holds: the records that make it true, one for each event or local.
    std::vector<tmon_order::RecordId> records{};
    std::optional<tmon_order::RecordId> told_by{};  // Holds: with the report of this record it was known
};

class PredicateWatch final : public tmon_order::SortedItems {
public:
    static constexpr std::size_t most_sends = 1U << 16;  // whose receive has not come

    explicit PredicateWatch(std::uint16_t nodes);
    ~PredicateWatch() override;
    PredicateWatch(const PredicateWatch&) = delete;
    PredicateWatch& operator=(const PredicateWatch&) = delete;

    // Before the first item. The number of the predicate, from 0.
    std::size_t add(const Predicate& predicate);
    // Classes that each node records from its begin to its end; without a call, all. Records of others may be missing though
    // nothing was lost.
    void recorded(trace_record::ClassSet classes);
    // In the order of TraceSorter.
    void item(const tmon_order::SortedItem& item) override;
    // No more items come.
    void finish();

    std::size_t size() const;
    const PredicateAnswer& answer(std::size_t number) const;
    // Grows with each predicate that becomes true.
    std::size_t true_ones() const;
    // Vectors that are kept, of the records in the queues and of sends under way.
    std::size_t kept() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace tmon_predicates
