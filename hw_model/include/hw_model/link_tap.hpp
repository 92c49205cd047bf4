// LinkTap: sits in one wire and passes everything at once and unchanged until it gets a fault. Then it drops or changes packets
// (byte level) or messages (message level; link_protocol.hpp). Link ends and switches do not know of it. Machine inserts it for
// MachineOptions::tapped_wires; FaultInjector controls it. Cost: one virtual call a transaction while quiet; one random number
// a byte while a rate is in force.
//
// Both levels draw the same numbers for the same bytes. At message level the damage to a message is decided when it begins. A
// fault of a single packet strikes the message under way, at a byte that the seed picks. If no message is under way, it strikes
// the first byte of the next one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <systemc>

#include <hw_model/fault_strike.hpp>
#include <hw_model/link_protocol.hpp>
#include <hw_model/seeded_stream.hpp>
#include <hw_model/timeline.hpp>

namespace hw_model {

class LinkTap : public sc_core::sc_module {
public:
    static constexpr std::uint32_t data_bits = 11, acknowledge_bits = 2;  // bits of a packet; T800 data sheet, links
    static constexpr std::uint32_t first_data_bit = 2;  // behind start bit and kind; behind 8 data bits is the stop bit
    enum Way : std::size_t { Along = 0, Against = 1 };  // from the wire's end a to its end b, or back
    using Ways = std::array<bool, 2>;                   // index: Way

    using Effect = FaultEffect;
    struct Hit {
        std::size_t fault = 0;
        SimTime when;
        Way way = Along;  // the message's
        Effect effect = Effect::Stopped;
        const LinkMessage* message = nullptr;
        std::uint32_t position = 0;  // number of the byte in the message
    };
    class Witness {
    public:
        virtual void hit(const LinkTap& tap, const Hit& hit) = 0;

    protected:
        ~Witness() = default;
    };

    LinkTap(sc_core::sc_module_name name, std::size_t wire, Timeline& timeline);
    ~LinkTap() override;

    std::size_t wire() const { return wire_; }
    // The socket towards the wire's end a, where Along enters, or towards its end b.
    LinkOut& out(bool end_a);
    LinkIn& in(bool end_a);
    void set_witness(Witness* witness) { witness_ = witness; }

    // `ways`: the directions of the affected packets. A fault keeps its number until it ends.
    void block(std::size_t fault, Ways ways);
    // Rate per byte; empty: one packet. An acknowledge has 2 bits, a data packet 11; acknowledges are hit less often in that
    // ratio.
    void flip(std::size_t fault, Ways ways, std::optional<double> rate, std::uint64_t seed);
    void lose_acknowledges(std::size_t fault, Ways ways, std::optional<double> rate, std::uint64_t seed);
    void end(std::size_t fault);

private:
    class Side;
    enum class Kind : std::uint8_t { Block, Flip, LoseAcknowledge };
    struct Disturbance {
        std::size_t fault;
        Kind kind;
        Ways ways;
        std::optional<double> rate;
        std::array<SeededStream, 2> data, acknowledge;  // index: Way in which the packet travels
        bool spent = false;                             // it was for one packet and has struck
    };
    struct Change {
        std::uint32_t position;
        std::uint8_t mask;
    };
    // A message that passes through, at message level.
    struct Passage final : MessageDamage {
        LinkMessage* message = nullptr;
        bool begun = false, swallow_end = false;
        MessageDamage* before = nullptr;  // damage by a tap nearer to the sender
        std::vector<Change> changes;
        void arrived(const LinkMessage& message, std::span<std::byte> header, std::span<std::byte> body) override;
    };

    tlm::tlm_sync_enum forward(Way way, LinkMessage& message, tlm::tlm_phase& phase, sc_core::sc_time& delay);
    tlm::tlm_sync_enum backward(Way way, LinkMessage& message, tlm::tlm_phase& phase, sc_core::sc_time& delay);
    const Disturbance* blocks(Way packet) const;
    const Disturbance* blocks_transfer(Way message) const;
    bool data_byte_passes(Way way, LinkMessage& message);    // byte level
    bool acknowledge_passes(Way way, LinkMessage& message);  // for a message that goes that way
    static double acknowledge_share(const Disturbance& by);
    void begin(Way way, LinkMessage& message);
    void strike_bytes(Disturbance& by, Way way, LinkMessage& message);
    void strike_one(Disturbance& by, Way way, LinkMessage& message, std::uint32_t position);
    void strike_message_under_way(Disturbance& by);
    std::uint8_t change_or_loss(Disturbance& by, Way way);
    void change(std::size_t fault, Way way, LinkMessage& message, Change what);
    void stop(std::size_t fault, Way way, LinkMessage& message, Effect effect, std::uint32_t position);
    void lose_acknowledge(std::size_t fault, Way way, LinkMessage& message, std::uint32_t position);
    void tell(std::size_t fault, Way way, Effect effect, const LinkMessage& message, std::uint32_t position);

    std::size_t wire_;
    Timeline& timeline_;
    Witness* witness_ = nullptr;
    std::array<std::unique_ptr<Side>, 2> sides_;  // index: Way that enters there
    std::array<Passage, 2> passing_;              // index: Way
    std::vector<Disturbance> disturbances_;
};

}  // namespace hw_model
