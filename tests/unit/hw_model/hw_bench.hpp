// The tests of the hardware share the price list, timed pieces of code, a processor without a node, and a receiver that notes
// its wakes. One Machine a test case, because SystemC elaborates once.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <hw_model/fiber.hpp>
#include <hw_model/machine.hpp>
#include <topologies/cost_table.hpp>
#include <topologies/generators.hpp>

namespace hw_test {

using hw_model::Priority;
using vocabulary::Cycles;
using vocabulary::LinkNo;
using vocabulary::NodeId;
using vocabulary::SimTime;

inline topologies::CostTable costs() {
    return topologies::CostTable::read(MAGICWIRE_SOURCE_DIR "/topologies/costs/t800.yaml");
}

// Runs functions at given times.
class Script final : public hw_model::Timeline::Handler {
public:
    explicit Script(hw_model::Timeline& timeline) : timeline_(timeline) {}
    void at(SimTime when, std::function<void()> what) {
        steps_.push_back(std::move(what));
        timeline_.post(when, 0, *this, static_cast<std::uint32_t>(steps_.size() - 1));
    }
    void fire(std::uint32_t what) override { steps_[what](); }

private:
    hw_model::Timeline& timeline_;
    std::deque<std::function<void()>> steps_;
};

// A high-priority activity that only waits and notes when it was woken.
class Witness final : public hw_model::Activity {
public:
    explicit Witness(hw_model::Timeline& timeline) : Activity(Priority::High), timeline_(timeline) {}
    std::vector<SimTime> woken;  // the first one is the start

protected:
    hw_model::Demand resume() override {
        woken.push_back(timeline_.now());
        return {hw_model::Demand::Kind::Wait, false, {}, {}};
    }

private:
    hw_model::Timeline& timeline_;
};

// A processor of 20 MHz with memory and nothing around it; its timeline is run by hand.
class LoneProcessor {
public:
    explicit LoneProcessor(const topologies::CostTable& table = costs())
        : arena(NodeId(0), 1 << 20),
          timing(hw_model::processor_timing(table)),
          processor("processor", NodeId(0), 20'000'000, timing, timeline),
          script(timeline) {}

    hw_model::Fiber& start(Priority priority, std::function<void()> code) {
        fibers_.push_back(std::make_unique<hw_model::Fiber>(priority, arena, std::move(code)));
        processor.start(*fibers_.back());
        return *fibers_.back();
    }
    void use(std::int64_t cycles, bool loop = false,
             hw_model::LongInstruction long_instruction = hw_model::LongInstruction::No) {
        static_cast<hw_model::Fiber&>(self()).use(Cycles(cycles), loop, long_instruction);
    }
    void wait() { static_cast<hw_model::Fiber&>(self()).wait(); }
    void yield() { static_cast<hw_model::Fiber&>(self()).yield(); }
    hw_model::Activity& self() { return const_cast<hw_model::Activity&>(*processor.running()); }
    void note(const std::string& what) { log.emplace_back(what, timeline.now()); }
    void run() {
        while (timeline.run_next_instant()) {
        }
    }
    void run_until(SimTime end) {
        while (timeline.next_time() <= end) timeline.run_next_instant();
    }
    SimTime cycles(std::int64_t count) const { return SimTime::ns(50 * count); }

    hw_model::Timeline timeline;
    hw_model::Arena arena;
    hw_model::ProcessorTiming timing;
    hw_model::Processor processor;
    Script script;
    std::vector<std::pair<std::string, SimTime>> log;

private:
    std::deque<std::unique_ptr<hw_model::Fiber>> fibers_;
};

inline void run_machine(SimTime duration) {
    sc_core::sc_start(sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(duration.in_ps())));
}

}  // namespace hw_test
