#include <instrumentation/monctrl.hpp>

#include <instrumentation/accounts.hpp>
#include <instrumentation/interrupt_master.hpp>
#include <instrumentation/node_monitor.hpp>

namespace instrumentation {

using trollius_os::Api;
using trollius_os::Message;
using vocabulary::NodeId;

namespace {

Message sealed(Message message) {
    message.flags = trollius_os::flags::of(accounts::trace_message);
    seal(message);
    return message;
}

// One command to several nodes, and their answers.
class Conversation {
public:
    Conversation(Api& api, vocabulary::EventNo event, ControlCommand command, std::vector<NodeId>* silent)
        : api_(api), is_answered_(command.what != Control::Quit), silent_(silent) {
        command.caller = trollius_os::services::caller(api);
        command_ = sealed({.event = event, .data = trollius_os::encode(command)});
    }

    void tell(NodeId node) {
        Message message = command_;
        message.node = node;
        if (silent_ != nullptr) silent_->push_back(node);
        api_.nsend(message);
    }

    void await_answer() {
        if (!is_answered_) return;
        Message message{.event = api_.process().reply_event()};
        std::optional<ControlAnswer> answer;
        while (!answer) {
            api_.nrecv(message);
            answer = decode_answer(message);
            if (!answer) api_.kernel().drop("monctrl", "a damaged answer");
        }
        if (silent_ != nullptr) std::erase(*silent_, answer->node.id());
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
    bool is_answered_;
    std::vector<NodeId>* silent_;
};

}  // namespace

std::optional<ControlCommand> decode_command(const Message& message) {
    if (check_seal(message) != Seal::Whole) return std::nullopt;
    return trollius_os::decode<ControlCommand>(message);
}

std::optional<ControlAnswer> decode_answer(const Message& message) {
    if (check_seal(message) != Seal::Whole) return std::nullopt;
    return trollius_os::decode<ControlAnswer>(message);
}

void monctrl(Api& api, Control command, const std::vector<NodeId>& nodes, std::vector<NodeId>* silent, bool one_by_one) {
    Conversation conversation(api, events::nodemon, {.what = command}, silent);
    if (!one_by_one) return conversation.with_all(nodes);
    for (const NodeId node : nodes) conversation.with_all({node});
}

void monctrl_classes(Api& api, trace_record::ClassSet classes, bool on, const std::vector<NodeId>& nodes,
                     std::vector<NodeId>* silent) {
    const ControlCommand command{.what = Control::Classes, .classes = classes.bits(), .on = on ? 1 : 0};
    Conversation(api, events::nodemon, command, silent).with_all(nodes);
}

void monctrl_master(Api& api, Control command, NodeId master, std::vector<NodeId>* silent) {
    Conversation(api, events::monmaster, {.what = command}, silent).with_all({master});
}

coroutines::Task<> answer_command(trollius_os::Calls& calls, const ControlCommand& command) {
    Message answer = sealed(trollius_os::services::answer_to(command.caller, ControlAnswer{calls.node()}));
    co_await calls.answer(answer);
}

}  // namespace instrumentation
