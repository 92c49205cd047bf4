// SwitchProgram: the host's work to set crossbars, all in modelled time. It sends configuration messages down the control
// connections. Then it sends an enquiry about every output of each switch it has set, and compares the replies with the wanted
// state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <hw_model/link_switch.hpp>
#include <topologies/switch_setting.hpp>
#include <vocabulary/ids.hpp>

namespace hw_model {

class Machine;

using topologies::Connections, topologies::SwitchSetting;

// Configuration messages that lead from reset to `wanted`.
std::vector<std::uint8_t> set_up_messages(const Connections& wanted);
// Messages that lead from `is` to `wanted`, for their differences only: disconnections first, then connections.
std::vector<std::uint8_t> change_messages(const Connections& is, const Connections& wanted);
std::vector<std::uint8_t> enquiries();  // one enquiry per output
// Differences between the replies to enquiries() and `wanted`, one sentence each ("x3 output 7 is connected to input 4, not
// 9"). A missing reply is a difference too.
std::vector<std::string> differences(const std::string& name, LinkSwitch::Revision revision, const Connections& wanted,
                                     std::span<const std::uint8_t> replies);

struct ProgrammedSwitches {
    std::vector<std::string> differences;
    std::uint64_t bytes = 0;  // bytes of configuration messages and enquiries
    SimTime began, ended;
};

class SwitchProgram {
public:
    using Done = std::function<void(const ProgrammedSwitches&)>;

    explicit SwitchProgram(Machine& machine) : machine_(machine) {}
    SwitchProgram(const SwitchProgram&) = delete;
    SwitchProgram& operator=(const SwitchProgram&) = delete;

    // Resets the switches and sets them. The object must outlive the call of `done`; one job at a time.
    void set_up(const std::vector<SwitchSetting>& settings, Done done);
    // Changes switches from `from` to `to`, pairwise by index; a switch without a difference is left alone.
    void change(const std::vector<SwitchSetting>& from, const std::vector<SwitchSetting>& to, Done done);
    bool busy() const { return outstanding_ > 0; }

private:
    void begin(Done done);
    void program(const SwitchSetting& setting, std::vector<std::uint8_t> messages);
    void answered();

    Machine& machine_;
    std::size_t outstanding_ = 0;
    ProgrammedSwitches result_;
    Done done_;
};

}  // namespace hw_model
