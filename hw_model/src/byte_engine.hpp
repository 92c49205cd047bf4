// ByteEngine: the engine of a LinkEnd at byte level (link_protocol.hpp). Data and acknowledge packets are bit-timed
// (docs/model/timing_model.md, Byte level). The end's one output wire carries its data packets and its acknowledges for the
// other direction, one after the other, acknowledges first. Cost: two Timeline events a byte, one at each end, and one more for
// a packet that has to wait for the wire. In the middle of a message both ends do without events where they can (ByteRun).
//
// Receiving side: one byte of hardware buffer. The first byte of a message names its channel, so it is not acknowledged before
// a process waits for that channel. Until then it holds up the link, as the message does at message level. Every later byte is
// acknowledged early, a turn-round after its start bit. The process wakes when the last byte is complete.
//
// Sending side: the next data packet begins a turn-round after the acknowledge, but not before the last packet has ended. The
// sender's process wakes when a packet could begin after the last byte. The next message then begins.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "link_engine.hpp"

namespace hw_model {

class ByteRun;

class ByteEngine final : public LinkEngine, public Processor::Thief {
public:
    explicit ByteEngine(const Place& place);
    ~ByteEngine() override;

    bool receiving() const override { return begun_ || delivering_; }

private:
    friend class ByteRun;
    enum What : std::uint32_t { SendData = 0, SendAcknowledge = 1, Deliver = 2 };
    struct Armed {
        SimTime at = SimTime::never();
        bool posted = false;       // as an event
        std::uint64_t number = 0;  // of the event; or that step of a run was armed as so manieth
        std::uint32_t by = 0;      // step of the run that armed it
    };

    tlm::tlm_sync_enum nb_transport_fw(LinkMessage& message, tlm::tlm_phase& phase, sc_core::sc_time& delay) override;
    tlm::tlm_sync_enum nb_transport_bw(LinkMessage& message, tlm::tlm_phase& phase, sc_core::sc_time& delay) override;
    void catch_up() override;
    void come_to_now() override { end_run(); }
    void start() override;
    bool all_taken() const override { return acknowledged_all_; }
    void leave_wire(bool lost) override;
    void receiver_waits() override { acknowledge_when_possible(); }
    bool bytes_come() const override { return delivering_ || (begun_ && !message_->aborted); }
    void forget(const LinkMessage& message) override;
    void stop() override {  // the last acknowledge never comes
        if (begun_) message_->aborted = true;
    }
    void fire(std::uint32_t what) override;

    void acknowledged(SimTime delay);                // acknowledges the last byte sent; its start bit arrives `delay` from now
    void take(LinkMessage& message, SimTime delay);  // a data packet; its start bit arrives `delay` from now
    SimTime now() const;
    void arm(Armed& armed, SimTime when, What what);
    void end_run();
    bool busy() const { return out_front_ != nullptr || message_ != nullptr; }
    void send_data();
    void acknowledge_when_possible();
    void begin();
    void send_acknowledge();
    void store();
    void deliver_whole();
    void steal_word(const LinkMessage& message, Memory memory) {
        if (stolen_by_word(memory).count() > 0) processor_.steal(stolen_by_word(memory), message.account);
    }

    SimTime wire_free_;  // when the output wire is free, for either kind of packet

    std::uint32_t position_ = 0;  // number of the next byte to send
    bool acknowledged_all_ = false;
    SimTime data_began_;
    Armed data_;

    LinkMessage* message_ = nullptr;  // its byte is in the buffer, or its first bytes have been taken
    bool held_ = false, begun_ = false, delivering_ = false;
    SimTime seen_, delay_, deliver_armed_ = SimTime::never();
    Armed acknowledge_;
    std::vector<std::byte> content_;  // header, then body, of the incoming message
    LinkMessage whole_;               // the message to deliver; it owns its content, because the sender may go on earlier

    ByteRun* run_ = nullptr;         // in it at present
    ByteEngine* far_ = nullptr;      // the end that our last message, or the last message to us, has reached or come from
    std::unique_ptr<ByteRun> runs_;  // of messages that begin here
};

}  // namespace hw_model
