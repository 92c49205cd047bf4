#include <instrumentation/monctrl.hpp>

#include <instrumentation/accounts.hpp>
#include <instrumentation/interrupt_master.hpp>
#include <instrumentation/message_seal.hpp>
#include <instrumentation/node_monitor.hpp>

namespace instrumentation {

using trollius_os::Api;
using trollius_os::Message;
using vocabulary::NodeId;

namespace {

// One command to several nodes, and their answers.
class Conversation {
public:
    Conversation(Api& api, const Message& command, std::vector<NodeId>* silent)
        : api_(api), command_(command), silent_(silent) {
        command_.flags = trollius_os::flags::of(accounts::trace_message);
        command_.data[1] = api.node().value();
        command_.data[2] = api.process().reply_event().value();
        seal(command_);
    }

    void tell(NodeId node) {
        Message message = command_;
        message.node = node;
        if (silent_ != nullptr) silent_->push_back(node);
        api_.nsend(message);
    }

    void await_answer() {
        if (command_.data[0] == static_cast<std::int32_t>(Control::Quit)) return;
        Message answer{.event = api_.process().reply_event()};
        for (bool whole = false; !whole;) {
            api_.nrecv(answer);
            whole = check_seal(answer) == Seal::Whole;
            if (!whole) api_.kernel().drop("monctrl", "a damaged answer");
        }
        if (silent_ != nullptr) std::erase(*silent_, NodeId(static_cast<NodeId::value_type>(answer.data[0])));
    }

    void with_all(const std::vector<NodeId>& nodes) {
        for (std::size_t i = 0; i + 1 < nodes.size(); ++i) tell(nodes[i]);
        for (std::size_t i = 0; i + 1 < nodes.size(); ++i) await_answer();
        tell(nodes.back());
        await_answer();
    }

private:
    Api& api_;
    Message command_;
    std::vector<NodeId>* silent_;
};

Message to_nodemon(Control command) {
    return {.event = events::nodemon, .data = {static_cast<std::int32_t>(command)}};
}

}  // namespace

void monctrl(Api& api, Control command, const std::vector<NodeId>& nodes, std::vector<NodeId>* silent) {
    Conversation(api, to_nodemon(command), silent).with_all(nodes);
}

void monctrl_classes(Api& api, trace_record::ClassSet classes, bool on, const std::vector<NodeId>& nodes,
                     std::vector<NodeId>* silent) {
    Message command = to_nodemon(Control::Classes);
    command.data[3] = classes.bits();
    command.data[4] = on ? 1 : 0;
    Conversation(api, command, silent).with_all(nodes);
}

void monctrl_master(Api& api, Control command, NodeId master, std::vector<NodeId>* silent) {
    Message message = to_nodemon(command);
    message.event = events::monmaster;
    Conversation(api, message, silent).with_all({master});
}

void answer_command(Api& api, const Message& command) {
    Message answer{.node = NodeId(static_cast<NodeId::value_type>(command.data[1])),
                   .event = vocabulary::EventNo(command.data[2]),
                   .flags = trollius_os::flags::of(accounts::trace_message),
                   .data = {api.node().value()}};
    seal(answer);
    api.answer(answer);
}

}  // namespace instrumentation
