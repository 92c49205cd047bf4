// The babeltrace2 filter beside babeltrace2's own muxer: a CTF trace of a million events in N streams, from files to a sink
// that does nothing. Processor time of the graph's run, best of several.
#include <babeltrace2/babeltrace.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include <sys/resource.h>

#include "measure.hpp"

namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t events = 1'000'000, packet_events = 128;

constexpr const char* metadata = R"(/* CTF 1.8 */
trace { major = 1; minor = 8; byte_order = le;
  packet.header := struct { integer { size = 32; align = 8; } magic; integer { size = 32; align = 8; } stream_id;
    integer { size = 64; align = 8; } stream_instance_id; };
};
clock { name = mono; freq = 1000000000; };
typealias integer { size = 64; align = 8; map = clock.mono.value; } := stamp_t;
typealias integer { size = 64; align = 8; } := word_t;
stream { id = 0;
  packet.context := struct { stamp_t timestamp_begin; stamp_t timestamp_end; word_t content_size; word_t packet_size; };
  event.header := struct { integer { size = 64; align = 8; } id; stamp_t timestamp; };
};
event { id = 0; name = "send"; stream_id = 0; fields := struct { word_t number; word_t from; word_t to; }; };
event { id = 1; name = "receive"; stream_id = 0; fields := struct { word_t number; word_t from; word_t to; }; };
)";

struct Row {
    std::uint64_t id, time, number, from, to;
};

[[noreturn]] void fail(const char* what) {
    std::fprintf(stderr, "babeltrace_bench: %s\n", what);
    std::exit(1);
}

void write_stream(const fs::path& file, std::uint64_t stream, const std::vector<Row>& rows) {
    std::ofstream out(file, std::ios::binary);
    for (std::size_t at = 0; at < rows.size(); at += packet_events) {
        const std::size_t count = std::min<std::size_t>(packet_events, rows.size() - at);
        const std::uint64_t bits = (48 + count * sizeof(Row)) * 8;
        const std::uint64_t head[]{0xC1FC1FC1, stream, rows[at].time, rows[at + count - 1].time, bits, bits};
        out.write(reinterpret_cast<const char*>(head), sizeof head);
        out.write(reinterpret_cast<const char*>(&rows[at]), static_cast<std::streamsize>(count * sizeof(Row)));
    }
    if (!out) fail("the trace cannot be written");
}

// Each stream sends to a random other one, by one clock.
void write_trace(const fs::path& folder, std::uint32_t streams) {
    std::mt19937 random(streams);
    std::vector<std::vector<Row>> rows(streams);
    std::vector<std::deque<Row>> under_way(streams);
    for (std::uint64_t i = 0; i < events; ++i) {
        const std::uint32_t stream = static_cast<std::uint32_t>(random()) % streams;
        Row row{0, 1000 + 100 * i, i, stream, (stream + 1 + random() % (streams - 1)) % streams};
        if (under_way[stream].empty()) {
            under_way[row.to].push_back(row);
        } else {
            row = under_way[stream].front();
            row.id = 1;
            row.time = 1000 + 100 * i;
            under_way[stream].pop_front();
        }
        rows[stream].push_back(row);
    }
    fs::create_directory(folder);
    std::ofstream(folder / "metadata") << metadata;
    for (std::uint32_t i = 0; i < streams; ++i) write_stream(folder / ("stream_" + std::to_string(i)), i, rows[i]);
}

bt_value* filter_parameters() {
    bt_value* map = bt_value_map_create();
    bt_value_map_insert_string_entry(map, "send", "send");
    bt_value_map_insert_string_entry(map, "receive", "receive");
    bt_value_map_insert_string_entry(map, "key", "number");
    return map;
}

const bt_plugin* plugin(const char* name) {
    const bt_plugin* found = nullptr;
    if (bt_plugin_find(name, BT_TRUE, BT_TRUE, BT_TRUE, BT_TRUE, BT_TRUE, &found) != BT_PLUGIN_FIND_STATUS_OK) fail(name);
    return found;
}

