// Commstime: prefix, delta, successor and consumer pass a number round over soft channels, delta's two outputs in parallel.
// Each process is host-compiled. It pays the cycles of the T800's instructions that an occam compiler makes of it: 48
// instructions and 11 prefixes a loop. The table's cycles of a descheduling instruction include starting the next process. That
// part is left to the modelled processor, which charges processor.start_process for it.
#include <array>
#include <memory>
#include <string>

#include "group.hpp"
#include "micro_machine.hpp"

namespace validation {
namespace {

using hw_model::Fiber;
using hw_model::Priority;
using topologies::Provenance;
using vocabulary::Cycles;
using vocabulary::SimTime;

// Cycles of the T800's instruction table, on-chip code and data.
constexpr std::int64_t prefix = 1, ldlp = 1, ldc = 1, ldl = 2, stl = 1, adc = 1, ajw = 1, ldpi = 2, j = 3, lend = 10,
                       startp = 12, in_waits = 20, in_one_word = 21, outword = 23, endp = 13;

struct Counts {
    std::int64_t in_waited = 0, out_found_partner = 0;
};

// A soft channel of words: the first to come waits, the second copies and makes the other ready.
class Channel {
public:
    Channel(hw_model::Processor& processor, Counts& counts) : processor_(processor), counts_(counts) {}

    std::int32_t in(Fiber& me) {
        me.use(Cycles(2 * ldlp + ldc));  // address, channel, length
        if (waiting_ == nullptr) {
            ++counts_.in_waited;
            return wait(me, 0);
        }
        me.use(Cycles(in_one_word));
        const std::int32_t word = waiting_->word;
        wake();
        return word;
    }
    void out(Fiber& me, std::int32_t word) {
        me.use(Cycles(ldl + ldlp));  // word, channel
        if (waiting_ == nullptr) {
            wait(me, word);
            return;
        }
        ++counts_.out_found_partner;
        me.use(Cycles(outword));
        waiting_->word = word;
        wake();
    }

private:
    struct Waiting {
        Fiber& process;
        std::int32_t word;  // to send, or received
        bool done = false;
    };

    std::int32_t wait(Fiber& me, std::int32_t word) {
        me.use(Cycles(in_waits - start_next));
        Waiting own{me, word};
        waiting_ = &own;
        while (!own.done) me.wait();
        return own.word;
    }
    void wake() {
        Waiting& partner = *waiting_;
        waiting_ = nullptr;
        partner.done = true;
        processor_.make_ready(partner.process);
    }

    hw_model::Processor& processor_;
    Counts& counts_;
    Waiting* waiting_ = nullptr;
};

class Commstime {
public:
    explicit Commstime(const topologies::CostTable& costs)
        : box_(pairs_of_nodes(20'000'000, std::array<std::size_t, 1>{0}), costs), processor_(box_.node(0).processor) {}

    // Gives microseconds a loop, process starts a loop, and a context switch with its communication.
    std::vector<double> run() {
        // The processes that only input come first. So every output finds its partner waiting, as in the trace of the real
        // program.
        delta_[0] = &start([this](Fiber& me) { delta_process(me, 0); });
        delta_[1] = &start([this](Fiber& me) { delta_process(me, 1); });
        start([this](Fiber& me) { successor_process(me); });
        start([this](Fiber& me) { consumer_process(me); });
        start([this](Fiber& me) { prefix_process(me); });
        box_.run_until(SimTime::ms(50));
        const double loop = (ended_ - began_).in_seconds() * 1e6 / loops;
        const double starts = static_cast<double>(dispatched_) / loops;
        // The structure the figures rest on: every input waits, every output finds its partner, and the numbers are right.
        const bool as_published = measured_.in_waited == 4 * loops && measured_.out_found_partner == 4 * loops && in_order_;
        if (!as_published) return {};
        return {loop, starts, loop / starts};
    }

private:
    static constexpr int warm_up = 10, loops = 500;

    Fiber& start(std::function<void(Fiber&)> code) { return box_.start(0, Priority::Low, std::move(code)); }

