// Predicates on random runs against the full lattice of their cuts.
#include <tmon_predicates/predicate_watch.hpp>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <random>

#include <gmock/gmock.h>

#include "random_run.hpp"

namespace tmon_predicates {
namespace {

using testing_support::Lattice;
using testing_support::NamedPredicate;
using testing_support::random_predicate;
using testing_support::random_run;
using testing_support::RandomRun;
using trace_record::ClassSet;
using trace_record::Event;
using trace_record::EventClass;
using trace_record::LossRange;
using What = NamedPredicate::What;

// PREDICATE_CASES makes more of them.
std::uint32_t cases_of(std::uint32_t usual) {
    const char* wanted = std::getenv("PREDICATE_CASES");
    return wanted != nullptr ? static_cast<std::uint32_t>(std::strtoul(wanted, nullptr, 10)) : usual;
}

std::uint32_t below(std::mt19937& random, std::uint32_t limit) {
    return std::uniform_int_distribution<std::uint32_t>(0, limit - 1)(random);
}

// A watch of one predicate behind a sorter. It notes how much of each node the sorter has reported.
struct Watched : tmon_order::SortedItems {
    Watched(const NamedPredicate& predicate, std::uint16_t nodes) : watch(nodes), reported(nodes), sorter(nodes, *this, {}) {
        watch.add(parse_predicate(predicate.text(), nodes));
    }
    void item(const tmon_order::SortedItem& item) override {
        watch.item(item);
        if (item.order.kind != tmon_order::SortedRecord::Kind::End)
            reported[item.order.id.stream] = static_cast<std::uint32_t>(item.order.last) + 1;
    }
    const PredicateAnswer& answer() const { return watch.answer(0); }
    PredicateWatch watch;
    Cut reported;
    tmon_order::TraceSorter sorter;
};

struct Piece {
    std::uint16_t node = 0;
    std::vector<Event> block{};
    std::optional<LossRange> loss{};
};

// Blocks of some records, and lost ranges if there shall be any, in the order of their numbers.
std::vector<Piece> pieces_of(const std::vector<testing_support::TrueRecord>& records, double lost_share, std::mt19937& random) {
    std::vector<Piece> pieces;
    for (std::size_t at = 0; at < records.size();) {
        const std::size_t length = std::min<std::size_t>(records.size() - at, 1 + below(random, 3));
        Piece piece{records[at].event.node};
        if (std::uniform_real_distribution<>(0, 1)(random) < lost_share) {
            ClassSet classes;
            for (std::size_t i = at; i < at + length; ++i) classes.add(trace_record::class_of(records[i].event.kind));
            if (below(random, 2) == 0) classes = ClassSet::all();
            piece.loss = LossRange{.node = piece.node,
                                   .first_seq = static_cast<std::uint32_t>(at),
                                   .last_seq = static_cast<std::uint32_t>(at + length - 1),
                                   .classes = classes};
        } else {
            for (std::size_t i = at; i < at + length; ++i) piece.block.push_back(records[i].event);
        }
        pieces.push_back(std::move(piece));
        at += length;
    }
    return pieces;
}

template <class AfterEach>
void feed(const RandomRun& run, Watched& watched, double lost_share, std::mt19937& random, AfterEach after_each) {
    std::vector<std::vector<Piece>> left;
    std::vector<bool> dies;  // its last records never come, and no end mark
    for (const auto& records : run.nodes) {
        left.push_back(pieces_of(records, lost_share, random));
        dies.push_back(lost_share > 0 && below(random, 8) == 0);
        if (dies.back()) left.back().resize(below(random, static_cast<std::uint32_t>(left.back().size()) + 1));
        std::reverse(left.back().begin(), left.back().end());
    }
    std::vector<bool> ended(run.nodes.size());
    for (std::size_t open = left.size(); open > 0;) {
        const auto node = static_cast<std::uint16_t>(below(random, static_cast<std::uint32_t>(left.size())));
        if (!left[node].empty()) {
            const Piece piece = std::move(left[node].back());
            left[node].pop_back();
            if (piece.loss) watched.sorter.lost(*piece.loss);
            if (!piece.loss) watched.sorter.records(node, piece.block.front().seq, piece.block, 0);
            after_each();
        } else if (!ended[node]) {
            ended[node] = true;
            --open;
            if (!dies[node]) watched.sorter.ended(node, static_cast<std::uint32_t>(run.nodes[node].size()));
        }
    }
    watched.sorter.finish();
    watched.watch.finish();
}

bool has_tasks(const RandomRun& run) {
    for (const auto& node : run.nodes) {
        for (const auto& record : node) {
            if (record.event.kind == trace_record::EventKind::Receive) return true;
        }
    }
    return false;
}

bool in_lattice(const Lattice& lattice, const NamedPredicate& predicate) {
    return predicate.what == What::Definitely ? lattice.definitely(predicate) : lattice.possibly(predicate);
}

// The printed cut: consistent, true, and the earliest where there is one.
void expect_cut(const RandomRun& run, const Lattice& lattice, const NamedPredicate& predicate, const Cut& cut) {
    ASSERT_EQ(cut.size(), run.nodes.size());
    EXPECT_TRUE(lattice.is_consistent(cut));
    EXPECT_TRUE(predicate.holds(run, cut));
    if (predicate.what != What::Possibly && predicate.what != What::InFlight) return;
    const auto earliest = lattice.earliest(predicate);
    if (predicate.what == What::Possibly) {
        EXPECT_EQ(earliest, cut);
    }
}

void expect_what_the_full_lattice_says(std::uint32_t cases, bool groups) {
    std::map<What, std::pair<unsigned, unsigned>> seen;
    for (std::uint32_t seed = 1; seed <= cases; ++seed) {
        const RandomRun run =
            random_run({.seed = seed, .most_records = groups ? 24U : 16U, .equal_tasks = seed % 3 == 0, .groups = groups});
        std::mt19937 random(seed ^ 0x5555);
        const NamedPredicate predicate = random_predicate(run, random);
        const Lattice whole(run);
        const bool expected = in_lattice(whole, predicate);
        Watched watched(predicate, static_cast<std::uint16_t>(run.nodes.size()));
        feed(run, watched, 0, random, [&] {
            // The records reported so far are a cut. No later records are needed to tell, and none are waited for.
            if (predicate.what == What::Definitely) return;
            const Lattice part(run, watched.reported);
            EXPECT_EQ(watched.answer().truth == Truth::Holds, part.possibly(predicate));
        });
        const PredicateAnswer& answer = watched.answer();
        EXPECT_EQ(answer.truth, expected ? Truth::Holds : Truth::Never);
        // Nothing is lost. A task's send may be recorded late, which leaves a doubt, but not about a state that was found.
        const bool found = answer.truth == Truth::Holds && predicate.what != What::Definitely && predicate.what != What::Linked;
        if (found || !has_tasks(run)) {
            EXPECT_EQ(answer.certainty, Certainty::Certain) << answer.why;
        }
        if (answer.certainty != Certainty::Certain) {
            EXPECT_THAT(answer.why, testing::HasSubstr("is recorded when it has left"));
        }
        if (answer.truth == Truth::Holds) expect_cut(run, whole, predicate, answer.cut);
        ++(expected ? seen[predicate.what].first : seen[predicate.what].second);
        if (testing::Test::HasFailure()) FAIL() << "seed " << seed << ": " << predicate.text();
    }
    for (const auto& [what, counts] : seen) {
        EXPECT_GT(counts.first, cases / (groups ? 150 : 100)) << static_cast<int>(what);
        EXPECT_GT(counts.second, cases / 100) << static_cast<int>(what);
    }
}

TEST(PredicateWatch, SaysWhatTheFullLatticeSays) {
    expect_what_the_full_lattice_says(cases_of(6'000), false);
}

// Each beginning precedes each end, so nothing is unknown with collectives in the run.
TEST(PredicateWatch, SaysWhatTheFullLatticeSaysWithCollectives) {
    expect_what_the_full_lattice_says(cases_of(6'000), true);
}

void expect_nothing_certain_that_lost_records_refute(std::uint32_t cases, bool groups) {
    std::map<std::pair<Truth, Certainty>, unsigned> seen;
    for (std::uint32_t seed = 1; seed <= cases; ++seed) {
        const RandomRun run =
            random_run({.seed = seed, .most_records = groups ? 24U : 16U, .equal_tasks = seed % 2 == 0, .groups = groups});
        std::mt19937 random(seed ^ 0x6666);
        const NamedPredicate predicate = random_predicate(run, random);
        const Lattice lattice(run);
        Watched watched(predicate, static_cast<std::uint16_t>(run.nodes.size()));
        feed(run, watched, seed % 4 == 0 ? 0.4 : 0.15, random, [] {});
        const PredicateAnswer& answer = watched.answer();
        ++seen[{answer.truth, answer.certainty}];
        EXPECT_EQ(answer.certainty == Certainty::Certain, answer.why.empty());
        if (answer.certainty == Certainty::Certain) {
            EXPECT_EQ(answer.truth == Truth::Holds, in_lattice(lattice, predicate));
            // The cut of a chain or a count may lack causes that were lost.
            const bool whole =
                predicate.what == What::Possibly || predicate.what == What::InFlight || predicate.what == What::Unread;
            if (answer.truth == Truth::Holds && whole) {
                EXPECT_TRUE(lattice.is_consistent(answer.cut));
                EXPECT_TRUE(predicate.holds(run, answer.cut));
            }
        }
        if (testing::Test::HasFailure()) FAIL() << "seed " << seed << ": " << predicate.text();
    }
    const std::pair<Truth, Certainty> kinds[] = {{Truth::Holds, Certainty::Certain},
                                                 {Truth::Holds, Certainty::Likely},
                                                 {Truth::Never, Certainty::Certain},
                                                 {Truth::Never, Certainty::Unknown}};
    for (const auto& kind : kinds) EXPECT_GT(seen[kind], cases / 100);
    EXPECT_EQ(seen.size(), 4U);
}

TEST(PredicateWatch, IsCertainOfNothingThatTheLostRecordsRefute) {
    expect_nothing_certain_that_lost_records_refute(2 * cases_of(4'000), false);
}

TEST(PredicateWatch, IsCertainOfNothingThatTheLostRecordsOfCollectivesRefute) {
    expect_nothing_certain_that_lost_records_refute(2 * cases_of(4'000), true);
}

// Two nodes that send a task to and fro. One state of each conjunction never comes.
TEST(PredicateWatch, KeepsNoMoreOfALongRunThanOfAShortOne) {
    PredicateWatch watch(3);
    for (const char* const text :
         {"possibly(receive(n0) and user(n1))", "possibly(count(send(n0)) >= 2 and user(n1))",
          "definitely(receive(n0) and user(n1))", "definitely(send(n0) and send(n1) and user(n1))",
          "send(n0) -> receive(n1) -> user", "in_flight(n0, n1) >= 2", "unread(n1) >= 2", "count(user) >= 1"})
        watch.add(parse_predicate(text, 3));
    tmon_order::TraceSorter sorter(3, watch, {});
    std::vector<std::uint32_t> next(2, 0);
    const auto add = [&](std::uint16_t node, trace_record::EventKind kind, std::uint32_t task) {
        Event event{.time_us = task,
                    .seq = next[node]++,
                    .task = task,
                    .node = node,
                    .peer = static_cast<std::uint16_t>(1 - node),
                    .kind = kind};
        sorter.records(node, event.seq, {&event, 1}, 0);
    };
    std::size_t most = 0;
    for (std::uint32_t round = 0; round < 20'000; ++round) {
        for (const std::uint16_t from : {0, 1}) {
            add(from, trace_record::EventKind::Send, 2 * round + from);
            most = std::max(most, watch.kept());
            add(static_cast<std::uint16_t>(1 - from), trace_record::EventKind::Receive, 2 * round + from);
            most = std::max(most, watch.kept());
        }
    }
    EXPECT_EQ(watch.true_ones(), 0U);
    // The evaluations without the order of tasks give up at 1024 each; there are four.
    EXPECT_LE(most, 4 * 1024U + 40U);
}

// Each task that node 1 gets gives its next sends another vector of 1024 nodes. Nobody receives what it sends to node 2.
TEST(PredicateWatch, KeepsVectorsOfSendsUpToABound) {
    constexpr std::uint16_t nodes = 1024;
    PredicateWatch watch(nodes);
    watch.add(parse_predicate("in_flight(n1, n2) >= 100000", nodes));
    tmon_order::TraceSorter sorter(nodes, watch, {});
    std::vector<std::uint32_t> next(3, 0);
    const auto add = [&](std::uint16_t node, trace_record::EventKind kind, std::uint16_t peer, std::uint32_t task) {
        const Event event{.time_us = task, .seq = next[node]++, .task = task, .node = node, .peer = peer, .kind = kind};
        sorter.records(node, event.seq, {&event, 1}, 0);
    };
    std::size_t most = 0;
    for (std::uint32_t task = 0; task < 20'000; ++task) {
        add(0, trace_record::EventKind::Send, 1, task);
        add(1, trace_record::EventKind::Receive, 0, task);
        add(1, trace_record::EventKind::Send, 2, task);
        most = std::max(most, watch.kept());
    }
    // 32 MB of 4 KB each, and the receives that in_flight keeps.
    EXPECT_LE(most, 8192U + 1024U + 2U);
    EXPECT_GE(most, 4096U);
}

}  // namespace
}  // namespace tmon_predicates
