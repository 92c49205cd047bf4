// The peer of farm_bench: the same farm, as a SimGrid user would write it for speed. Flood filling on the binary tree of the
// thesis, hop by hop, one message a hop. In the tree n0 is the manager and n1 its child; node i has children 2i and 2i + 1.
//
//   simgrid_farm [--repeat N] [f1 f2 large ...]
//
// Both have: the tree, the tasks and their order, sizes of tasks and results, computing time, one buffer a node. A task goes to
// a place here first, then to the child whose token is oldest. Tokens travel with results.
//
// Only Magicwire has: size and data as two messages with their cost at both ends, and stacks and heaps in modelled memory. Its
// processors compute only while no message is handled (exact pre-emption). It has its own kernel with processes (here two
// actors a node), and it records the truth. Here a message costs its link and nothing else. Messages that want the same
// direction of a link at the same time share its bandwidth (CM02).
//
// Options for speed: CM02 without cross traffic, raw contexts of 16 KiB without guard pages, one thread. Direct routes (a full
// zone, which looks a route up in a table), no tracing, no logs. Permanent receivers, detached sends, no messages within a
// node.
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include <simgrid/s4u.hpp>

#include "measure.hpp"

namespace {

namespace sg = simgrid::s4u;

constexpr double bytes_per_second = 1.74e6;  // rate of a link, each direction: T800 at 20 Mbit/s, one direction in use
constexpr double latency_s = 1e-6;
constexpr std::uint64_t token_bytes = 16;
constexpr std::uint32_t buffers = 1;

struct Workload {
    const char* name;
    std::uint32_t nodes, tasks;
    double task_s;
    std::uint64_t task_bytes, result_bytes;
};

enum class Kind : std::uint8_t { Task, Result, Token };
struct Message {
    Kind kind;
    std::uint32_t task, tokens, from;
};

struct Figures {
    double wall = 0, cpu = 0, start = 0, modelled = 0, messages = 0, megabytes = 0;
    std::uint32_t results = 0;
};

class Node {
public:
    Node(const Workload& work, std::uint32_t number, std::vector<std::unique_ptr<Node>>& nodes, double& messages)
        : work_(work), number_(number), nodes_(nodes), messages_(messages), mailbox_(sg::Mailbox::by_name(name())) {}

    std::string name() const { return std::string("n").append(std::to_string(number_)); }
    std::uint32_t parent() const { return number_ / 2; }
    bool is_manager() const { return number_ == 0; }
    std::uint32_t results() const { return results_; }

    // The manager: all tasks wait here, and it ends when all results are back.
    void manage() {
        mailbox_->set_receiver(sg::Actor::self());
        while (results_ < work_.tasks) handle(*std::unique_ptr<Message>(mailbox_->get<Message>()));
    }

    // The manager's tasks leave one after the other, as they do over a link.
    void issue() {
        while (next_task_ < work_.tasks) {
            work_here_->acquire();
            ++messages_;
            const std::uint32_t child = tokens_.front();
            tokens_.pop_front();
            nodes_[child]->mailbox_->put(new Message{Kind::Task, next_task_++, 0, number_}, work_.task_bytes);
        }
    }

    void serve() {
        mailbox_->set_receiver(sg::Actor::self());
        send(parent(), {Kind::Token, 0, 1 + buffers, number_}, token_bytes);
        while (true) handle(*std::unique_ptr<Message>(mailbox_->get<Message>()));
    }

    void compute() {
        while (true) {
            work_here_->acquire();
            while (computing_) {
                sg::this_actor::execute(work_.task_s);  // hosts compute 1 flop/s
                const std::uint32_t done = task_;
                computing_ = !buffer_.empty();
                if (computing_) {
                    task_ = buffer_.front();
                    buffer_.pop_front();
                }
                send_up(done, 1);
            }
        }
    }

private:
    void send(std::uint32_t to, const Message& message, std::uint64_t bytes) {
        ++messages_;
        nodes_[to]->mailbox_->put_init(new Message(message), bytes)->detach();
    }

    void send_up(std::uint32_t task, std::uint32_t tokens) {
        send(parent(), {Kind::Result, task, tokens, number_}, work_.result_bytes);
    }

    void handle(const Message& message) {
        switch (message.kind) {
            case Kind::Task:
                buffer_.push_back(message.task);
                place();
                break;
            case Kind::Result:
                take_tokens(message);
                if (is_manager()) {
                    ++results_;
                } else {
                    send_up(message.task, message.tokens);
                }
                break;
            case Kind::Token:
                take_tokens(message);
                if (!is_manager()) send(parent(), {Kind::Token, 0, message.tokens, number_}, token_bytes);
                break;
        }
    }

    void take_tokens(const Message& message) {
        tokens_.insert(tokens_.end(), message.tokens, message.from);
        if (is_manager()) {
            for (std::uint32_t i = 0; i < message.tokens; ++i) work_here_->release();
        } else {
            place();
        }
    }

