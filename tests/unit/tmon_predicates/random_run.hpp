// Random runs of a few nodes with their true order, and random predicates with their meaning. The judges of the tests use
// these, and nothing of the room that they judge.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <trace_record/event.hpp>
#include <trace_record/loss_range.hpp>

namespace testing_support {

struct TrueRecord {
    trace_record::Event event;
    std::vector<std::uint32_t> past;  // by node: records that precede it, itself included
    // The receive of a send, as (node, number); empty: none.
    std::optional<std::pair<std::uint16_t, std::uint32_t>> receive{};
};

// Records by node, in the order of their numbers.
struct RandomRun {
    std::vector<std::vector<TrueRecord>> nodes;
    std::size_t size() const;
};

struct RunChoice {
    std::uint32_t seed = 1;
    std::uint32_t most_nodes = 4, most_records = 16;
    bool equal_tasks = false;  // often the same task twice over one channel
    bool groups = false;       // two groups with operations in which each beginning precedes each end
};

RandomRun random_run(const RunChoice& choice);

struct NamedEvent {
    trace_record::EventKind kind = trace_record::EventKind::User;
    std::optional<std::uint16_t> node{};
    std::optional<std::uint32_t> task{};  // of a user record: its number

    bool is(const trace_record::Event& event) const;
    std::string text() const;
};

struct NamedState {
    enum class What : std::uint8_t { Newest, Count, Between } what = What::Newest;
    NamedEvent event{}, until{};
    std::uint32_t least = 1;

    bool holds(const std::vector<TrueRecord>& records, std::uint32_t count) const;
    std::string text() const;
};

struct NamedPredicate {
    enum class What : std::uint8_t { Linked, Possibly, Definitely, Count, InFlight, Unread } what = What::Possibly;
    std::vector<NamedEvent> events{};
    std::vector<NamedState> states{};
    std::uint16_t from = 0, to = 0;
    bool kernel = false;
    std::uint32_t least = 1;

    // In the state behind so many records of each node.
    bool holds(const RandomRun& run, const std::vector<std::uint32_t>& cut) const;
    std::string text() const;
};

NamedPredicate random_predicate(const RandomRun& run, std::mt19937& random);

// The lattice of consistent cuts, level by level (Cooper and Marzullo 1991).
class Lattice {
public:
    // Only cuts within `within`; empty: all.
    explicit Lattice(const RandomRun& run, std::vector<std::uint32_t> within = {});
    bool possibly(const NamedPredicate& predicate) const;
    bool definitely(const NamedPredicate& predicate) const;
    bool is_consistent(const std::vector<std::uint32_t>& cut) const;
    // The cut of which all others with a true predicate are later ones; empty: there is none, or no such one.
    std::optional<std::vector<std::uint32_t>> earliest(const NamedPredicate& predicate) const;

private:
    using Level = std::vector<std::vector<std::uint32_t>>;
    template <class Keep>
    Level next(const Level& level, Keep keep) const;
    const RandomRun& run_;
    std::vector<std::uint32_t> within_;
};

}  // namespace testing_support
