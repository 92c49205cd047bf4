// read_stops() against every history, made by trying each next move (stops_reference.hpp).
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include <tmon_models/stops.hpp>
#include <tmon_models/unrecorded.hpp>

#include "stops_reference.hpp"

namespace {

using tmon_models::FaultModel;
using tmon_models::NodeState;
using tmon_models::Program;
using tmon_models::ProgramAnswer;
using tmon_models::ProgramReading;

FaultModel pipeline_model(bool last_works) {
    const std::string leaf = last_works ? "" : "  - {at: leaf, steps: [{receive: item, from: parent}]}\n";
    return tmon_models::parse_fault_model(
        "format: magicwire.fault-model/1\nname: pipeline\nunit: item\norder: one by one\n"
        "messages: [{name: item, way: down, label: Passing}]\nplaces:\n"
        "  - {at: root, steps: [{by: source_fn(), send: item, to: each child}]}\n" +
            leaf + "  - {at: worker, steps: [{receive: item, from: parent}, {by: stage_fn(), send: item, to: each child}]}\n",
        "pipeline.yaml");
}

farm_spec::FarmSpec spec_of(const std::vector<std::uint16_t>& parents, std::uint32_t units) {
    farm_spec::FarmSpec spec;
    spec.nodes = static_cast<std::uint32_t>(parents.size());
    spec.tree = farm_spec::TreeKind::Given;
    spec.tasks = units;
    spec.parents.resize(parents.size());
    for (std::size_t node = 1; node < parents.size(); ++node) spec.parents[node] = vocabulary::NodeId(parents[node]);
    return spec;
}

constexpr unsigned sessions = 10'000;

struct Seen {
    int sessions = 0, one_answer = 0, with_losses = 0, put_back = 0, deciding = 0, some_shown = 0;
};

// The trace with these records in its gaps. Numbers of a gap that are left over have no record.
tmon_streams::Trace completed(const Program& program, const tmon_streams::Trace& trace, const std::vector<NodeState>& states,
                              Seen& seen) {
    tmon_streams::Trace whole = trace;
    const auto kept = std::make_shared<std::vector<std::vector<trace_record::Event>>>(trace.streams.size());
    for (tmon_streams::Stream& stream : whole.streams) {
        std::vector<trace_record::Event>& records = (*kept)[stream.node];
        for (const auto part : trace.streams[stream.node].parts) records.insert(records.end(), part.begin(), part.end());
        const auto lost = tmon_models::unrecorded(program, trace.streams[stream.node], states[stream.node]);
        EXPECT_TRUE(lost) << "the records do not allow the history";
        if (!lost) return whole;
        std::vector<trace_record::Event> behind;
        std::uint64_t numbered = 0;
        for (const trace_record::Event& event : lost->events) {
            const bool in_gap = std::any_of(stream.losses.begin(), stream.losses.end(), [&](const auto& range) {
                return event.seq >= range.first_seq && event.seq <= range.last_seq;
            });
            const bool is_new =
                std::none_of(records.begin(), records.end(), [&](const auto& other) { return other.seq == event.seq; });
            const bool is_numbered = in_gap && is_new && numbered < lost->numbered;
            EXPECT_TRUE(is_numbered || stream.state == tmon_streams::StreamState::Open);
            (is_numbered ? records : behind).push_back(event);
            numbered += is_numbered ? 1 : 0;
        }
        EXPECT_EQ(numbered, lost->numbered);
        std::sort(records.begin(), records.end(), [](const auto& a, const auto& b) { return a.seq < b.seq; });
        records.insert(records.end(), behind.begin(), behind.end());
        for (std::size_t i = 0; i < records.size(); ++i) records[i].seq = static_cast<std::uint32_t>(i);
        seen.put_back += static_cast<int>(lost->events.size());
        stream.parts.clear();
        stream.losses.clear();
        if (!records.empty()) stream.parts.emplace_back(records);
    }
    whole.keep.push_back(kept);
    return whole;
}

// Each answer has a history, and it is one of the reference's when it is turned back into records.
void expect_examples(const Program& program, const stops_reference::PlainProgram& plain, const tmon_streams::Trace& trace,
                     const ProgramReading& reading, Seen& seen) {
    for (const tmon_models::ProgramExample& example : reading.examples) {
        const tmon_streams::Trace whole = completed(program, trace, example.states, seen);
        ASSERT_EQ(stops_reference::every_answer(plain, whole).count(example.answer), 1U);
    }
}

// Whoever knows about these records has one answer, and no fewer records do.
void expect_deciding(const stops_reference::PlainProgram& plain, const tmon_streams::Trace& trace,
                     const ProgramReading& reading, Seen& seen) {
    if (reading.deciding.empty()) return;
    ++seen.deciding;
    const auto decides = [&](const std::vector<trace_record::Event>& records) {
        const auto all = stops_reference::answers_by(plain, trace, records);
        return std::all_of(all.begin(), all.end(),
                           [](const auto& each) { return each.second.size() == 1 && !each.second.begin()->empty(); });
    };
    ASSERT_TRUE(decides(reading.deciding));
    for (std::size_t left_out = 0; left_out < reading.deciding.size(); ++left_out) {
        auto fewer = reading.deciding;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(left_out));
        ASSERT_FALSE(decides(fewer));
    }
}

