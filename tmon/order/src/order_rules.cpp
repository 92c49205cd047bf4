#include <tmon_order/order_rules.hpp>

#include "recorded_groups.hpp"

namespace tmon_order {
namespace {

using trace_record::Event;
using trace_record::EventKind;

constexpr std::uint64_t task_keys = 1, message_keys = 2;

class RecordRules : public OrderRules {
public:
    RecordRules(std::uint16_t nodes, bool come_again) : partners_(nodes), groups_(nodes, come_again) {}

    void ends(const Event& event, std::vector<End>& ends) override {
        if (event.node >= partners_.size()) return;
        switch (event.kind) {
            case EventKind::Send:
            case EventKind::Receive:
                if (event.peer < partners_.size()) task(event, ends.emplace_back());
                return;
            case EventKind::SendCall:
                return message_source(event, ends);
            case EventKind::Partner:
                partners_[event.node] = {event.seq, event.task, event.peer};
                return;
            case EventKind::MessageReceive:
                return message_target(event, ends);
            case EventKind::Member:
                return groups_.member(event);
            case EventKind::CollectiveBegin:
            case EventKind::CollectiveEnd:
                return groups_.operation(event, ends);
            default:
                return;
        }
    }

    void begin_again() override {
        partners_.assign(partners_.size(), Partner{});
        groups_.begin_again();
    }

private:
    struct Partner {
        std::uint32_t seq = 0, number = 0;
        std::uint16_t sender = 0;
    };

    static void task(const Event& event, End& end) {
        const bool send = event.kind == EventKind::Send;
        end.role = send ? Role::Source : Role::Target;
        end.source_may_be_late = true;  // a task's send is recorded when it has left
        end.key_is_of_channel = true;
        end.from = send ? event.node : event.peer;
        end.to = send ? event.peer : event.node;
        const std::uint64_t places = std::uint64_t{event.is_result} << 32 | std::uint64_t{end.from} << 16 | end.to;
        end.channel = {task_keys, places};
        end.key = {task_keys << 56 | places, std::uint64_t{event.subtask} << 32 | event.task};
    }
    static End message(std::uint16_t sender, std::uint32_t number) {
        End end;
        end.key = {message_keys << 56, std::uint64_t{sender} << 32 | number};
        end.channel = {message_keys, sender};
        end.number = number;
        end.receives_in_order = false;
        end.from = sender;
        return end;
    }
    // A node without records, such as the host, gives no target.
    void message_source(const Event& event, std::vector<End>& ends) const {
        const bool cast = event.peer >= trace_record::first_cast;
        if (event.bytes == 0 || (!cast && event.peer >= partners_.size())) return;
        End end = message(event.node, event.bytes);
        end.shape = cast ? Shape::Cast : Shape::Message;
        end.to = cast ? 0 : event.peer;
        ends.push_back(end);
    }
    // A receiver does not know whether others get the message, too.
    void message_target(const Event& event, std::vector<End>& ends) const {
        const Partner& partner = partners_[event.node];
        if (partner.number == 0 || partner.seq + 1 != event.seq || partner.sender >= partners_.size()) return;
        End end = message(partner.sender, partner.number);
        end.role = Role::Target;
        end.shape = Shape::Cast;
        end.to = event.node;
        ends.push_back(end);
    }

    std::vector<Partner> partners_;  // the newest of each node
    RecordedGroups groups_;
};

}  // namespace

std::unique_ptr<OrderRules> record_rules(std::uint16_t nodes, bool come_again) {
    return std::make_unique<RecordRules>(nodes, come_again);
}

bool may_hold_ends(const trace_record::LossRange& loss) {
    return loss.classes.has(trace_record::EventClass::Task) || loss.classes.has(trace_record::EventClass::Message);
}

}  // namespace tmon_order
