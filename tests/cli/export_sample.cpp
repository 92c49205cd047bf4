// export_sample KIND FILE: writes a trace for export_test.py, and prints its contents as JSON.
//   `mixed`    three nodes, every kind of record, losses of several causes, one open stream.
//   `empty`    two nodes that say that they made nothing.
//   `nothing`  two nodes of which nothing came.
//   `one`      one node with sends to itself.
//   `many`     1024 nodes, a few records each.
//   `lossy`    ten sends of which the first six receives are lost, two to a node of which nothing came.
//   `long`     two nodes, 400 000 records, which are not printed: an export of it can be interrupted.
//   `named`    three nodes, messages of the kernel that name their partners, one to a cast.
//   `cut`      as mixed, without the end: FILE.incomplete stays.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <trace_record/trace_file.hpp>

namespace {

using trace_record::ClassSet;
using trace_record::Event;
using trace_record::EventClass;
using trace_record::EventKind;
using trace_record::LossCause;
using trace_record::LossRange;
using trace_record::TraceFileWriter;

class Sample {
public:
    explicit Sample(TraceFileWriter& writer) : writer_(writer) {}

    Event& add(std::uint16_t node, std::uint32_t seq, std::uint64_t time_us, EventKind kind) {
        records_.push_back(
            {.time_us = time_us, .seq = seq, .task = 0, .subtask = 0, .bytes = 0, .node = node, .peer = 0, .kind = kind});
        return records_.back();
    }
    // Writes the records added since the last block as one block.
    void block(std::uint64_t unloaded_us) {
        writer_.events(records_.front().node, records_.front().seq, records_, unloaded_us);
        for (const Event& e : records_)
            json["records"].push_back({{"node", e.node},
                                       {"seq", e.seq},
                                       {"time_us", e.time_us},
                                       {"kind", static_cast<int>(e.kind)},
                                       {"task", e.task},
                                       {"subtask", e.subtask},
                                       {"bytes", e.bytes},
                                       {"peer", e.peer},
                                       {"is_result", e.is_result}});
        records_.clear();
    }
    void loss(const LossRange& range) {
        writer_.loss(range);
        json["losses"].push_back({{"node", range.node},
                                  {"first", range.first_seq},
                                  {"last", range.last_seq},
                                  {"from", range.from_us},
                                  {"until", range.until_us}});
    }
    nlohmann::json json = {{"records", nlohmann::json::array()}, {"losses", nlohmann::json::array()}};

private:
    TraceFileWriter& writer_;
    std::vector<Event> records_;
};

void task(Event& event, std::uint32_t number, std::uint32_t subtask, std::uint16_t peer, bool result) {
    event.task = number;
    event.subtask = subtask;
    event.peer = peer;
    event.bytes = 1000 + number;
    event.is_result = result ? 1 : 0;
}

void message(Event& event, std::uint32_t number, std::uint32_t process, std::uint16_t peer) {
    event.task = number;
    event.subtask = process;
    event.peer = peer;
    event.bytes = 64;
}

void name(Event& event, std::uint16_t process, const char* text) {
    char letters[12] = {};
    std::strncpy(letters, text, sizeof letters);
    std::memcpy(&event.task, letters, 4);
    std::memcpy(&event.subtask, letters + 4, 4);
    std::memcpy(&event.bytes, letters + 8, 4);
    event.peer = process;
}

void usage(Event& event) {
    event.task = 3000;
    event.subtask = 5000;
    event.bytes = 10 | 20 << 8 | 30 << 16 | 40 << 24;
    event.peer = 6;
}

void fill_mixed(Sample& sample, TraceFileWriter& writer) {
    name(sample.add(0, 0, 100, EventKind::ProcessStart), 7, "worker");
    task(sample.add(0, 1, 200, EventKind::Send), 1, 0, 1, false);
    sample.add(0, 2, 250, EventKind::Synchronise).task = 0;
    message(sample.add(0, 3, 300, EventKind::ReceiveCall), 55, 7, 0);
    sample.block(400);
    message(sample.add(1, 0, 150, EventKind::MessageSend), 55, 9, 0);
    task(sample.add(1, 1, 180, EventKind::Receive), 1, 0, 0, false);  // its clock is behind that of n0
    sample.add(1, 2, 210, EventKind::Synchronise).task = 0;
    sample.block(220);
    sample.loss({1, 3, 12, LossCause::BufferFull, ClassSet::of(EventClass::Task), 230, 390});
    message(sample.add(0, 4, 900, EventKind::MessageReceive), 55, 7, 1);
    Event& user = sample.add(0, 5, 950, EventKind::User);
    user.task = 3;
    user.subtask = 0xDEADBEEF;
    user.bytes = 1;
    name(sample.add(0, 6, 960, EventKind::ProcessEnd), 7, "worker");
    task(sample.add(0, 7, 990, EventKind::Receive), 2, 0x100, 1, true);
    sample.block(1000);
    sample.loss({0, 8, 9, LossCause::Damaged, ClassSet::all(), 0, 0});
    task(sample.add(1, 13, 700, EventKind::Send), 2, 0x100, 0, true);
    usage(sample.add(1, 14, 10'000, EventKind::NodeUsage));
    sample.block(10'100);
    sample.loss({2, 0, 3, LossCause::LinkLost, ClassSet::all(), 0, 0});
    writer.stream_end(0, 10);
    writer.stream_end(1, 15);
}

// Messages of circuits, of the network, to a service and as a reply.
void fill_messages(Sample& sample, TraceFileWriter& writer) {
    constexpr std::uint32_t system = 0x80000000U, link_0 = system + 19;
    message(sample.add(0, 0, 100, EventKind::MessageSend), link_0 + 2, 7, 1);
    message(sample.add(0, 1, 200, EventKind::ReceiveCall), link_0 + 1, 7, 0);
    message(sample.add(0, 2, 300, EventKind::MessageReceive), link_0 + 1, 7, 1);
    message(sample.add(0, 3, 400, EventKind::MessageSend), system + 8, 7, 1);
    message(sample.add(0, 4, 500, EventKind::MessageReceive), static_cast<std::uint32_t>(-12), 7, 0xFFFF);
    message(sample.add(0, 5, 600, EventKind::MessageSend), 17, 7, 1);
    sample.block(700);
    writer.stream_end(0, 6);
    writer.stream_end(1, 0);
}

void send_call(Event& event, std::uint32_t number, std::uint16_t to, std::uint32_t of_sender) {
    message(event, number, 7, to);
    event.bytes = of_sender;
}

// Each receiver has the records behind a partner's. Two of them come before their send.
void receive(Sample& sample, std::uint16_t node, std::uint32_t seq, std::uint64_t time_us, std::uint32_t of_sender) {
    Event& partner = sample.add(node, seq, time_us, EventKind::Partner);
    message(partner, of_sender, 9, 0);
    partner.bytes = 0;
    message(sample.add(node, seq + 1, time_us, EventKind::MessageReceive), 16 + of_sender, 9, 0);
}

void fill_named(Sample& sample, TraceFileWriter& writer) {
    constexpr std::uint16_t cast = 0x8000;
    send_call(sample.add(0, 0, 100, EventKind::SendCall), 17, 1, 1);
    message(sample.add(0, 1, 200, EventKind::MessageSend), 17, 7, 1);
    send_call(sample.add(0, 2, 250, EventKind::SendCall), 18, cast, 2);
    message(sample.add(0, 3, 300, EventKind::MessageSend), 18, 7, cast);
    send_call(sample.add(0, 4, 350, EventKind::SendCall), 19, 1, 3);
    sample.block(400);
    message(sample.add(1, 0, 90, EventKind::ReceiveCall), 17, 9, 0);
    receive(sample, 1, 1, 180, 1);
    receive(sample, 1, 3, 240, 2);
    sample.block(400);
    receive(sample, 2, 0, 245, 2);
    message(sample.add(2, 2, 300, EventKind::MessageReceive), static_cast<std::uint32_t>(-12), 9, 0xFFFF);
    sample.block(400);
    writer.stream_end(0, 5);
    writer.stream_end(1, 5);
    writer.stream_end(2, 3);
}

void fill_many(Sample& sample, TraceFileWriter& writer) {
    for (std::uint16_t node = 0; node < 1024; ++node) {
        const auto next = static_cast<std::uint16_t>((node + 1) % 1024),
                   before = static_cast<std::uint16_t>((node + 1023) % 1024);
        task(sample.add(node, 0, 100 + node, EventKind::Send), node, 0, next, false);
        task(sample.add(node, 1, 300 + node, EventKind::Receive), before, 0, before, false);
        sample.block(2000);
        writer.stream_end(node, 2);
    }
}

void fill_lossy(Sample& sample, TraceFileWriter& writer) {
    for (std::uint32_t i = 0; i < 12; ++i) {
        const std::uint16_t to = i < 10 ? 1 : 2;
        task(sample.add(0, i, 100 + 10 * i, EventKind::Send), i + 1, 0, to, false);
    }
    sample.block(300);
    sample.loss({1, 0, 5, LossCause::BufferFull, ClassSet::of(EventClass::Task), 105, 160});
    for (std::uint32_t i = 6; i < 10; ++i) task(sample.add(1, i, 105 + 10 * i, EventKind::Receive), i + 1, 0, 0, false);
    sample.block(300);
    writer.stream_end(0, 12);
    writer.stream_end(1, 10);
}

void fill_long(TraceFileWriter& writer) {
    constexpr std::uint32_t in_block = 2000, blocks = 100;
    for (std::uint32_t block = 0; block < blocks; ++block)
        for (std::uint16_t node = 0; node < 2; ++node) {
            std::vector<Event> records(in_block);
            for (std::uint32_t i = 0; i < in_block; ++i) {
                Event& event = records[i];
                event.seq = block * in_block + i;
                event.time_us = event.seq;
                event.node = node;
                event.kind = node == 0 ? EventKind::Send : EventKind::Receive;
                task(event, event.seq, 0, node == 0 ? 1 : 0, false);
            }
            writer.events(node, block * in_block, records, (block + 1) * in_block);
        }
    for (std::uint16_t node = 0; node < 2; ++node) writer.stream_end(node, in_block * blocks);
}

void fill(const std::string& kind, Sample& sample, TraceFileWriter& writer) {
    if (kind == "mixed" || kind == "cut") fill_mixed(sample, writer);
    if (kind == "many") fill_many(sample, writer);
    if (kind == "messages") fill_messages(sample, writer);
    if (kind == "named") fill_named(sample, writer);
    if (kind == "lossy") fill_lossy(sample, writer);
    if (kind == "long") fill_long(writer);
    if (kind == "one") {
        task(sample.add(0, 0, 5, EventKind::Send), 1, 0, 0, false);
        task(sample.add(0, 1, 5, EventKind::Receive), 1, 0, 0, false);
        sample.block(10);
        writer.stream_end(0, 2);
    }
    if (kind != "empty") return;
    writer.stream_end(0, 0);
    writer.stream_end(1, 0);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    const std::string kind = argv[1];
    const bool of_three = kind == "mixed" || kind == "cut" || kind == "lossy" || kind == "named";
    const int nodes = kind == "many" ? 1024 : kind == "one" ? 1 : of_three ? 3 : 2;
    TraceFileWriter writer(argv[2], nlohmann::json{{"expected_nodes", nodes}, {"seed", 7}}.dump(),
                           {.compress = kind == "many", .force = true});
    Sample sample(writer);
    fill(kind, sample, writer);
    writer.flush();
    if (kind != "cut") {
        writer.closing(R"({"run_hash":"0123456789abcdef","session_end":"program-ended"})");
        writer.close();
    }
    std::puts(sample.json.dump().c_str());
    return 0;
}
