// Budgets F10 and F11: the whole deTrEK analysis from text and from the binary trace. Wall time, best of several.
//
//   detrek_bench [--events N] [--folder DIR] [--repeat K] [--only growing]
//
// F10: a DCVM on a binary tree of 16 nodes, 1000 tasks, split to the leaves: 60 000 events. It reads .spf, .config and .tvm,
// orders, builds the graphs, judges and formats the report. F10_million: the same with 16 667 tasks.
//
// F11: N events (default 1e7) of the same farm in a raw trace file. It maps and checks the file, builds the graphs and judges.
// The file is in the page cache, as it is after a run. F11_analysis leaves out the opening of the file.
//
// growing: the same farm while it runs, in blocks of 64 records, with 1e5, 1e6 and 1e7 of them. It prints the time a record,
// the records kept at most, and by how much the peak of memory rises.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <farm_spec/farm_tree.hpp>
#include <tmon_detrek/detrek.hpp>
#include <tmon_detrek/growing_analysis.hpp>
#include <tmon_streams/thesis_files.hpp>
#include <tmon_streams/trace_store.hpp>

namespace {

using farm_spec::FarmSpec;
using trace_record::Event;
using trace_record::EventKind;
using trace_record::SubTaskId;

constexpr std::uint32_t events_per_task = 60;  // 15 edges, four events each

// Nodes through which the result of the last task should have risen from node 8, where it stops.
bool on_the_way_from_8(std::uint16_t node) {
    return node == 1 || node == 2 || node == 4 || node == 8;
}

// Records of one node in the order of tasks. For each task: what came, what went down, what came back, what went up.
void append_task(const FarmSpec& spec, std::uint16_t node, SubTaskId own, std::uint32_t task, std::vector<Event>& out) {
    const bool stops = task + 1 == spec.tasks;
    const auto put = [&](EventKind kind, std::uint16_t peer, SubTaskId subtask, bool result) {
        Event event;
        event.node = node;
        event.seq = static_cast<std::uint32_t>(out.size());
        event.time_us = 40ull * out.size();
        event.kind = kind;
        event.peer = peer;
        event.task = task;
        event.subtask = subtask;
        event.is_result = result ? 1 : 0;
        out.push_back(event);
    };
    const farm_spec::FarmTree tree(spec);
    const auto children = tree.children(node);
    const auto branch = [&](unsigned j) { return node == 0 ? own : FarmSpec::branch_id(own, tree.level(node), j); };
    if (node > 0) put(EventKind::Receive, *tree.parent(node), own, false);
    for (unsigned j = 0; j < children.size(); ++j) put(EventKind::Send, children[j], branch(j), false);
    for (unsigned j = 0; j < children.size(); ++j) {
        if (!stops || !on_the_way_from_8(children[j])) put(EventKind::Receive, children[j], branch(j), true);
    }
    if (node > 0 && (!stops || !on_the_way_from_8(node))) put(EventKind::Send, *tree.parent(node), own, true);
}

std::vector<SubTaskId> subtask_of_node(const FarmSpec& spec) {
    const farm_spec::FarmTree tree(spec);
    std::vector<SubTaskId> ids(spec.nodes);
    for (std::uint16_t node = 1; node < spec.nodes; ++node) {
        const auto children = tree.children(node);
        for (unsigned j = 0; j < children.size(); ++j) ids[children[j]] = FarmSpec::branch_id(ids[node], tree.level(node), j);
    }
    return ids;
}

// A farm that finishes everything but the last task, which stops on node 8.
tmon_streams::Trace farm_trace(const FarmSpec& spec) {
    const auto records = std::make_shared<std::vector<std::vector<Event>>>(spec.nodes);
    const auto ids = subtask_of_node(spec);
    tmon_streams::Trace trace;
    trace.session = tmon_streams::SessionEnd::StoodStill;
    trace.keep.push_back(records);
    for (std::uint16_t node = 0; node < spec.nodes; ++node) {
        auto& out = (*records)[node];
        for (std::uint32_t task = 0; task < spec.tasks; ++task) append_task(spec, node, ids[node], task, out);
        tmon_streams::Stream stream;
        stream.node = node;
        stream.state = tmon_streams::StreamState::Finished;
        if (!out.empty()) stream.parts.push_back(out);
        trace.streams.push_back(std::move(stream));
    }
    return trace;
}

double best_ms(int repetitions, const std::function<void()>& work) {
    double best = std::numeric_limits<double>::max();
    for (int i = 0; i < repetitions; ++i) {
        const auto start = std::chrono::steady_clock::now();
        work();
        best = std::min(best, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    }
    return best;
}

void print(const std::string& name, double ms, std::size_t events) {
    std::printf("%s %.2f ms\n%s_events %zu events\n%s_rate %.1f Mevents/s\n", name.c_str(), ms, name.c_str(), events,
                name.c_str(), static_cast<double>(events) / ms / 1e3);
}

// One line of /proc/self/status, in bytes.
double status_bytes(const char* key) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.rfind(key, 0) == 0) return std::strtod(line.c_str() + std::strlen(key), nullptr) * 1024;
    }
    return 0;
}

