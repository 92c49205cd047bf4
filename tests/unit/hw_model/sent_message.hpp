// A message with content from one link end to another, and witnesses that note when its receiver and its sender were woken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hw_model/link_end.hpp>

#include "hw_bench.hpp"

namespace hw_test {

// One side of a link.
struct Side {
    hw_model::LinkEnd& link;
    hw_model::Processor& processor;
};

class SentMessage {
public:
    SentMessage(hw_model::Timeline& timeline, Side from, Side to, std::uint32_t bytes,
                hw_model::Channel channel = hw_model::Channel::Datalink)
        : receiver_(timeline), sender_(timeline), from_(from), to_(to), channel_(channel), content_(bytes), room_(bytes) {
        for (std::size_t i = 0; i < content_.size(); ++i) content_[i] = static_cast<std::byte>(i * 31 + i / 251);
        const std::size_t head = content_.size() < 8 ? content_.size() : 8;
        message.channel = channel;
        message.header = std::span(content_).first(head);
        message.body = std::span(content_).subspan(head);
        message.wire_bytes = bytes;
        message.sender = &sender_;
        request.header = std::span(room_).first(head);
        request.body = std::span(room_).subspan(head);
        request.receiver = &receiver_;
        to.processor.start(receiver_);
        from.processor.start(sender_);
    }
    void send() { from_.link.send(message); }
    void receive() { to_.link.receive(request, channel_); }
    void withdraw() { to_.link.withdraw(request, channel_); }
    bool sent() const { return message.sent; }
    bool lost() const { return message.lost; }
    bool received() const { return request.received; }
    bool unconnected() const { return message.unconnected; }
    bool content_arrived() const { return room_ == content_; }
    std::byte arrived_byte(std::size_t position) const { return room_[position]; }
    SimTime arrived() const { return receiver_.woken.back(); }
    SimTime sender_went_on() const { return sender_.woken.back(); }

    hw_model::LinkMessage message;
    hw_model::LinkReceive request;

private:
    Witness receiver_, sender_;
    Side from_, to_;
    hw_model::Channel channel_;
    std::vector<std::byte> content_, room_;
};

}  // namespace hw_test
