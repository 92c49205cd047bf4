// MessageOrder: how many messages an order of records shows with the receive before the send.
#pragma once

#include <cstdint>

#include <tmon_order/channel_matcher.hpp>
#include <tmon_order/message_matcher.hpp>
#include <tmon_order/trace_sorter.hpp>

namespace tmon_sorted {

class MessageOrder {
public:
    explicit MessageOrder(std::uint16_t nodes) : tasks_(nodes), messages_(nodes) {}
    // Records in the order that is looked at. Those of one node come in the order of their numbers.
    void event(const trace_record::Event& event) {
        using trace_record::EventKind;
        if (tasks_.match(event, 0) && event.kind == EventKind::Send) ++backwards_;
        const std::size_t joined = messages_.match(event, 0).size();
        if (event.kind == EventKind::SendCall) backwards_ += joined;
    }
    void lost(std::uint16_t node) { tasks_.lost(node); }
    void ended(std::uint16_t node) {
        tasks_.ended(node);
        messages_.ended(node);
    }
    void item(const tmon_order::SortedItem& item) {
        const auto node = static_cast<std::uint16_t>(item.order.id.stream);
        if (item.event != nullptr) return event(*item.event);
        item.loss != nullptr ? lost(node) : ended(node);
    }
    std::uint64_t backwards() const { return backwards_; }
    std::uint64_t messages() const { return tasks_.matched() + messages_.matched(); }

private:
    tmon_order::MessageMatcher tasks_;
    tmon_order::ChannelMatcher messages_;
    std::uint64_t backwards_ = 0;
};

}  // namespace tmon_sorted
