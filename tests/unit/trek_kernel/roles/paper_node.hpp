// A node of a farm on paper, for tests of its roles without a machine. It has a real desk and a real kernel, on a port that
// runs nothing and notes what it is asked for. A role runs on the test's own stack until it would wait.
//
// The farm is small: the manager n0 has the child n1, which has the children n2 and n3. Every operation has a price of its own,
// so that a sum of charges tells what was paid for.
#pragma once

#include <deque>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "ending.hpp"
#include "recovery.hpp"
#include "stealing.hpp"
#include "still_port.hpp"

namespace trek_roles_test {

using farm_spec::FarmSpec;
using trek_kernel::Bytes;
using trek_kernel::Child;
using trek_kernel::Item;
using trek_kernel::ItemPtr;
using trek_kernel::MessageKind;
using trek_kernel::Policy;
using trek_kernel::SizeMessage;
using trek_kernel::TaskIdentity;
using vocabulary::LinkNo;
using vocabulary::NodeId;
using vocabulary::SimTime;

// Prices in microseconds; a cycle of the paper node is one.
namespace price {
inline constexpr int link_message = 1, queue = 10, execute = 100, decision = 1000;
}
inline constexpr std::uint32_t size_message_bytes = 4;  // modelled

struct Waits {};  // thrown where the role would wait

class Seat final : public trollius_os::Thread {
public:
    explicit Seat(const char* name) : name_(name) {}
    const char* name() const { return name_; }

private:
    const char* name_;
};

struct Sent {
    LinkNo link;
    SizeMessage size;
    Bytes body;
    std::uint32_t messages = 0, wire_bytes = 0;
    SimTime pause;
};

struct Coming {
    SizeMessage size;
    Bytes body;
    std::uint32_t messages = 1;
    std::uint32_t header_bytes = sizeof(SizeMessage);
};

class PaperPort final : public instrumentation_test::StillPort {
public:
    Seat running{"this role"};
    std::vector<std::string> woken;
    std::vector<Sent> sent;
    std::deque<Coming> coming;
    std::int64_t charged_us = 0;
    std::uint64_t clock = 0, free_memory = 1'000'000;
    std::optional<std::uint64_t> waits_until;
    bool link_is_there = true;
    std::int64_t slowness = 1;
    std::function<void()> meanwhile;  // what others do at the next settle()

    void charge(vocabulary::Cycles cycles) override { charged_us += cycles.count(); }
    vocabulary::Cycles cycles(SimTime stated) const override { return vocabulary::Cycles(stated.in_us()); }
    SimTime lasts(SimTime stated) const override { return stated * slowness; }
    coroutines::Task<> wait_until_clock(std::uint64_t clock_us) override {
        waits_until = clock_us;
        throw Waits{};
    }
    trollius_os::Thread& self() override { return running; }
    std::uint64_t clock_us(trollius_os::Priority) const override { return clock; }
    bool take_memory(std::uint64_t bytes) override {
        if (bytes > free_memory) return false;
        free_memory -= bytes;
        return true;
    }
    void give_back_memory(std::uint64_t bytes) override { free_memory += bytes; }

private:
    bool begin_settle() override {
        if (meanwhile) std::exchange(meanwhile, nullptr)();
        return true;
    }
    bool begin_wait() override { throw Waits{}; }
    void make_ready(trollius_os::Thread& thread) override { woken.emplace_back(static_cast<Seat&>(thread).name()); }
    bool begin_link_send(LinkNo link, const trollius_os::LinkPacket& packet) override {
        trek_kernel::SizeBytes header;
        EXPECT_EQ(packet.header.size(), header.size());
        std::copy(packet.header.begin(), packet.header.end(), header.begin());
        sent.push_back({link,
                        trek_kernel::decode(header),
                        {packet.body.begin(), packet.body.end()},
                        packet.messages,
                        packet.wire_bytes,
                        packet.pause});
        return true;
    }
    bool end_link_send() override { return link_is_there; }
    bool begin_link_receive(LinkNo, trollius_os::LinkChannel, const trollius_os::LinkRoom& room) override {
        if (coming.empty()) throw Waits{};
        const Coming next = std::move(coming.front());
        coming.pop_front();
        const trek_kernel::SizeBytes header = trek_kernel::encode(next.size);
        std::copy(header.begin(), header.end(), room.header.begin());
        *room.any_body = next.body;
        got_.header_bytes = next.header_bytes;
        got_.body_bytes = static_cast<std::uint32_t>(next.body.size());
        got_.messages = next.messages;
        return true;
    }
    trollius_os::LinkReceived end_link_receive() override { return got_; }

