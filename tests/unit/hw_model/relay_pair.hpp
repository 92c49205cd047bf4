// Two link ends with a relay in each direction, without a Machine. A relay delays packets, and can be broken and joined as by a
// switch. It can be given a say over each data packet and each acknowledge.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>

#include "hw_bench.hpp"
#include "sent_message.hpp"

namespace hw_test {

class Relay final : public sc_core::sc_module, private hw_model::LinkForward, private hw_model::LinkBackward {
public:
    hw_model::LinkIn in;
    hw_model::LinkOut out;
    SimTime delay;             // of each packet, each way
    std::uint32_t passes = 0;  // the same at message level: C004 counted
    bool connected = true;
    std::function<bool(hw_model::LinkMessage&)> on_data, on_acknowledge;  // false: it is dropped
    std::vector<tlm::tlm_phase> seen;

    explicit Relay(sc_core::sc_module_name name) : sc_module(name), in("in"), out("out") {
        in.bind(static_cast<hw_model::LinkForward&>(*this));
        out.bind(static_cast<hw_model::LinkBackward&>(*this));
    }
    void break_path() {
        tell(hw_model::link_broken);
        connected = false;
    }
    void join_path() {
        connected = true;
        tell(hw_model::link_joined);
    }

private:
    void tell(const tlm::tlm_phase& what) {
        hw_model::LinkMessage nobody;
        tlm::tlm_phase phase = what;
        sc_core::sc_time no_delay = sc_core::SC_ZERO_TIME;
        in->nb_transport_bw(nobody, phase, no_delay);
    }
    void pass(sc_core::sc_time& until) const {
        until += sc_core::sc_time::from_value(static_cast<sc_dt::uint64>(delay.in_ps()));
    }
    tlm::tlm_sync_enum nb_transport_fw(hw_model::LinkMessage& message, tlm::tlm_phase& phase,
                                       sc_core::sc_time& until) override {
        seen.push_back(phase);
        if (!connected) return tlm::TLM_COMPLETED;
        if (phase == hw_model::link_data && on_data && !on_data(message)) return tlm::TLM_COMPLETED;
        if (phase == tlm::BEGIN_REQ) message.switches += passes;
        pass(until);
        return out->nb_transport_fw(message, phase, until);
    }
    tlm::tlm_sync_enum nb_transport_bw(hw_model::LinkMessage& message, tlm::tlm_phase& phase,
                                       sc_core::sc_time& until) override {
        if (!connected) return tlm::TLM_COMPLETED;
        if (phase == hw_model::link_acknowledge && on_acknowledge && !on_acknowledge(message)) return tlm::TLM_COMPLETED;
        pass(until);
        return in->nb_transport_bw(message, phase, until);
    }
    void b_transport(hw_model::LinkMessage&, sc_core::sc_time&) override {}
    bool get_direct_mem_ptr(hw_model::LinkMessage&, tlm::tlm_dmi&) override { return false; }
    unsigned transport_dbg(hw_model::LinkMessage&) override { return 0; }
    void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

class RelayPair {
public:
    explicit RelayPair(hw_model::LinkLevel level, std::int64_t bits_per_second = 20'000'000,
                       const topologies::CostTable& prices = costs(), std::uint32_t passes = 0)
        : timing(hw_model::link_timing(prices, bits_per_second)),
          script(timeline),
          processor_timing(hw_model::processor_timing(prices)) {
        timing.level = level;
        for (std::size_t i = 0; i < 2; ++i) {
            const std::string number = std::to_string(i);
            arenas.push_back(std::make_unique<hw_model::Arena>(NodeId(static_cast<NodeId::value_type>(i)), 1 << 20));
            processors[i] = std::make_unique<hw_model::Processor>(("processor" + number).c_str(),
                                                                  NodeId(static_cast<NodeId::value_type>(i)), 20'000'000,
                                                                  processor_timing, timeline);
            links[i] = std::make_unique<hw_model::LinkEnd>(("link" + number).c_str(), static_cast<std::uint32_t>(i), timing,
                                                           SimTime(), timeline, *processors[i]);
            relays[i] = std::make_unique<Relay>(("relay" + number).c_str());
            relays[i]->passes = passes;
            relays[i]->delay =
                SimTime::ps(static_cast<std::int64_t>(1.75 * 1e12 / static_cast<double>(bits_per_second))) * passes;
        }
        for (std::size_t i = 0; i < 2; ++i) {
            links[i]->out.bind(relays[i]->in);
            relays[i]->out.bind(links[1 - i]->in);
        }
        sc_core::sc_start(sc_core::SC_ZERO_TIME);
    }
    Side side(std::size_t which) { return {*links[which], *processors[which]}; }
    SentMessage& prepare(std::size_t from, std::uint32_t bytes, hw_model::Channel channel = hw_model::Channel::Datalink) {
        return messages_.emplace_back(timeline, side(from), side(1 - from), bytes, channel);
    }
    SentMessage& send_at(SimTime when, std::size_t from, std::uint32_t bytes,
                         hw_model::Channel channel = hw_model::Channel::Datalink) {
        SentMessage& message = prepare(from, bytes, channel);
        script.at(when, [&message] {
            message.receive();
            message.send();
        });
        return message;
    }
    Relay& path(std::size_t from) { return *relays[from]; }
    void break_link() {  // both directions, as a switch does it
        relays[0]->break_path();
        relays[1]->break_path();
    }
    void join_link() {
        relays[0]->join_path();
        relays[1]->join_path();
    }
    void run() {
        while (timeline.run_next_instant()) {
        }
    }

    hw_model::Timeline timeline;
    hw_model::LinkTiming timing;
    Script script;
    hw_model::ProcessorTiming processor_timing;
    std::vector<std::unique_ptr<hw_model::Arena>> arenas;
    std::array<std::unique_ptr<hw_model::Processor>, 2> processors;
    std::array<std::unique_ptr<hw_model::LinkEnd>, 2> links;
    std::array<std::unique_ptr<Relay>, 2> relays;

private:
    std::deque<SentMessage> messages_;
};

}  // namespace hw_test
