// LinkSwitch: IMS C004, a crossbar of 32 inputs and 32 outputs. Each output is driven by one input or held low; its
// configuration link programs it byte by byte (docs/model/timing_model.md, Crossbars and how they are set). A pass costs 1.75
// bit times each way. At message level the switch counts itself into the message; at byte level it adds to the delay of each
// packet (link_protocol.hpp).
//
// An input may drive several outputs, but a link needs both directions, its data one way and its acknowledges the other. So
// traffic that enters at way i goes only to the one way o whose input drives output i, and only when i drives o. Other outputs
// that i drives carry the bits, but the far end cannot acknowledge them: nothing arrives. A message offered to an input that
// drives outputs without such a partner never starts.
//
// Assumed rules where the data sheet is silent. Connections take effect all at once at message 3; disconnections by messages 4,
// 5 and 6 take effect at once. A message acts `internal` after its last byte has arrived, one after the other. An unknown
// message, or one that names a way above 31, is ignored and counted. A change of a connection loses a transfer under way
// (link_protocol.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>

#include <systemc>

#include <hw_model/link_protocol.hpp>
#include <hw_model/timeline.hpp>
#include <topologies/cost_table.hpp>
#include <topologies/machine_description.hpp>
#include <vocabulary/ids.hpp>

namespace hw_model {

struct SwitchTiming {
    SimTime pass;      // delay of each packet, each way: switch.pass
    SimTime internal;  // from the last byte of a configuration message to its effect: switch.internal
};
SwitchTiming switch_timing(const topologies::CostTable& costs, std::int64_t bits_per_second);

// Messages of the configuration link, the first byte of each.
enum class SwitchCommand : std::uint8_t {
    ConnectOutput = 0,     // input, output
    ConnectLinks = 1,      // way, way: both directions
    Enquire = 2,           // output; one byte comes back
    EndOfSetUp = 3,        // from now data may flow
    Reset = 4,             // all outputs low
    DisconnectOutput = 5,  // output
    DisconnectLinks = 6,   // way, way: both outputs
};

class LinkSwitch : public sc_core::sc_module, private Timeline::Handler {
public:
    static constexpr std::size_t way_count = 32;  // C004 data sheet
    using Revision = topologies::SwitchRevision;  // the reply to an enquiry: bits 0-4 the input; B: bit 7 says connected
    class Way;

    // Called before the change that loses a transfer; the message is still whole.
    class Witness {
    public:
        virtual void on_lost(const LinkSwitch& where, vocabulary::WayNo input, const LinkMessage& message) = 0;

    protected:
        ~Witness() = default;
    };
    struct Status {
        std::uint64_t messages = 0;  // on the configuration link
        std::uint64_t ignored = 0;   // of these: unknown, or with a way above 31
        std::uint64_t lost = 0;      // transfers that were under way when their connection was changed
    };

    // All outputs are low, as after reset. `order` is its rank among events of the same time.
    LinkSwitch(sc_core::sc_module_name name, std::uint32_t order, const SwitchTiming& timing, Timeline& timeline,
               Revision revision = Revision::B);
    ~LinkSwitch() override;

    LinkOut& out(vocabulary::WayNo way);
    LinkIn& in(vocabulary::WayNo way);

    // A byte has arrived on the configuration link. Replies go to `reply`, which may be empty.
    void configure(std::uint8_t byte);
    void on_reply(std::function<void(std::uint8_t)> reply) { reply_ = std::move(reply); }
    // Length in bytes of a message that begins with `command`, that byte included; 1 for an unknown command.
    static std::size_t message_bytes(std::uint8_t command);

    // Connects at once, without a message: for benches, tests and sessions that do not begin with a boot.
    void connect(vocabulary::WayNo a, vocabulary::WayNo b);  // both directions
    void disconnect(vocabulary::WayNo output);
    // A defect: `input` drives this output, or it is held low, whatever is programmed. An outer nullopt repairs it.
    void stick(vocabulary::WayNo output, std::optional<std::optional<vocabulary::WayNo>> input);

    std::optional<vocabulary::WayNo> input_of(vocabulary::WayNo output) const;  // the input that drives it at present
    // The way connected to `way` in both directions: each drives the other's output.
    std::optional<vocabulary::WayNo> partner(vocabulary::WayNo way) const;
    const Status& status() const { return status_; }
    Revision revision() const { return revision_; }
    void set_witness(Witness* witness) { witness_ = witness; }

private:
    static constexpr std::uint8_t none = 0xff;
    using Inputs = std::array<std::uint8_t, way_count>;  // by output
    struct Message {
        std::array<std::uint8_t, 3> bytes{};
        std::size_t got = 0;
        bool complete() const { return got > 0 && got == message_bytes(bytes[0]); }
    };

    void fire(std::uint32_t what) override;
    void act(const Message& message);
    bool ways_exist(const Message& message) const;
    std::uint8_t reply_about(std::uint8_t output) const;
    Inputs driven() const;  // the connections that are set, and the defects
    void drop(std::uint8_t output);
    void apply();
    static std::uint8_t partner_in(const Inputs& inputs, std::size_t way);
    Way& way(vocabulary::WayNo number);

    Timeline& timeline_;
    std::uint32_t order_;
    SwitchTiming timing_;
    Revision revision_;
    std::array<std::unique_ptr<Way>, way_count> ways_;
    Inputs prepared_, set_, now_;  // prepared by messages 0 and 1; in effect since message 3; in effect, defects included
    std::array<std::optional<std::uint8_t>, way_count> stuck_;
    std::array<bool, way_count> changing_{};  // true between link_broken and the change, when nothing may start
    std::size_t telling_ = way_count;         // the way whose sender is being notified of a change
    Message incoming_;
    std::deque<Message> to_act_;
    SimTime acts_until_;
    std::function<void(std::uint8_t)> reply_;
    Witness* witness_ = nullptr;
    Status status_;
};

}  // namespace hw_model