    trollius_os::LinkReceived got_;
};

// Notes the calls of the farm's probes.
class PaperWitness final : public trek_kernel::Witness {
public:
    std::vector<std::string> notes;
    void on_moved(const trek_kernel::TaskMoved& what, SimTime) override {
        notes.push_back((what.sent ? "sent " : "received ") + std::string(what.result ? "result " : "task ") +
                        std::to_string(what.task));
    }
    void on_step(const trek_kernel::TaskStep& what, SimTime) override {
        notes.push_back(trek_kernel::name_of(what.process) +
                        std::string(what.moment == trek_kernel::Moment::Begin ? " begins " : " ends ") +
                        std::to_string(what.task));
    }
    void on_given_up(const trek_kernel::NodeGivenUp& what, SimTime) override {
        notes.push_back("gives up n" + std::to_string(what.child.value()));
    }
    void on_reissued(const trek_kernel::TaskReissued& what, SimTime) override {
        notes.push_back("issues again task " + std::to_string(what.task));
    }
    void on_home(std::uint32_t task, SimTime) override { notes.push_back("home " + std::to_string(task)); }
    void on_finished(NodeId, SimTime) override { notes.emplace_back("finished"); }
};

// comp_fn() reverses a task; split_fn() gives each branch one byte of it; join_fn() puts the results behind each other.
class PaperApplication final : public trek_kernel::Application {
public:
    std::function<void(trek_kernel::Context&)> in_function = [](trek_kernel::Context&) {};
    std::size_t parts_missing = 0;  // of each split
    void data_generator(trek_kernel::Master&) override {}
    void result_receiver(trek_kernel::Master&) override {}
    Bytes compute(trek_kernel::Context& context, std::span<const std::byte> task) override {
        in_function(context);
        return {task.rbegin(), task.rend()};
    }
    std::vector<Bytes> split(trek_kernel::Context& context, std::span<const std::byte> task, std::size_t degree) override {
        in_function(context);
        std::vector<Bytes> parts(degree - parts_missing);
        for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = {task[i]};
        return parts;
    }
    Bytes join(trek_kernel::Context& context, const std::vector<Bytes>& results) override {
        in_function(context);
        Bytes all;
        for (const Bytes& result : results) all.insert(all.end(), result.begin(), result.end());
        return all;
    }
};

inline Bytes bytes(std::initializer_list<int> values) {
    Bytes result;
    for (const int value : values) result.push_back(static_cast<std::byte>(value));
    return result;
}

inline ItemPtr item(MessageKind kind, std::uint32_t task, std::uint32_t subtask = 0, Bytes body = bytes({1, 2, 3})) {
    return std::make_unique<Item>(Item{kind, {task, subtask}, std::move(body)});
}
inline ItemPtr task(std::uint32_t number, std::uint32_t subtask = 0, Bytes body = bytes({1, 2, 3})) {
    return item(MessageKind::Task, number, subtask, std::move(body));
}
inline ItemPtr result(std::uint32_t number, std::uint32_t subtask = 0, Bytes body = bytes({1, 2, 3})) {
    return item(MessageKind::Result, number, subtask, std::move(body));
}

inline FarmSpec farm_of_tasks() {
    return {.nodes = 4, .tasks = 100};
}
inline FarmSpec farm_that_divides() {
    return {.nodes = 4, .tasks = 100, .degree = 2, .depth = 3};
}
inline FarmSpec farm_with(Policy policy) {
    FarmSpec config = farm_of_tasks();
    config.policy = policy;
    return config;
}
inline FarmSpec farm_that_survives() {
    FarmSpec config = farm_of_tasks();
    config.survives = true;
    return config;
}
inline FarmSpec farm_with_bundles(std::uint32_t granularity) {
    FarmSpec config = farm_of_tasks();
    config.granularity = granularity;
    return config;
}

class PaperNode : private trollius_os::Witness {
public:
    static constexpr std::uint16_t manager = 0, inner = 1, leaf = 2;

