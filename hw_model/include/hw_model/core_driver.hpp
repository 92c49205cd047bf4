// CoreDriver: makes a T800 core (t800_core) the processor of a Node. To the Processor it is one Activity, whose uses are the
// cycles that the core has run. So totals, stolen cycles, halt, crash and waveforms work as with a kernel. The core's
// scheduler, timers and error flags are its own.
//
// The core runs ahead of the Timeline, to the next moment at which one of its links can have news
// (LinkStream::earliest_news()). Nor does it pass a moment at which somebody outside may act on it (Outside): it stops behind
// the instruction under way then. What it asks of a link meanwhile begins when the Timeline
// has come to that moment. So no order of events depends on how far it ran. Cost: an event of the Timeline for each such
// stretch, or none while the rest of the machine is quiet. The core itself costs some 2 ns an instruction. Memory: 4 KiB for
// each link that has sent, beside the node's memory that was touched, and the core.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <hw_model/activity.hpp>
#include <hw_model/event_channel.hpp>
#include <hw_model/link_stream.hpp>
#include <hw_model/timeline.hpp>
#include <t800_core/core.hpp>

namespace hw_model {

class Node;

class CoreDriver final : private Activity, private t800_core::LinkPort, private EventChannel::Taker, private Timeline::Handler {
public:
    static constexpr std::size_t links = 4;

    CoreDriver(Node& node, const t800_core::CoreSettings& settings, Timeline& timeline);
    ~CoreDriver() override;

    // Reset pin: the core waits for a boot message on any link. Memory keeps its values. The Processor has been reset before.
    void reset();
    // Analyse pin: the core halts at its next descheduling point.
    void analyse();

    // A SystemC model may move the node's pins at any moment: from now on the core is one instruction ahead at most. An event
    // of the Timeline for each instruction.
    void keep_to_pins() { keeps_to_pins_ = true; }

    // Traces name outputs, and see whose bytes an input brings (LinkStream::name_next_output()). nullptr: nobody.
    class LinkWitness {
    public:
        virtual std::uint64_t name_of_output(vocabulary::LinkNo link) = 0;  // of the last that the core has asked for
        virtual void bytes_came(vocabulary::LinkNo link, std::uint64_t name, std::size_t count) = 0;

    protected:
        ~LinkWitness() = default;
    };
    void set_witness(LinkWitness* witness) { witness_ = witness; }

    // Gets the breakpoints of the core, when the Timeline has come to them. The core then runs nothing before go_on(). What
    // links have stole up to there counts from there on, so the run may differ by these cycles from one without the breakpoint.
    class BreakListener {
    public:
        virtual void stopped_at_breakpoint(vocabulary::NodeId node) = 0;

    protected:
        ~BreakListener() = default;
    };
    void set_break_listener(BreakListener* listener) { break_listener_ = listener; }
    void go_on();

    // The state at the last moment when the core stopped, which may lie ahead of the Timeline.
    const t800_core::Core& core() const { return *core_; }
    // The same, for those who place code and change it.
    t800_core::Core& core() { return *core_; }

    // Why it runs nothing: it waits for a boot message, nothing is ready, it has halted; nothing while it runs.
    enum class Rest : std::uint8_t { None, Boot, Idle, Halted, Analysed, RanAway };
    Rest rest() const;
    // Which links the code waits for, for reports: an output or an input of the link is under way.
    bool outputs(vocabulary::LinkNo link) const { return sides_[link.value()].outputs; }
    std::uint64_t bytes_taken(vocabulary::LinkNo link) const { return sides_[link.value()].taken; }  // since the last reset
    bool inputs(vocabulary::LinkNo link) const { return sides_[link.value()].inputs; }

private:
    class Side;  // one link: the core's port towards its stream
    enum class Ask : std::uint8_t { Output, Input, ResetOutput, ResetInput };
    struct Request {
        Ask ask;
        vocabulary::LinkNo link;
        t800_core::Transfer transfer;
        t800_core::Cycle at;
    };
    enum class News : std::uint8_t { OutputDone, InputDone, ByteWaits, Event };
    struct Told {
        News news;
        vocabulary::LinkNo link;
    };
    // A link as the core knows it. Stale: the core has given the transfer up, and the stream does not know that yet.
    struct State {
        bool outputs = false, inputs = false, stale_output = false, stale_input = false;
        std::uint64_t taken = 0;  // bytes of inputs so far
    };

    Demand resume() override;
    void fire(std::uint32_t what) override;
    std::optional<Demand> use_up_to_core();

    void start_output(vocabulary::LinkNo link, const t800_core::Transfer& transfer) override;
    void start_input(vocabulary::LinkNo link, const t800_core::Transfer& transfer) override;
    bool enable_input(vocabulary::LinkNo link) override;
    bool disable_input(vocabulary::LinkNo link) override;
    void reset_half(vocabulary::LinkNo link, t800_core::Direction half) override;
    void acknowledge_event() override;
    void event_raised() override;

    bool goes_last();
    bool stops_at_breakpoint();
    void come_to_now();
    void tell_core();
    void set_engines_to_work();
    void perform(const Request& request);
    void forget_requests(vocabulary::LinkNo link, bool output);
    void hear(News news, vocabulary::LinkNo link);
    t800_core::Cycle limit();
    t800_core::Cycle length_of_stretch(t800_core::Cycle most) const;
    Demand rest_now();
    bool stopped() const;
    t800_core::Cycle cycle_at(SimTime moment) const;
    SimTime time_of(t800_core::Cycle cycle) const;

    Node& node_;
    Timeline& timeline_;
    std::array<std::unique_ptr<Side>, links> streams_;  // nullptr: no such link
    std::unique_ptr<t800_core::Core> core_;
    t800_core::Stop stop_;
    std::vector<Request> requests_;  // of the core, in order; carried out when the Timeline has come to its now()
    std::vector<Told> told_;         // of the links, for the core
    std::array<State, links> sides_;
    bool keeps_to_pins_ = false, is_behind_ = false;
    LinkWitness* witness_ = nullptr;
    BreakListener* break_listener_ = nullptr;
    bool held_ = false;          // at a breakpoint
    std::uint8_t priority_ = 1;  // of the process that runs in the present stretch
    SimTime low_;                // of the present use, at low priority
};

}  // namespace hw_model
