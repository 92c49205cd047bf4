// Verdicts of small farms against all their histories, with every failure. Losses: up to three records in a row, or two single
// ones. EXHAUSTION_CASES=N makes one of N cases of every farm of four nodes and three tasks; the suite takes a part.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string>

#include "every_history.hpp"
#include "history_judge.hpp"

namespace tmon_detrek {
namespace {

using namespace testing_support;

struct Gap {
    std::uint16_t node = 0;
    std::uint32_t first = 0, last = 0;
};

// The trace of a history, without these records. Nodes that nobody hears have no end mark, and have lost the last `tail`
// records.
tmon_streams::Trace seen(FarmHistory history, const std::vector<Gap>& gaps, std::uint32_t tail) {
    tmon_streams::Collector collector(static_cast<std::uint16_t>(history.dead.size()));
    for (std::uint16_t node = 0; node < history.dead.size(); ++node) {
        const bool open = history.dead[node] || history.cut_off[node];
        const std::vector<Event>& all = history.records.records()[node];
        const auto total = static_cast<std::uint32_t>(all.size());
        const std::uint32_t kept = open ? total - std::min(total, tail) : total;
        std::vector<bool> lost(total);
        for (const Gap& gap : gaps) {
            if (gap.node != node) continue;
            for (std::uint32_t seq = gap.first; seq <= gap.last; ++seq) lost[seq] = true;
            if (gap.last < kept)
                collector.dropped({node, gap.first, gap.last, trace_record::LossCause::BufferFull,
                                   trace_record::ClassSet::of(trace_record::EventClass::Task)});
        }
        for (std::uint32_t seq = 0; seq < kept; ++seq)
            if (!lost[seq]) collector.receive(node, seq, std::span(&all[seq], 1));
        if (!open) collector.end(node, total);
    }
    return collector.finish(history.program_ended ? tmon_streams::SessionEnd::ProgramEnded
                                                  : tmon_streams::SessionEnd::StoodStill);
}

// All that an analysis may know of a node, by record, and how the node ended.
struct NodeKey {
    std::vector<std::string> records;
    bool open = false;
};

std::vector<NodeKey> keys_of(const FarmHistory& history) {
    std::vector<NodeKey> keys(history.dead.size());
    auto copy = history.records;
    for (std::uint16_t node = 0; node < keys.size(); ++node) {
        keys[node].open = history.dead[node] || history.cut_off[node];
        for (const Event& event : copy.records()[node]) {
            std::string text;
            for (const std::uint32_t each : {std::uint32_t{event.peer}, event.task, event.subtask >> 4U,
                                             static_cast<std::uint32_t>(event.kind) * 2 + event.is_result})
                text += static_cast<char>('0' + each);
            keys[node].records.push_back(std::move(text));
        }
    }
    return keys;
}

// The same for the whole trace that seen() makes.
std::string key_of(const std::vector<NodeKey>& nodes, bool ended, const std::vector<Gap>& gaps, std::uint32_t tail) {
    std::string key = ended ? "e" : "s";
    for (std::size_t node = 0; node < nodes.size(); ++node) {
        const auto& [records, open] = nodes[node];
        const std::size_t kept = records.size() - (open ? std::min<std::size_t>(records.size(), tail) : 0);
        key += open ? "o" : "f";
        for (std::size_t seq = 0; seq < kept; ++seq) {
            const bool lost = std::any_of(gaps.begin(), gaps.end(), [&](const Gap& gap) {
                return gap.node == node && seq >= gap.first && seq <= gap.last;
            });
            key += lost ? "-" : records[seq];
        }
    }
    return key;
}

std::string truth_of(const FarmHistory& history) {
    std::string text;
    for (const TrueStop& stop : history.stops) {
        text += std::to_string(static_cast<int>(stop.function)) + "," + std::to_string(stop.task) + "," +
                std::to_string(stop.subtask) + "," + std::to_string(stop.node) + ";";
    }
    return text.empty() ? "hardware or nothing" : text;
}

struct CaseTally {
    unsigned cases = 0, certain = 0, by_exhaustion = 0, short_of_it = 0, with_counter = 0;
    unsigned one_truth = 0, one_truth_certain = 0;  // all histories stop in one function of a worker, and no node is silent
};

class HeldFarm {
public:
    HeldFarm(farm_spec::FarmSpec spec, unsigned one_of, CaseTally& tally)
        : spec_(std::move(spec)), one_of_(one_of), tally_(tally) {}