    void prefix_process(Fiber& me) {
        std::int32_t number = 0;
        while (true) {
            from_prefix_.out(me, number);
            me.use(Cycles(prefix + j));
            number = from_successor_.in(me);
        }
    }

    // Both fibers are this one occam process. The last to end the PAR goes on with the loop, the other waits to be started.
    void delta_process(Fiber& me, std::size_t which) {
        bool goes_on = which == 0;
        while (true) {
            if (goes_on) {
                number_ = from_prefix_.in(me);
                me.use(Cycles(2 * ldc + 2 * stl + ldpi + ldc + ldlp + ajw + 7 * prefix + startp));
                branches_ = 2;
                processor_.make_ready(*delta_[1 - which]);
                to_successor_.out(me, number_);
            } else {
                me.wait();
                to_consumer_.out(me, number_);
            }
            goes_on = ends_par(me);
            if (goes_on) me.use(Cycles(j));
        }
    }
    bool ends_par(Fiber& me) {
        me.use(Cycles(ldlp));
        const bool last = branches_ == 1;
        me.use(Cycles(last ? endp : endp - start_next));
        --branches_;
        return last;
    }

    void successor_process(Fiber& me) {
        while (true) {
            const std::int32_t number = to_successor_.in(me);
            me.use(Cycles(adc));
            from_successor_.out(me, number + 1);
            me.use(Cycles(prefix + j));
        }
    }

    void consumer_process(Fiber& me) {
        std::uint64_t dispatches = 0;
        for (int i = 0; i < warm_up + loops; ++i) {
            if (i == warm_up) {
                began_ = box_.now();
                dispatches = processor_.totals().dispatches;
                counts_ = {};
            }
            in_order_ = in_order_ && to_consumer_.in(me) == i;
            me.use(Cycles(ldlp + ldc + 2 * prefix + lend));
        }
        ended_ = box_.now();
        dispatched_ = processor_.totals().dispatches - dispatches;
        measured_ = counts_;
        while (true) me.wait();
    }

    Counts counts_, measured_;
    MicroMachine box_;
    hw_model::Processor& processor_;
    Channel from_prefix_{processor_, counts_}, to_successor_{processor_, counts_}, to_consumer_{processor_, counts_},
        from_successor_{processor_, counts_};
    std::array<Fiber*, 2> delta_{};
    std::int32_t number_ = 0;
    int branches_ = 0;
    bool in_order_ = true;
    SimTime began_, ended_;
    std::uint64_t dispatched_ = 0;
};

}  // namespace

void add_commstime_groups(std::vector<Group>& groups) {
    groups.push_back({.name = "commstime",
                      .figures = {{.name = "commstime.loop",
                                   .what = "commstime, one loop",
                                   .unit = "us",
                                   .least = 15.049,
                                   .most = 15.049,
                                   .tolerance_percent = 2,
                                   .reason = "process starts are charged whole cycles: 5 a loop, one cycle each is 1.7 %",
                                   .provenance = Provenance::Seen,
                                   .source = "measured on a T800-20, four processes, PAR delta, all on chip",
                                   .proof = Proof::Fitted},
                                  {.name = "commstime.starts",
                                   .what = "commstime, process starts a loop",
                                   .unit = "starts",
                                   .least = 5,
                                   .most = 5,
                                   .tolerance_percent = 0,
                                   .reason = "a count",
                                   .provenance = Provenance::Derived,
                                   .source = "instruction trace of the program on an emulator",
                                   .proof = Proof::Rule},
                                  {.name = "commstime.switch",
                                   .what = "context switch with its communication",
                                   .unit = "us",
                                   .least = 3.01,
                                   .most = 3.01,
                                   .tolerance_percent = 2,
                                   .reason = "as for commstime.loop",
                                   .provenance = Provenance::Derived,
                                   .source = "the measured loop, divided by its 5 process starts",
                                   .proof = Proof::Fitted}},
                      .measure = [](const topologies::CostTable& costs) { return Commstime(costs).run(); }});
}

}  // namespace validation