    // A place here first; the rest goes to the child whose token is oldest.
    void place() {
        if (!computing_ && !buffer_.empty()) {
            computing_ = true;
            task_ = buffer_.front();
            buffer_.pop_front();
            work_here_->release();
        }
        while (buffer_.size() > buffers && !tokens_.empty()) {
            const std::uint32_t task = buffer_.back();
            buffer_.pop_back();
            send_down(task);
        }
    }

    void send_down(std::uint32_t task) {
        const std::uint32_t child = tokens_.front();
        tokens_.pop_front();
        send(child, {Kind::Task, task, 0, number_}, work_.task_bytes);
    }

    const Workload& work_;
    const std::uint32_t number_;
    std::vector<std::unique_ptr<Node>>& nodes_;
    double& messages_;
    sg::Mailbox* const mailbox_;
    const sg::SemaphorePtr work_here_ = sg::Semaphore::create(0);
    std::deque<std::uint32_t> buffer_, tokens_;  // tokens: their children, oldest first
    bool computing_ = false;
    std::uint32_t task_ = 0, next_task_ = 0, results_ = 0;
};

void configure(sg::Engine&) {
    sg::Engine::set_config("network/model:CM02");
    sg::Engine::set_config("network/crosstraffic:0");
    sg::Engine::set_config("contexts/factory:raw");
    sg::Engine::set_config("contexts/stack-size:16");
    sg::Engine::set_config("contexts/guard-size:0");
    sg::Engine::set_config("contexts/nthreads:1");
}

std::vector<sg::Host*> make_platform(const Workload& work) {
    sg::NetZone* zone = sg::create_full_zone("tree");
    std::vector<sg::Host*> hosts;
    for (std::uint32_t i = 0; i < work.nodes; ++i)
        hosts.push_back(zone->create_host(std::string("n").append(std::to_string(i)), 1.0)->seal());
    for (std::uint32_t i = 1; i < work.nodes; ++i) {
        const auto* link = zone->create_split_duplex_link(std::string("l").append(std::to_string(i)), bytes_per_second)
                               ->set_latency(latency_s)
                               ->seal();
        zone->add_route(hosts[i]->get_netpoint(), hosts[i / 2]->get_netpoint(), nullptr, nullptr,
                        {{link, sg::LinkInRoute::Direction::UP}}, true);
    }
    zone->seal();
    return hosts;
}

Figures measure(const Workload& work) {
    const auto begin = bench::Clock::now();
    int argc = 2;
    char program[] = "simgrid_farm", quiet[] = "--log=root.thres:critical";
    char* argv[] = {program, quiet, nullptr};
    sg::Engine engine(&argc, argv);
    configure(engine);
    const std::vector<sg::Host*> hosts = make_platform(work);
    double messages = 0;
    std::vector<std::unique_ptr<Node>> nodes;
    for (std::uint32_t i = 0; i < work.nodes; ++i) nodes.push_back(std::make_unique<Node>(work, i, nodes, messages));
    sg::Actor::create("manager", hosts[0], [&] { nodes[0]->manage(); });
    sg::Actor::create("issue", hosts[0], [&] { nodes[0]->issue(); });
    for (std::uint32_t i = 1; i < work.nodes; ++i) {
        sg::Actor::create("serve", hosts[i], [node = nodes[i].get()] { node->serve(); })->daemonize();
        sg::Actor::create("compute", hosts[i], [node = nodes[i].get()] { node->compute(); })->daemonize();
    }
    Figures result;
    result.start = bench::since(begin);
    const auto run = bench::Clock::now();
    const double cpu_before = bench::cpu_seconds();
    engine.run();
    result.wall = bench::since(run);
    result.cpu = bench::cpu_seconds() - cpu_before;
    result.modelled = sg::Engine::get_clock();
    result.messages = messages;
    result.megabytes = bench::resident_megabytes();
    result.results = nodes[0]->results();
    std::fflush(stdout);
    return result;
}

}  // namespace

int main(int argc, char** argv) {
    const bench::Options options(argc, argv);
    static const Workload workloads[] = {
        {"f1", 75, 20'000, 1.0, 1000, 100}, {"f2", 1024, 20'000, 1.0, 1000, 100}, {"large", 1024, 100'000, 1.0, 1000, 100}};
    for (const Workload& work : workloads) {
        if (!options.wants(work.name)) continue;
        Figures best;
        for (int i = 0; i < options.repeat; ++i) {
            const Figures next = bench::in_child(work.name, [&] { return measure(work); });
            if (next.results != work.tasks) std::printf("%s did not finish\n", work.name);
            if (i == 0 || next.wall < best.wall) best = next;
        }
        std::printf(
            "simgrid_%s %.3f us/task %.3f us-cpu/task %.3f s-wall %.3f M-messages/s %.1f messages/task %.1f MB %.3f s-modelled "
            "%.1f ms-to-start\n",
            work.name, best.wall / work.tasks * 1e6, best.cpu / work.tasks * 1e6, best.wall, best.messages / best.wall * 1e-6,
            best.messages / work.tasks, best.megabytes, best.modelled, best.start * 1e3);
        std::fflush(stdout);
    }
    return 0;
}