double seconds_of(const fs::path& trace, bool causal) {
    bt_graph* graph = bt_graph_create(0);
    const bt_plugin *ctf = plugin("ctf"), *utils = plugin("utils"), *magicwire = plugin("magicwire");
    bt_value* inputs = bt_value_map_create();
    bt_value* list = nullptr;
    bt_value_map_insert_empty_array_entry(inputs, "inputs", &list);
    bt_value_array_append_string_element(list, trace.c_str());
    const bt_component_source* source = nullptr;
    const bt_component_filter* filter = nullptr;
    const bt_component_sink* sink = nullptr;
    const bt_component_class_filter* filter_class =
        causal ? bt_plugin_borrow_filter_component_class_by_name_const(magicwire, "causal")
               : bt_plugin_borrow_filter_component_class_by_name_const(utils, "muxer");
    bt_value* parameters = causal ? filter_parameters() : nullptr;
    if (bt_graph_add_source_component(graph, bt_plugin_borrow_source_component_class_by_name_const(ctf, "fs"), "source", inputs,
                                      BT_LOGGING_LEVEL_NONE, &source) != 0 ||
        bt_graph_add_filter_component(graph, filter_class, "filter", parameters, BT_LOGGING_LEVEL_NONE, &filter) != 0 ||
        bt_graph_add_sink_component(graph, bt_plugin_borrow_sink_component_class_by_name_const(utils, "dummy"), "sink", nullptr,
                                    BT_LOGGING_LEVEL_NONE, &sink) != 0)
        fail("a component cannot be made");
    for (std::uint64_t i = 0; i < bt_component_source_get_output_port_count(source); ++i) {
        const std::uint64_t last = bt_component_filter_get_input_port_count(filter) - 1;
        bt_graph_connect_ports(graph, bt_component_source_borrow_output_port_by_index_const(source, i),
                               bt_component_filter_borrow_input_port_by_index_const(filter, last), nullptr);
    }
    bt_graph_connect_ports(graph, bt_component_filter_borrow_output_port_by_index_const(filter, 0),
                           bt_component_sink_borrow_input_port_by_index_const(sink, 0), nullptr);
    const double begin = bench::cpu_seconds();
    if (bt_graph_run(graph) != BT_GRAPH_RUN_STATUS_OK) fail("the graph failed");
    const double seconds = bench::cpu_seconds() - begin;
    bt_graph_put_ref(graph);
    for (const bt_plugin* one : {ctf, utils, magicwire}) bt_plugin_put_ref(one);
    bt_value_put_ref(inputs);
    bt_value_put_ref(parameters);
    return seconds;
}

}  // namespace

int main(int argc, char** argv) {
    int repeat = 3;
    for (int i = 1; i + 1 < argc; ++i) {
        if (std::strcmp(argv[i], "--repeat") == 0) repeat = std::atoi(argv[i + 1]);
    }
    setenv("BABELTRACE_PLUGIN_PATH", MAGICWIRE_BABELTRACE_PLUGINS, 1);
    rlimit files{};
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;  // a stream is a file
    setrlimit(RLIMIT_NOFILE, &files);
    std::string name = (fs::temp_directory_path() / "babeltrace_bench.XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) fail("no temporary folder");
    for (const std::uint32_t streams : {16, 64, 256, 1024}) {
        const fs::path trace = fs::path(name) / std::to_string(streams);
        write_trace(trace, streams);
        double filter = 1e9, muxer = 1e9;
        for (int i = 0; i < repeat; ++i) {
            filter = std::min(filter, seconds_of(trace, true));
            muxer = std::min(muxer, seconds_of(trace, false));
        }
        std::printf("f8_filter_%u %.3f M-events/s\nf8_muxer_%u %.3f M-events/s\n", streams, events / filter * 1e-6, streams,
                    events / muxer * 1e-6);
        std::fflush(stdout);
        fs::remove_all(trace);
    }
    fs::remove_all(name);
}
