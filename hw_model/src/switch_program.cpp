#include <hw_model/switch_program.hpp>

#include <algorithm>
#include <array>

#include <hw_model/machine.hpp>
#include <vocabulary/contract.hpp>

namespace hw_model {
namespace {

using vocabulary::WayNo;
constexpr int low = -1;
using Inputs = std::array<int, LinkSwitch::way_count>;  // by output

Inputs inputs_of(const Connections& connections) {
    Inputs inputs;
    inputs.fill(low);
    for (const auto& [a, b] : connections) {
        inputs[a.value()] = b.value();
        inputs[b.value()] = a.value();
    }
    return inputs;
}

void add(std::vector<std::uint8_t>& bytes, SwitchCommand command, std::initializer_list<WayNo> ways) {
    bytes.push_back(static_cast<std::uint8_t>(command));
    for (const WayNo way : ways) bytes.push_back(way.value());
}

bool has(const Connections& connections, std::pair<WayNo, WayNo> one) {
    return std::any_of(connections.begin(), connections.end(),
                       [&](const auto& c) { return c == one || c == std::pair(one.second, one.first); });
}

}  // namespace

std::vector<std::uint8_t> set_up_messages(const Connections& wanted) {
    std::vector<std::uint8_t> bytes;
    add(bytes, SwitchCommand::Reset, {});
    for (const auto& [a, b] : wanted) add(bytes, SwitchCommand::ConnectLinks, {a, b});
    add(bytes, SwitchCommand::EndOfSetUp, {});
    return bytes;
}

std::vector<std::uint8_t> change_messages(const Connections& is, const Connections& wanted) {
    std::vector<std::uint8_t> bytes;
    for (const auto& one : is) {
        if (!has(wanted, one)) add(bytes, SwitchCommand::DisconnectLinks, {one.first, one.second});
    }
    bool connects = false;
    for (const auto& one : wanted) {
        if (has(is, one)) continue;
        add(bytes, SwitchCommand::ConnectLinks, {one.first, one.second});
        connects = true;
    }
    if (connects) add(bytes, SwitchCommand::EndOfSetUp, {});
    return bytes;
}

std::vector<std::uint8_t> enquiries() {
    std::vector<std::uint8_t> bytes;
    for (std::size_t output = 0; output < LinkSwitch::way_count; ++output)
        add(bytes, SwitchCommand::Enquire, {WayNo(static_cast<WayNo::value_type>(output))});
    return bytes;
}

std::vector<std::string> differences(const std::string& name, LinkSwitch::Revision revision, const Connections& wanted,
                                     std::span<const std::uint8_t> replies) {
    std::vector<std::string> found;
    const Inputs inputs = inputs_of(wanted);
    for (std::size_t output = 0; output < std::min(replies.size(), inputs.size()); ++output) {
        const int wanted_input = inputs[output];
        // Revision A does not say whether an output is connected, so an output that should be low cannot be checked.
        const bool connected = revision == LinkSwitch::Revision::A ? wanted_input != low : (replies[output] & 0x80) != 0;
        const int is = connected ? replies[output] & 0x1f : low;
        if (is == wanted_input) continue;
        const std::string end = name + " output " + std::to_string(output);
        if (is == low) {
            found.push_back(end + " is low, not connected to input " + std::to_string(wanted_input));
        } else {
            found.push_back(end + " is connected to input " + std::to_string(is) +
                            (wanted_input == low ? ", and should be low" : ", not " + std::to_string(wanted_input)));
        }
    }
    if (replies.size() < inputs.size())
        found.push_back(name + " answered " + std::to_string(replies.size()) + " of " + std::to_string(inputs.size()) +
                        " enquiries");
    return found;
}

void SwitchProgram::begin(Done done) {
    EXPECTS(!busy(), "switch_program.busy");
    done_ = std::move(done);
    result_ = {};
    result_.began = machine_.timeline().now();
    outstanding_ = 1;  // until all requests are on their way
}

void SwitchProgram::set_up(const std::vector<SwitchSetting>& settings, Done done) {
    begin(std::move(done));
    for (const SwitchSetting& setting : settings) program(setting, set_up_messages(setting.connections));
    answered();
}

void SwitchProgram::change(const std::vector<SwitchSetting>& from, const std::vector<SwitchSetting>& to, Done done) {
    EXPECTS(from.size() == to.size(), "switch_program.change.pairs");
    begin(std::move(done));
    for (std::size_t i = 0; i < to.size(); ++i) {
        std::vector<std::uint8_t> messages = change_messages(from[i].connections, to[i].connections);
        if (!messages.empty()) program(to[i], std::move(messages));
    }
    answered();
}

void SwitchProgram::program(const SwitchSetting& setting, std::vector<std::uint8_t> messages) {
    std::vector<std::uint8_t> questions = enquiries();
    result_.bytes += messages.size() + questions.size();
    outstanding_ += 2;
    machine_.configure(setting.which, std::move(messages), 0, [this](std::span<const std::uint8_t>) { answered(); });
    machine_.configure(
        setting.which, std::move(questions), LinkSwitch::way_count, [this, setting](std::span<const std::uint8_t> replies) {
            const LinkSwitch& which = machine_.link_switch(setting.which);
            for (std::string& difference : differences(which.basename(), which.revision(), setting.connections, replies))
                result_.differences.push_back(std::move(difference));
            answered();
        });
}

void SwitchProgram::answered() {
    if (--outstanding_ > 0) return;
    result_.ended = machine_.timeline().now();
    const Done done = std::move(done_);  // it may begin the next job
    const ProgrammedSwitches result = std::move(result_);
    done(result);
}

}  // namespace hw_model
