// Two byte streams with a relay in each direction. A user at each end carries out a list of acts, one after the other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include <hw_model/link_stream.hpp>

#include "hw_bench.hpp"
#include "relay_pair.hpp"

namespace hw_test {

// One direction of one end: transfers of given lengths, each after a pause. Outputs carry a running number as their bytes.
class StreamSide final : public hw_model::StreamUser, public hw_model::Timeline::Handler {
public:
    struct Act {
        SimTime pause;
        std::uint32_t count;
    };

    StreamSide(hw_model::LinkStream& stream, hw_model::Timeline& timeline, std::uint32_t order)
        : stream_(stream), timeline_(timeline), order_(order) {
        stream_.serve(*this);
    }
    void begin(std::vector<Act> outputs, std::vector<Act> inputs) {
        outputs_ = std::move(outputs);
        inputs_ = std::move(inputs);
        next(true);
        next(false);
    }

    std::vector<SimTime> output_ends, input_ends;
    std::vector<std::uint8_t> got;
    std::vector<SimTime> told;  // byte_waits()

private:
    void next(bool output) {
        const auto& acts = output ? outputs_ : inputs_;
        const std::size_t done = output ? output_ends.size() : input_ends.size();
        if (done < acts.size()) timeline_.post(timeline_.now() + acts[done].pause, order_, *this, output ? 1 : 0);
    }
    void fire(std::uint32_t output) override {
        if (output != 0)
            stream_.output(outputs_[output_ends.size()].count, hw_model::Memory::External);
        else
            stream_.input(inputs_[input_ends.size()].count, hw_model::Memory::External);
    }
    void take_output(std::span<std::byte> into) override {
        for (std::byte& byte : into) byte = static_cast<std::byte>(number_++);
    }
    void give_input(std::span<const std::byte> bytes) override {
        for (const std::byte byte : bytes) got.push_back(std::to_integer<std::uint8_t>(byte));
    }
    void output_done() override {
        output_ends.push_back(timeline_.now());
        next(true);
    }
    void input_done() override {
        input_ends.push_back(timeline_.now());
        next(false);
    }
    void byte_waits() override { told.push_back(timeline_.now()); }

    hw_model::LinkStream& stream_;
    hw_model::Timeline& timeline_;
    std::uint32_t order_;
    std::uint8_t number_ = 0;
    std::vector<Act> outputs_, inputs_;
};

// Two ends that take bytes, `passes` C004 between them.
class StreamPair {
public:
    explicit StreamPair(hw_model::LinkLevel level, std::int64_t bits_per_second = 20'000'000, std::uint32_t passes = 0)
        : timing(hw_model::link_timing(costs(), bits_per_second)),
          script(timeline),
          processor_timing_(hw_model::processor_timing(costs())) {
        timing.level = level;
        for (std::size_t i = 0; i < 2; ++i) {
            const std::string number = std::to_string(i);
            const auto node = static_cast<NodeId::value_type>(i);
            processors_[i] = std::make_unique<hw_model::Processor>(("processor" + number).c_str(), NodeId(node), 20'000'000,
                                                                   processor_timing_, timeline);
            links[i] = std::make_unique<hw_model::LinkEnd>(("link" + number).c_str(), static_cast<std::uint32_t>(i), timing,
                                                           SimTime(), timeline, *processors_[i], hw_model::LinkUse::Bytes);
            relays[i] = std::make_unique<Relay>(("relay" + number).c_str());
            relays[i]->passes = passes;
            relays[i]->delay = timing.pass * passes;
        }
        for (std::size_t i = 0; i < 2; ++i) {
            links[i]->out.bind(relays[i]->in);
            relays[i]->out.bind(links[1 - i]->in);
        }
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
        for (std::size_t i = 0; i < 2; ++i)
            sides[i] = std::make_unique<StreamSide>(*links[i]->stream(), timeline, static_cast<std::uint32_t>(i));
    }
    hw_model::LinkStream& stream(std::size_t which) { return *links[which]->stream(); }
    void run() {
        while (timeline.run_next_instant()) {
        }
    }

    hw_model::Timeline timeline;
    hw_model::LinkTiming timing;
    Script script;
    std::array<std::unique_ptr<hw_model::LinkEnd>, 2> links;
    std::array<std::unique_ptr<Relay>, 2> relays;
    std::array<std::unique_ptr<StreamSide>, 2> sides;

private:
    hw_model::ProcessorTiming processor_timing_;
    std::array<std::unique_ptr<hw_model::Processor>, 2> processors_;
};

}  // namespace hw_test