// Peak memory of loading and analysing, with the mapped file.
void print_memory(const std::string& path, const FarmSpec& spec, std::size_t events) {
    std::ofstream("/proc/self/clear_refs") << "5";  // the peak starts again from here
    const double before = status_bytes("VmRSS:");
    const tmon_streams::StoredTrace stored = tmon_streams::load_trace(path);
    const std::string sentence = tmon_detrek::analyse(stored.trace, spec).verdict.sentence;
    const double peak = status_bytes("VmHWM:");
    if (!sentence.empty()) std::printf("F11 %.1f bytes/event\n", (peak - before) / static_cast<double>(events));
}

void from_text(const std::string& name, const std::string& folder, std::uint32_t tasks, int repetitions) {
    const FarmSpec spec{16, farm_spec::TreeKind::Binary, tasks, 2, 5};
    const tmon_streams::Trace trace = farm_trace(spec);
    tmon_detrek::DetrekOptions options;
    options.prefix = folder + "/detrek_bench";
    tmon_streams::write_spf(options.prefix + ".spf", spec, text::Replace::Yes);
    write_tvm(options.prefix + ".tvm", trace, text::Replace::Yes);
    write_config(options.prefix + ".config", config_of(trace), text::Replace::Yes);
    std::string sentence;
    const double ms = best_ms(repetitions, [&] { sentence = run_detrek(options).verdict.sentence; });
    print(name, ms, trace.size());
    std::fprintf(stderr, "%s: %s\n", name.c_str(), sentence.c_str());
    for (const char* const end : {".spf", ".tvm", ".config"}) ::unlink((options.prefix + end).c_str());
}

void from_binary(const std::string& folder, double events, int repetitions) {
    const FarmSpec spec{16, farm_spec::TreeKind::Binary, static_cast<std::uint32_t>(events / events_per_task) + 1, 2, 5};
    const std::string path = folder + "/detrek_bench.mwtrace";
    std::size_t count = 0;
    {
        const tmon_streams::Trace trace = farm_trace(spec);
        count = trace.size();
        store_trace(trace, path, R"({"expected_nodes":16,"session_end":"stood-still"})", {.compress = false, .force = true});
    }
    print_memory(path, spec, count);
    std::string sentence;
    const double whole = best_ms(repetitions, [&] {
        const tmon_streams::StoredTrace stored = tmon_streams::load_trace(path);
        sentence = tmon_detrek::analyse(stored.trace, spec).verdict.sentence;
    });
    const tmon_streams::StoredTrace stored = tmon_streams::load_trace(path);
    const double analysis = best_ms(repetitions, [&] { sentence = tmon_detrek::analyse(stored.trace, spec).verdict.sentence; });
    print("F11", whole, count);
    print("F11_analysis", analysis, count);
    std::fprintf(stderr, "F11: %s\n", sentence.c_str());
    ::unlink(path.c_str());
}

// The records of each node leave in blocks, as from the nodes of a farm.
void growing(std::size_t events) {
    const FarmSpec spec{16, farm_spec::TreeKind::Binary, static_cast<std::uint32_t>(events / events_per_task) + 1, 2, 5};
    const auto ids = subtask_of_node(spec);
    constexpr std::size_t block = 64;
    std::ofstream("/proc/self/clear_refs") << "5";
    const double before = status_bytes("VmRSS:");
    tmon_detrek::GrowingAnalysis analysis(spec);
    std::vector<std::vector<Event>> buffers(spec.nodes);
    std::vector<std::uint32_t> next(spec.nodes);
    std::uint64_t kept = 0, sent = 0;
    double ms = 0;
    for (std::uint32_t task = 0; task < spec.tasks; ++task) {
        for (std::uint16_t node = 0; node < spec.nodes; ++node) {
            std::vector<Event>& buffer = buffers[node];
            const std::size_t had = buffer.size();
            append_task(spec, node, ids[node], task, buffer);
            for (std::size_t i = had; i < buffer.size(); ++i) {
                buffer[i].seq = next[node]++;
                buffer[i].time_us = 40ull * buffer[i].seq;
            }
            if (buffer.size() < block && task + 1 < spec.tasks) continue;
            ms += best_ms(1, [&] { analysis.records(node, buffer.front().seq, buffer, buffer.back().time_us); });
            sent += buffer.size();
            kept = std::max(kept, analysis.kept_records());
            buffer.clear();
        }
    }
    const std::string name = "growing_" + std::to_string(sent);
    std::printf("%s %.0f ns/event\n%s_kept %zu events\n%s_memory %.1f MB\n", name.c_str(), ms * 1e6 / static_cast<double>(sent),
                name.c_str(), static_cast<std::size_t>(kept), name.c_str(), (status_bytes("VmHWM:") - before) / 1e6);
}

}  // namespace

int main(int argc, char** argv) {
    std::string folder = ".";
    double events = 1e7;
    int repetitions = 5;
    bool only_growing = false;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (std::strcmp(argv[i], "--folder") == 0) folder = argv[i + 1];
        if (std::strcmp(argv[i], "--events") == 0) events = std::atof(argv[i + 1]);
        if (std::strcmp(argv[i], "--repeat") == 0) repetitions = std::max(1, std::atoi(argv[i + 1]));
        if (std::strcmp(argv[i], "--only") == 0) only_growing = std::strcmp(argv[i + 1], "growing") == 0;
    }
    for (const std::size_t records : {100'000, 1'000'000, 10'000'000}) growing(records);
    if (only_growing) return 0;
    from_text("F10", folder, 1000, 20);
    from_text("F10_million", folder, 16'667, repetitions);
    from_binary(folder, events, repetitions);
    return 0;
}
