// Signals of Trollius: small numbers that one process sends another. They are the kernel's own, not those of the host. Numbers,
// names and defaults are those of LAM 7.1.4, without the ones that came after Trollius 2.2.
//
// A signal takes a blocked process off its call. The process runs its handlers, then makes the call again if every signal is in
// its retry mask. A ready process notices at its next call of the kernel. Signals of one number merge.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <coroutines/task.hpp>

namespace trollius_os {

class Api;
class Calls;

enum class Signal : std::int32_t {
    Trace = 1,    // SIGTRACE; default: ignored, since there is no trace server
    C = 2,        // SIGC, SIGA and SIGB belong to the user; default: ignored
    Die = 4,      // SIGUDIE; default: the process ends
    Arrest = 5,   // SIGARREST; default: it blocks on events::stop until Release
    Release = 6,  // SIGRELEASE; default: it goes on
    A = 7,
    B = 8
};
inline constexpr std::array every_signal = {Signal::Trace,   Signal::C, Signal::Die, Signal::Arrest,
                                            Signal::Release, Signal::A, Signal::B};

// Empty: there is no such signal.
constexpr std::optional<Signal> signal_of(std::int32_t number) {
    for (const Signal signal : every_signal) {
        if (static_cast<std::int32_t>(signal) == number) return signal;
    }
    return std::nullopt;
}
const char* name_of(Signal signal);  // "SIGUDIE"

// A set of signals: bit n - 1 stands for number n.
using SignalMask = std::uint16_t;
constexpr SignalMask mask_of(Signal signal) {
    return static_cast<SignalMask>(1U << (static_cast<std::int32_t>(signal) - 1));
}
constexpr bool has(SignalMask mask, Signal signal) {
    return (mask & mask_of(signal)) != 0;
}
inline constexpr SignalMask all_signals = 0b1111'1011;  // number 3 came later
static_assert([] {
    SignalMask all = 0;
    for (const Signal signal : every_signal) all = static_cast<SignalMask>(all | mask_of(signal));
    return all == all_signals;
}());
// The numbers in the mask with commas between, as `state -l` prints them; "<nil>" for none.
std::string signal_numbers(SignalMask mask);

// The reaction of a process to a signal. A handler runs in its process, with its own signal held back, and may make any call.
class SignalAction {
public:
    enum class Kind : std::uint8_t { Default, Ignore, Handle };
    using Handler = std::function<coroutines::Task<>(Calls&, Signal)>;

    SignalAction() = default;  // the default of that signal
    static SignalAction ignore();
    static SignalAction handle(Handler handler);
    static SignalAction handle(std::function<void(Api&, Signal)> handler);  // for a process with a stack of its own

    Kind kind() const { return kind_; }
    const std::shared_ptr<const Handler>& handler() const { return handler_; }  // nullptr unless `kind` is Handle

private:
    Kind kind_ = Kind::Default;
    std::shared_ptr<const Handler> handler_;
};

// The signals of one process. The kernel sets `pending`, the process itself the rest.
struct SignalState {
    SignalMask pending = 0;
    SignalMask blocked = 0;
    SignalMask retry = all_signals & ~mask_of(Signal::Release);
    std::unique_ptr<std::array<SignalAction, 9>> actions;  // by number; nullptr: every one the default

    bool stopped = false;  // by Arrest, until Release

    bool any() const { return (pending & ~blocked) != 0; }
    // Arrest and Release take each other away, so the later one counts.
    void post(Signal signal) {
        SignalMask gone = 0;
        if (signal == Signal::Arrest) gone = mask_of(Signal::Release);
        if (signal == Signal::Release) gone = mask_of(Signal::Arrest);
        pending = static_cast<SignalMask>((pending & ~gone) | mask_of(signal));
    }
    SignalAction action(Signal signal) const { return actions ? (*actions)[static_cast<std::size_t>(signal)] : SignalAction(); }
};

// Holds every signal back while a library routine talks to a service, so that no conversation is left half done. Trollius holds
// back SIGUDIE and SIGARREST only. Then a handler with a conversation of its own would take the answer of the other.
//
// A conversation that other users may never end is mortal: Die ends the process meanwhile, unless it has a handler for that.
class Conversation {
public:
    enum class With : std::uint8_t { Service, Users };
    explicit Conversation(SignalState& signals, With partner = With::Service);
    explicit Conversation(Calls& calls, With partner = With::Service);
    ~Conversation() { signals_.blocked = static_cast<SignalMask>(signals_.blocked & ~held_); }
    Conversation(const Conversation&) = delete;
    Conversation& operator=(const Conversation&) = delete;

private:
    SignalState& signals_;
    SignalMask held_;
};

}  // namespace trollius_os