    void hold() {
        for (const OneFailure& failure : failures()) {
            for (const FarmHistory& history : every_history(spec_, failure, 200'000)) losses_of(history);
        }
        for (const auto& [key, group] : groups_) {
            ++tally_.cases;
            tally_.certain += group.verdict.kind == VerdictKind::Certain ? 1 : 0;
            tally_.by_exhaustion += group.verdict.histories ? 1 : 0;
            const bool one_truth = group.truths.size() == 1 && !group.truths.contains("hardware or nothing");
            const bool is_short = group.lossy && !one_truth && group.verdict.kind != VerdictKind::None &&
                                  group.verdict.kind != VerdictKind::Certain;
            const bool told = one_truth && key.find('o') == std::string::npos && group.truths.begin()->front() < '3';
            tally_.one_truth += told ? 1 : 0;
            tally_.one_truth_certain += told && group.verdict.kind == VerdictKind::Certain ? 1 : 0;
            tally_.short_of_it += is_short ? 1 : 0;
            tally_.with_counter += is_short && !group.verdict.counter_histories.empty() ? 1 : 0;
        }
    }

private:
    struct Group {
        Verdict verdict;
        std::set<std::string> truths;
        bool lossy = false;
    };

    std::vector<OneFailure> failures() const {
        std::vector<OneFailure> all;
        for (std::uint32_t task = 0; task < spec_.tasks; ++task) {
            for (const bool kills : {false, true}) {
                for (const UserFunction function : {UserFunction::Compute, UserFunction::Split, UserFunction::Join}) {
                    if (function != UserFunction::Compute && !spec_.divides()) continue;
                    for (std::uint16_t node = 1; node < spec_.nodes; ++node)
                        all.push_back({{{function, task, node, kills}}, {}, 1});
                }
                all.push_back({{{UserFunction::Generate, task, {}, kills}}, {}, 1});
                all.push_back({{{UserFunction::Receive, task, {}, kills, false}}, {}, 1});
            }
            all.push_back({{{UserFunction::Receive, task, {}, false, true}}, {}, 1});
        }
        for (std::uint16_t node = 1; node < spec_.nodes; ++node) {
            for (const HardwareFault what : {HardwareFault::Dies, HardwareFault::Sticks, HardwareFault::LosesAck})
                all.push_back({{}, {what}, node});
        }
        return all;
    }

    void losses_of(const FarmHistory& history) {
        keys_ = keys_of(history);
        std::vector<Gap> single;
        for (std::uint16_t node = 0; node < spec_.nodes; ++node) {
            const auto count = static_cast<std::uint32_t>(keys_[node].records.size());
            for (std::uint32_t seq = 0; seq < count; ++seq) single.push_back({node, seq, seq});
        }
        for (const std::uint32_t tail : {0U, 1U, 3U}) {
            look(history, {}, tail);
            for (std::size_t i = 0; i < single.size(); ++i) {
                for (std::uint32_t more = 0; more < 3; ++more) {
                    const auto count = keys_[single[i].node].records.size();
                    if (single[i].first + more < count)
                        look(history, {{single[i].node, single[i].first, single[i].first + more}}, tail);
                }
                for (std::size_t j = i + 1; j < single.size(); ++j)
                    if (single[i].node != single[j].node || single[j].first > single[i].first + 1)
                        look(history, {single[i], single[j]}, tail);
            }
        }
    }

    void look(const FarmHistory& history, const std::vector<Gap>& gaps, std::uint32_t tail) {
        std::string key = key_of(keys_, history.program_ended, gaps, tail);
        if (std::hash<std::string>()(key) % one_of_ != 0) return;
        const auto [at, is_new] = groups_.try_emplace(std::move(key));
        if (is_new) at->second.verdict = analyse(seen(history, gaps, tail), spec_).verdict;
        at->second.lossy = at->second.lossy || !gaps.empty();
        at->second.truths.insert(truth_of(history));
        const std::string wrong = defect(at->second.verdict, history);
        ASSERT_EQ(wrong, "") << at->second.verdict.sentence << "\n" << truth_of(history);
    }

    farm_spec::FarmSpec spec_;
    unsigned one_of_;
    CaseTally& tally_;
    std::vector<NodeKey> keys_;  // of the history in hand
    std::map<std::string, Group> groups_;
};

farm_spec::FarmSpec small_farm(std::vector<unsigned> parents, std::uint32_t tasks, std::uint32_t degree) {
    farm_spec::FarmSpec spec{static_cast<std::uint32_t>(parents.size()) + 1, farm_spec::TreeKind::Given, tasks, degree, 2};
    spec.parents = {std::nullopt};
    for (const unsigned parent : parents) spec.parents.emplace_back(vocabulary::NodeId(static_cast<std::uint16_t>(parent)));
    return spec;
}

TEST(ExhaustionReference, NoHistoryWithTheSameRecordsSaysOtherwise) {
    const char* const wanted = std::getenv("EXHAUSTION_CASES");
    const unsigned one_of = wanted == nullptr ? 31 : static_cast<unsigned>(std::max(1, std::atoi(wanted)));
    const bool all = wanted != nullptr;
    CaseTally tally;
    const std::vector<std::vector<unsigned>> trees = {{0}, {0, 0}, {0, 1}, {0, 0, 0}, {0, 0, 1}, {0, 1, 1}, {0, 1, 2}};
    for (const auto& tree : trees) {
        for (std::uint32_t tasks = 1; tasks <= (all ? 3U : tree.size() < 3 ? 2U : 1U); ++tasks) {
            for (const std::uint32_t degree : {1U, 2U}) HeldFarm(small_farm(tree, tasks, degree), one_of, tally).hold();
        }
    }
    std::printf("%u cases: certain %u (by exhaustion %u); of %u that losses leave open, %u have a counter-history\n",
                tally.cases, tally.certain, tally.by_exhaustion, tally.short_of_it, tally.with_counter);
    std::printf("of %u that leave one function of a worker, %u are certain\n", tally.one_truth, tally.one_truth_certain);
    EXPECT_GT(tally.cases, 1000u);
}

}  // namespace
}  // namespace tmon_detrek
