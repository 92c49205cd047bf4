// EventChannel: a T800's event pins, EventReq and EventAck, and the channel a process inputs from (docs/model/timing_model.md,
// Pins). A rising EventReq makes the channel ready, and the request is kept until a process takes it. EventAck then rises, and
// falls after EventReq. Cost: none until the pin moves.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <hw_model/processor.hpp>

namespace hw_model {

class EventChannel {
public:
    // EventReq is high while any of these drives it: something outside the machine (NodePins), or the interrupt master's line.
    enum class Source : std::uint8_t { Pin = 0, Line = 1 };

    // Code that takes events by itself, instead of processes that wait for them: that of a T800 core.
    class Taker {
    public:
        virtual void event_raised() = 0;  // EventReq rose

    protected:
        ~Taker() = default;
    };

    explicit EventChannel(Processor& processor) : processor_(processor) {}

    void set_taker(Taker* taker) { taker_ = taker; }
    void take_by_code();  // the code has taken the event that was raised: EventAck rises

    void drive(Source source, bool level);
    bool request() const { return levels_[0] || levels_[1]; }
    bool acknowledge() const { return acknowledge_; }

    // The calling process then waits. It wakes when an event arrives, at once if one is ready. One process at a time.
    void receive(Activity& process);
    bool waiting(const Activity& process) const { return receiver_ == &process; }
    void withdraw(const Activity& process);  // the process was stopped, or something else woke it
    bool ready() const { return ready_; }    // an event arrived and no process has taken it

    void reset();  // no process waits and nothing is ready; the pin keeps its level

private:
    void take();

    Processor& processor_;
    Activity* receiver_ = nullptr;
    Taker* taker_ = nullptr;
    std::array<bool, 2> levels_{};
    bool ready_ = false, acknowledge_ = false;
};

}  // namespace hw_model
