// NodeSeat: the place where a process of a program runs, a node of the modelled machine.
#pragma once

#include <utility>

#include <flowback_unload/log_unloading.hpp>
#include <node_programs/programs.hpp>
#include <trollius_os/services.hpp>
#include <user_programs/environment.hpp>

namespace node_programs {

class NodeSeat final : public user_programs::Environment {
public:
    NodeSeat(trollius_os::Api& api, Report& report) : api_(api), report_(report) {}

    trollius_os::Api& api() { return api_; }
    Report& report() { return report_; }

    vocabulary::NodeId node() const override { return api_.node(); }
    void charge(vocabulary::Cycles cycles) override { api_.port().compute(cycles).get(); }
    void charge_log(vocabulary::Cycles cycles) override {
        api_.port().charge_for(flowback_unload::accounts::log, cycles);
        api_.port().compute({}).get();
    }
    void send_log(std::uint32_t number, std::span<std::byte> block) override {
        flowback_unload::send_block(api_, api_.pid().value(), number, block);
    }
    vocabulary::Cycles cycles_of(vocabulary::SimTime time) const override { return api_.port().cycles(time); }
    std::uint64_t clock_us() const override { return api_.port().clock_us(trollius_os::Priority::Low); }
    bool take_memory(std::uint64_t bytes) override { return api_.port().take_memory(bytes); }
    void give_back_memory(std::uint64_t bytes) override { api_.port().give_back_memory(bytes); }
    void print(const std::string& text) override { trollius_os::print(api_, api_.kernel().host(), text); }
    std::size_t read(std::span<std::byte> room) override { return trollius_os::read_input(api_, api_.kernel().host(), room); }
    void diagnose(user_programs::Diagnosis diagnosis) override {
        if (report_.tell) report_.tell(diagnosis);
        report_.diagnoses.add(std::move(diagnosis));
    }
    // A T800 has no protection of memory: a wild pointer is the end of the node.
    [[noreturn]] void fault() override {
        api_.port().crash();
        while (true) api_.wait();
    }

private:
    trollius_os::Api& api_;
    Report& report_;
};

}  // namespace node_programs
