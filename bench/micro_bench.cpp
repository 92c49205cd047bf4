// F4, F5, F6 and F7 of the performance table: the basic parts of a simulated run. Every figure is the best of the repetitions,
// each in a process of its own.
//
//   micro_bench [--repeat N] [f4 f5 f6 f7 ...]
//
// f4  wall time of a timed wait and its wake, in 64 nodes of 16 processes; each sleeps 0.2 to 1.8 ms at a time
//
// f4_stack  the same with a stack for each, as users' code has it
//
// f5  from nothing until all of 1024 x 16 processes have run once and wait; resident memory then
//
// f5_stack  the same with a stack for each
//
// f5_kernel  the same with a whole kernel and its services on every node instead of 16 bare processes
//
// f6  payload bytes moved over one link by two processes, message level, the same amount in each of five sizes
//
// f7  one record: build the Event from what TrEK reports, check the bounds, store it; a full buffer is taken away
#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>

#include <systemc>

#include <hw_model/coroutine.hpp>
#include <hw_model/fiber.hpp>
#include <hw_model/machine.hpp>
#include <instrumentation/trace_buffers.hpp>
#include <instrumentation/unload_sequence.hpp>
#include <topologies/generators.hpp>
#include <trek_kernel/farm_events.hpp>
#include <trollius_hosted/multicomputer.hpp>

#include "measure.hpp"