    explicit PaperNode(std::uint16_t node, const FarmSpec& config = farm_of_tasks())
        : setup_(setup_of(config)), kernel_(port, NodeId(node), {}), desk(kernel_, setup_, spares_), ending(desk) {
        setup_.application = &application;
        setup_.witnesses = {&witness};
        desk.ending = &ending;
        if (config.policy == Policy::WorkStealing) desk.stealing = &stealing_.emplace(desk);
        if (config.survives) desk.recovery = &recovery_.emplace(desk);
        desk.started = node != manager;
        seat(desk.tasks.reader, "data manager");
        seat(desk.results.reader, "result manager");
        seat(desk.up.reader, "writer up");
        seat(desk.collected.reader, "receiver");
        seat(desk.compute.worker, "computation");
        seat(desk.split.worker, "splitter");
        seat(desk.joiner, "joiner");
        seat(desk.generator, "generator");
        for (Child& child : desk.children) seat(child.writer, child.at.node == NodeId(2) ? "writer to n2" : "writer down");
        kernel_.add_witness(*this);
    }

private:
    void on_dropped(const trollius_os::MessageDropped& what) override { dropped.emplace_back(what.why); }
    static trek_kernel::FarmSetup setup_of(const FarmSpec& config) {
        trek_kernel::FarmSetup setup;
        setup.config = config;
        setup.costs.size_message = size_message_bytes;
        setup.costs.link_message = SimTime::us(price::link_message);
        setup.costs.queue_operation = SimTime::us(price::queue);
        setup.costs.execute = SimTime::us(price::execute);
        setup.costs.decision = SimTime::us(price::decision);
        setup.costs.heartbeat = SimTime::ms(10);
        setup.costs.silence = SimTime::ms(50);
        using trek_kernel::Branch;
        setup.places = {{{}, {Branch{NodeId(1), LinkNo(1), 3}}, 0},
                        {Branch{NodeId(0), LinkNo(0)}, {Branch{NodeId(2), LinkNo(1)}, Branch{NodeId(3), LinkNo(2)}}, 0},
                        {Branch{NodeId(1), LinkNo(0)}, {}, 1},
                        {Branch{NodeId(1), LinkNo(0)}, {}, 1}};
        return setup;
    }
    void seat(trollius_os::Thread*& of, const char* name) {
        seats_.emplace_back(name);
        of = &seats_.back();
    }

    std::deque<Seat> seats_;
    trek_kernel::FarmSetup setup_;

public:
    PaperPort port;
    PaperWitness witness;
    PaperApplication application;
    std::vector<std::string> dropped;  // why, of each dropped message

private:
    trollius_os::Kernel kernel_;
    trek_kernel::Spares spares_;

public:
    trek_kernel::NodeDesk desk;
    trek_kernel::Ending ending;

private:
    std::optional<trek_kernel::Stealing> stealing_;
    std::optional<trek_kernel::Recovery> recovery_;

public:
    trollius_os::Calls calls{kernel_, *kernel_.create({"role", trollius_os::Priority::Low, 0, 0, [](trollius_os::Api&) {}})};
    trollius_os::Api api{calls};

    // Runs a process until it waits. False when it ended instead.
    template <class Process>
    bool until_it_waits(Process process) {
        try {
            process();
        } catch (const Waits&) {
            return true;
        }
        return false;
    }
    template <class Role>
    bool run(Role& role) {
        return until_it_waits([&] {
            if constexpr (requires { role.run(calls); }) {
                role.run(calls).get();
            } else {
                role.run(api);
            }
        });
    }
    Child& child(std::size_t index) { return desk.children[index]; }
    // The child has that many free places.
    void give_tokens(std::size_t child_index, std::uint32_t count) { desk.distribution->add(child_index, count); }
    // Clears the notes, so that they tell of the next step only.
    void forget() {
        port.woken.clear();
        port.sent.clear();
        port.charged_us = 0;
        witness.notes.clear();
    }
};

// The numbers of the tasks or results in a tray or a queue.
inline std::vector<std::uint32_t> tasks_of(const trek_kernel::Fifo<ItemPtr>& queue) {
    std::vector<std::uint32_t> numbers;
    for (const ItemPtr& one : queue) numbers.push_back(one->id.task);
    return numbers;
}

}  // namespace trek_roles_test
