#include <tmon_order/order_rules.hpp>

#include <tmon_order/message_matcher.hpp>

namespace tmon_order {
namespace {

using trace_record::Event;
using trace_record::EventKind;

class TaskRules : public OrderRules {
public:
    explicit TaskRules(std::uint16_t nodes) : nodes_(nodes), matcher_(nodes) {}

    void ends(const Event& event, std::vector<End>& ends) override {
        const bool send = event.kind == EventKind::Send;
        if ((!send && event.kind != EventKind::Receive) || event.peer >= nodes_ || event.node >= nodes_) return;
        // The key is the id of the end that came first. Bit 48 tells a send from a receive.
        const std::uint64_t own = std::uint64_t{send ? 1U : 0U} << 48 | std::uint64_t{event.node} << 32 | event.seq;
        End end;
        end.key = {task_keys, matcher_.match(event, own).value_or(own)};
        end.role = send ? Role::Source : Role::Target;
        end.from = send ? event.node : event.peer;
        end.to = send ? event.peer : event.node;
        end.channel = {task_keys, std::uint64_t{event.is_result} << 32 | std::uint64_t{end.from} << 16 | end.to};
        ends.push_back(end);
    }
    void lost(std::uint16_t node) override { matcher_.lost(node); }
    void ended(std::uint16_t node) override { matcher_.ended(node); }

private:
    static constexpr std::uint64_t task_keys = 1;
    const std::uint16_t nodes_;
    MessageMatcher matcher_;
};

}  // namespace

std::unique_ptr<OrderRules> task_rules(std::uint16_t nodes) {
    return std::make_unique<TaskRules>(nodes);
}

}  // namespace tmon_order