namespace {

using bench::Clock;
using hw_model::Priority;
using vocabulary::LinkNo;
using vocabulary::NodeId;
using vocabulary::SimTime;

topologies::CostTable costs() {
    return topologies::CostTable::read(MAGICWIRE_SOURCE_DIR "/topologies/costs/t800.yaml");
}

// A process that sleeps, wakes and sleeps again: with a stack, as users' code has it, or without.
class Sleeper {
public:
    Sleeper(hw_model::Node& node, hw_model::Timeline& timeline, SimTime nap) : node_(node), timeline_(timeline), nap_(nap) {}
    std::uint64_t woken() const { return woken_; }

protected:
    void set_alarm(hw_model::Activity& self) { node_.processor.wake_at(timeline_.now() + nap_, self); }
    hw_model::Node& node_;
    std::uint64_t woken_ = 0;

private:
    hw_model::Timeline& timeline_;
    SimTime nap_;
};

class FiberSleeper : public Sleeper {
public:
    FiberSleeper(hw_model::Node& node, hw_model::Timeline& timeline, SimTime nap)
        : Sleeper(node, timeline, nap), fiber_(Priority::High, node.arena, [this] { sleep(); }) {
        node.processor.start(fiber_);
    }

private:
    void sleep() {
        while (true) {
            set_alarm(fiber_);
            fiber_.wait();
            ++woken_;
        }
    }
    hw_model::Fiber fiber_;
};

class CoroutineSleeper : public Sleeper {
public:
    CoroutineSleeper(hw_model::Node& node, hw_model::Timeline& timeline, SimTime nap)
        : Sleeper(node, timeline, nap), coroutine_(Priority::High, [this] { return sleep(); }) {
        node.processor.start(coroutine_);
    }

private:
    coroutines::Task<> sleep() {
        while (true) {
            set_alarm(coroutine_);
            co_await coroutine_.wait();
            ++woken_;
        }
    }
    hw_model::Coroutine coroutine_;
};

template <class Kind>
class Sleepers {
public:
    Sleepers(std::size_t nodes, std::size_t each) : machine("machine", topologies::binary_tree(nodes), costs(), 1) {
        for (std::size_t i = 0; i < nodes * each; ++i) {
            hw_model::Node& node = machine.node(NodeId(static_cast<NodeId::value_type>(i / each)));
            // Lengths without a common divisor, so that wakes do not gather at the same times.
            sleepers.emplace_back(node, machine.timeline(),
                                  SimTime::ns(200'000 + static_cast<std::int64_t>(i * 7919 % 1'600'000)));
        }
    }
    std::uint64_t woken() const {
        std::uint64_t sum = 0;
        for (const Kind& sleeper : sleepers) sum += sleeper.woken();
        return sum;
    }
    hw_model::Machine machine;
    std::deque<Kind> sleepers;
};

template <class Kind>
double wait_and_wake() {
    Sleepers<Kind> all(64, 16);
    all.machine.run_until(SimTime::ms(50));
    const std::uint64_t before = all.woken();
    const auto start = Clock::now();
    all.machine.run_until(SimTime::s(5));
    return bench::since(start) / static_cast<double>(all.woken() - before);
}

struct Begun {
    double seconds = 0, megabytes = 0;
};

template <class Kind>
Begun begin_processes() {
    const auto start = Clock::now();
    Sleepers<Kind> all(1024, 16);
    all.machine.run_until(SimTime::us(100));
    return {bench::since(start), bench::resident_megabytes()};
}

Begun begin_kernels() {
    const auto start = Clock::now();
    trollius_hosted::Multicomputer box(topologies::binary_tree(1024), costs(), 1, {});
    box.start_at_once();
    box.machine().run_until(SimTime::ms(5));
    return {bench::since(start), bench::resident_megabytes()};
}

// Two processes and the messages that one sends to the other.
class Transfer {
public:
    Transfer(std::size_t bytes, std::uint64_t count)
        : machine("machine", topologies::chain(2), costs(), 1),
          count_(count),
          bytes_(bytes),
          content_(pool_bytes, std::byte{7}),
          room_(pool_bytes),
          sender_(Priority::High, end(0).arena, [this] { send(); }),
          receiver_(Priority::High, end(1).arena, [this] { receive(); }) {
        machine.run_until(SimTime::us(1));  // links are bound when elaboration ends
        end(0).processor.start(sender_);
        end(1).processor.start(receiver_);
    }
    bool done() const { return sender_.ended() && receiver_.ended() && room_ == content_; }
    hw_model::Machine machine;

private:
    // Far more than the host's caches hold: every message goes from memory to memory.
    static constexpr std::size_t pool_bytes = 128 << 20;
    std::size_t place(std::uint64_t i) const { return i * bytes_ % pool_bytes; }
    hw_model::Node& end(std::uint16_t which) { return machine.node(NodeId(which)); }
    void send() {
        for (std::uint64_t i = 0; i < count_; ++i) {
            hw_model::LinkMessage message;
            message.body = std::span(content_).subspan(place(i), bytes_);
            message.wire_bytes = static_cast<std::uint32_t>(bytes_);
            message.sender = &sender_;
            end(0).link(LinkNo(1))->send(message);
            while (!message.sent) sender_.wait();
        }
    }
    void receive() {
        for (std::uint64_t i = 0; i < count_; ++i) {
            hw_model::LinkReceive request;
            request.body = std::span(room_).subspan(place(i), bytes_);
            request.receiver = &receiver_;
            end(1).link(LinkNo(0))->receive(request, hw_model::Channel::Datalink);
            while (!request.received) receiver_.wait();
        }
    }
    std::uint64_t count_;
    std::size_t bytes_;
    std::vector<std::byte> content_, room_;
    hw_model::Fiber sender_, receiver_;
};

double move_bytes(std::size_t message_bytes, std::uint64_t all_bytes) {
    Transfer transfer(message_bytes, all_bytes / message_bytes);
    const auto start = Clock::now();
    transfer.machine.run_until(SimTime::s(100'000));
    const double seconds = bench::since(start);
    if (!transfer.done()) std::abort();
    return seconds;
}

// Does the work of Meter::record() for a probe, without its charges and wakes.
bool meter(instrumentation::TraceBuffers& buffers, const instrumentation::UnloadSequence& sequence,
           const trek_kernel::TaskMoved& what, std::uint64_t clock_us) {
    const trace_record::Event event{.time_us = clock_us,
                                    .task = what.task,
                                    .subtask = what.subtask,
                                    .bytes = what.bytes,
                                    .node = what.node.value(),
                                    .peer = what.peer.value(),
                                    .kind = what.sent ? trace_record::EventKind::Send : trace_record::EventKind::Receive,
                                    .is_result = what.result ? std::uint8_t{1} : std::uint8_t{0}};
    buffers.record(event);
    return buffers.count() > std::min<std::size_t>(sequence.at(clock_us).upper, buffers.room());
}

double record_events() {
    constexpr std::uint64_t rounds = 200, round = 100'000;
    instrumentation::TraceBuffers buffers(128);
    const instrumentation::UnloadSequence sequence({{.until_us = 1'000'000'000'000, .lower = 127, .upper = 127, .where = {}}});
    std::array<trek_kernel::TaskMoved, 64> moves;
    for (std::uint32_t i = 0; i < moves.size(); ++i) {
        moves[i] = {.node = NodeId(1),
                    .peer = NodeId(static_cast<NodeId::value_type>(i % 3)),
                    .sent = i % 2 == 0,
                    .result = i % 4 > 1,
                    .task = i,
                    .subtask = 0,
                    .bytes = 64};
    }
    double best = 1;
    std::uint64_t clock = 0;
    for (std::uint64_t r = 0; r < rounds; ++r) {
        const auto start = Clock::now();
        for (std::uint64_t i = 0; i < round; ++i) {
            if (!meter(buffers, sequence, moves[i % moves.size()], clock += 3)) continue;
            buffers.start_leaving();
            buffers.leave_done();
        }
        best = std::min(best, bench::since(start) / static_cast<double>(round));
    }
    if (buffers.next_seq() != rounds * round || buffers.has_losses()) std::abort();
    return best;
}

template <class Figure>
auto best_of(const char* name, int repeat, Figure figure) {
    auto best = bench::in_child(name, figure);
    for (int i = 1; i < repeat; ++i) best = std::min(best, bench::in_child(name, figure));
    return best;
}

void print_begun(const char* name, int repeat, const std::function<Begun()>& figure) {
    Begun best = bench::in_child(name, figure);
    for (int i = 1; i < repeat; ++i) {
        if (const Begun next = bench::in_child(name, figure); next.seconds < best.seconds) best = next;
    }
    std::printf("%s %.1f ms %.1f MB\n", name, best.seconds * 1e3, best.megabytes);
}

void print_links(int repeat) {
    constexpr std::uint64_t amount = std::uint64_t{1} << 30;
    constexpr std::array<std::size_t, 5> sizes = {64 << 10, 128 << 10, 256 << 10, 512 << 10, 1 << 20};
    double seconds = 0;
    for (const std::size_t size : sizes) {
        seconds += best_of("f6", repeat, [size] { return move_bytes(size, amount); });
    }
    std::printf("f6 %.2f GB/s\n", static_cast<double>(amount * sizes.size()) / seconds * 1e-9);
}

}  // namespace

int sc_main(int argc, char** argv) {
    const bench::Options options(argc, argv);
    if (options.wants("f4")) {
        std::printf("f4 %.1f ns\n", best_of("f4", options.repeat, wait_and_wake<CoroutineSleeper>) * 1e9);
        std::printf("f4_stack %.1f ns\n", best_of("f4", options.repeat, wait_and_wake<FiberSleeper>) * 1e9);
    }
    if (options.wants("f5")) {
        print_begun("f5", options.repeat, begin_processes<CoroutineSleeper>);
        print_begun("f5_stack", options.repeat, begin_processes<FiberSleeper>);
    }
    if (options.wants("f5_kernel")) print_begun("f5_kernel", options.repeat, begin_kernels);
    if (options.wants("f6")) print_links(options.repeat);
    if (options.wants("f7")) std::printf("f7 %.2f ns\n", best_of("f7", options.repeat, record_events) * 1e9);
    return 0;
}

int main(int argc, char** argv) {
    return sc_core::sc_elab_and_sim(argc, argv);
}