void compare(const FaultModel& model, const stops_reference::PlainProgram& plain, std::uint32_t units, std::mt19937& random,
             Seen& seen) {
    const Program program(model, spec_of(plain.parents, units));
    const auto session = stops_reference::random_session(plain, random);
    const ProgramReading reading = tmon_models::read_stops(program, session.trace, {.answers = 10'000});
    ASSERT_FALSE(reading.misfit) << reading.misfit->text;
    ASSERT_FALSE(reading.gave_up);
    const auto wanted = stops_reference::every_answer(plain, session.trace);
    const std::set<ProgramAnswer> got(reading.answers.begin(), reading.answers.end());
    for (const ProgramAnswer& truth : stops_reference::answers_of(plain, session.truth, session.open))
        ASSERT_TRUE(wanted.count(truth) == 1) << "the reference misses the truth";
    ASSERT_EQ(got, wanted);
    ASSERT_EQ(reading.examples.size(), reading.answers.size());
    for (std::size_t i = 0; i < reading.answers.size(); ++i) ASSERT_EQ(reading.examples[i].answer, reading.answers[i]);
    expect_examples(program, plain, session.trace, reading, seen);
    // Where the search gives up, what it shows is a history all the same.
    const ProgramReading short_one = tmon_models::read_stops(program, session.trace, {.pairs = 40});
    expect_examples(program, plain, session.trace, short_one, seen);
    seen.some_shown += short_one.gave_up && !short_one.examples.empty() ? 1 : 0;
    expect_deciding(plain, session.trace, reading, seen);
    if (testing::Test::HasFailure()) return;
    const bool is_certain = got.size() == 1 && !got.begin()->empty();
    const auto really_stopped = [&](const tmon_models::ProgramStop& stop) {
        const auto has = [&](const auto& nodes) { return std::find(nodes.begin(), nodes.end(), stop.node) != nodes.end(); };
        return has(session.stopped) || has(session.near_link);
    };
    const bool right = !is_certain || std::any_of(got.begin()->begin(), got.begin()->end(), really_stopped);
    ASSERT_TRUE(right);
    ++seen.sessions;
    seen.one_answer += got.size() == 1 ? 1 : 0;
    seen.with_losses += reading.lossy_nodes_differ ? 1 : 0;
}

TEST(StopsOfPrograms, HaloGivesEveryAnswerOfEveryHistory) {
    const std::vector<std::vector<std::uint16_t>> trees = {{0, 0}, {0, 0, 1}, {0, 0, 0}, {0, 0, 1, 1}, {0, 0, 1, 2}};
    Seen seen;
    for (unsigned seed = 0; seed < sessions; ++seed) {
        std::mt19937 random(seed);
        const std::uint32_t units = 1 + static_cast<std::uint32_t>(random() % 3);
        SCOPED_TRACE("seed " + std::to_string(seed));
        compare(tmon_models::built_in("halo"), stops_reference::halo(trees[seed % trees.size()], units), units, random, seen);
        if (HasFatalFailure()) return;
    }
    EXPECT_EQ(seen.sessions, static_cast<int>(sessions));
    EXPECT_GT(seen.one_answer, 1000);
    EXPECT_GT(seen.with_losses, 100);
    EXPECT_GT(seen.put_back, 10'000);
    EXPECT_GT(seen.deciding, 100);
    EXPECT_GT(seen.some_shown, 100);
}

// Where the last node computes, nothing is ever certain: the sender before it may be computing, or waiting for it.
TEST(StopsOfPrograms, APipelineWithSynchronousLinksGivesEveryAnswerOfEveryHistory) {
    Seen seen[2];
    for (unsigned seed = 0; seed < sessions; ++seed) {
        std::mt19937 random(seed);
        const bool last_works = random() % 2 == 0;
        const FaultModel model = pipeline_model(last_works);
        const std::uint32_t units = 1 + static_cast<std::uint32_t>(random() % 4);
        const auto nodes = static_cast<std::uint16_t>(2 + random() % 3);
        SCOPED_TRACE("seed " + std::to_string(seed));
        compare(model, stops_reference::pipeline(nodes, units, last_works), units, random, seen[last_works ? 1 : 0]);
        if (HasFatalFailure()) return;
    }
    EXPECT_GT(seen[0].one_answer, 300);
    EXPECT_EQ(seen[1].one_answer, 0);
    EXPECT_GT(seen[0].with_losses, 100);
    EXPECT_GT(seen[1].with_losses, 100);
}

}  // namespace
