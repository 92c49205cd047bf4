// monctrl: the host's commands to the monitors (thesis, section 6.1: monctrl -b, -q), as messages over the kernel's network.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <instrumentation/message_seal.hpp>
#include <trace_record/event_class.hpp>
#include <trollius_os/services/request.hpp>

namespace instrumentation {

// Quit gets no answer. While Tmon-de is stopped, processes wait at their next event (thesis, section 5.3.3). Tmon's go on.
enum class Control : std::int32_t { Begin = 1, Quit = 2, Classes = 3, Stop = 4 };

struct ControlCommand {
    Control what = Control::Begin;
    trollius_os::services::Caller caller{};
    std::int32_t classes = 0;  // bits of a ClassSet; for Classes only, as is `on`
    std::int32_t on = 0;       // 0: off
    constexpr bool sound() const { return what >= Control::Begin && what <= Control::Stop; }
};
static_assert(Sealable<ControlCommand> && sizeof(ControlCommand) == 20);

struct ControlAnswer {
    trollius_os::services::NodeWord node{};  // the node that has obeyed
};
static_assert(Sealable<ControlAnswer> && sizeof(ControlAnswer) == 4);

// Empty for a broken seal or an unknown command.
std::optional<ControlCommand> decode_command(const trollius_os::Message& message);
// Empty for a broken seal.
std::optional<ControlAnswer> decode_answer(const trollius_os::Message& message);

// Sends one command, Begin, Stop or Quit, to each node, in order; precondition: there is a node. The last node gets it when all
// others have answered. So all other nodes already record when the manager's begin lets tasks flow. `silent`, if given, always
// holds the nodes that got the command and have not answered. A lost or damaged command or answer is not repeated; `silent`
// shows where it happened. `one_by_one`: each node gets it when the one before has answered.
void monctrl(trollius_os::Api& api, Control command, const std::vector<vocabulary::NodeId>& nodes,
             std::vector<vocabulary::NodeId>* silent = nullptr, bool one_by_one = false);
// Switches classes of events on or off; returns when all nodes have answered.
void monctrl_classes(trollius_os::Api& api, trace_record::ClassSet classes, bool on,
                     const std::vector<vocabulary::NodeId>& nodes, std::vector<vocabulary::NodeId>* silent = nullptr);
// Sends Begin, Stop or Quit to the interrupt master.
void monctrl_master(trollius_os::Api& api, Control command, vocabulary::NodeId master,
                    std::vector<vocabulary::NodeId>* silent = nullptr);

// The other side: answers that a command was obeyed.
coroutines::Task<> answer_command(trollius_os::Calls& calls, const ControlCommand& command);

}  // namespace instrumentation
