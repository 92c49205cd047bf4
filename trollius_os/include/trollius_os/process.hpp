// Process: identity and state of a kernel client; the processor schedules it as a Thread of the NodePort.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <trollius_os/id_table.hpp>
#include <trollius_os/message.hpp>
#include <trollius_os/node_port.hpp>
#include <trollius_os/signals.hpp>

namespace trollius_os {

class Api;
class Calls;
struct RemoteFiles;

// Code on a stack of its own blocks in the calls of an Api. Code that is a coroutine awaits Calls, and takes far less of the
// host's memory and caches: for everything but what users write.
using ProcessCode = std::variant<std::function<void(Api&)>, std::function<Task<>(Calls&)>>;

// Tells whoever waits for the end of the calling process, with its status.
using Farewell = Task<> (*)(Calls& teller, vocabulary::ProcessId ended, std::int32_t status);

struct BufferAsker;

enum class ProcessState : std::uint8_t { Ready, BlockedSending, BlockedReceiving, Ended };

// The answer of kstate(). `event` and `type`: those that the process is blocked on, or else has used last.
struct ProcessStatus {
    ProcessState state = ProcessState::Ready;
    int priority = 0;  // of the kernel
    EventNo event;
    std::int32_t type = 0;
    SignalMask pending = 0;
};
// As `state` prints it: "BR (77, 0)", "A (-263521, 0)", "<stopped>" or "<paused>".
std::string state_text(const ProcessStatus& status);

class Process {
public:
    // `owner`: the process that this is a thread of. `heavy`: the thread has a slot of its own.
    Process(vocabulary::ProcessId pid, std::string name, int kernel_priority, Process* owner = nullptr, bool heavy = false)
        : pid_(pid), name_(std::move(name)), kernel_priority_(kernel_priority), owner_(owner), heavy_(heavy) {}
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    vocabulary::ProcessId pid() const { return pid_; }
    EventNo reply_event() const { return EventNo(-static_cast<std::int32_t>(pid_.value())); }  // by convention, minus the id
    const std::string& name() const { return name_; }
    int kernel_priority() const { return kernel_priority_; }
    const Process* owner() const { return owner_; }                // nullptr: a process of its own
    bool has_line() const { return owner_ == nullptr || heavy_; }  // in the process table
    ProcessState state() const { return state_; }
    std::uint64_t memory_bytes() const { return memory_; }  // modelled: its stack and its program
    EventNo last_event() const { return last_event_; }
    std::int32_t last_type() const { return last_type_; }
    // For its creator, when its code returns; 0 unless the code says otherwise.
    std::int32_t exit_status() const { return exit_status_; }
    void set_exit_status(std::int32_t status) { exit_status_ = status; }
    const Thread* thread() const { return thread_; }  // nullptr once it has ended
    // Destination of the message that it has sent last, or sends.
    const std::pair<NodeId, EventNo>& last_sent() const { return last_sent_; }
    // The message that it waits to send. nullptr: it is not blocked in a send, or has met the receiver.
    const Message* offered() const { return state_ == ProcessState::BlockedSending && !matched_ ? offered_ : nullptr; }
    // It has the first packets of a message, and waits for the next one.
    bool awaits_packet() const {
        return state_ == ProcessState::BlockedReceiving && !matched_ && offered_ != nullptr &&
               (offered_->flags & flags::more) != 0;
    }
    // True: its next rendez-vous opens a circuit, and meets only one that does likewise (circuits.hpp). Handlers of signals run
    // without it. Returns the old value.
    bool meet_circuits(bool only) { return std::exchange(meets_circuits_, only); }
    SignalMask pending() const { return signals_.pending; }
    // The process or thread alone. Kernel::status() counts its threads in.
    ProcessStatus status() const { return {state_, kernel_priority_, last_event_, last_type_, signals_.pending}; }
    const SignalState& signals() const { return signals_; }
    SignalState& signals() { return signals_; }  // for the process itself
    // Its descriptors of files (services/rfiles.hpp), which threads share with their process. Null: nobody has used any.
    std::shared_ptr<RemoteFiles>& files() { return owner_ == nullptr ? files_ : owner_->files_; }

private:
    friend class Kernel;
    friend class Calls;
    void use(EventNo event, std::int32_t type) {
        last_event_ = event;
        last_type_ = type;
        (has_line() ? *this : *owner_).last_client_ = pid_;
    }

    vocabulary::ProcessId pid_;
    std::string name_;
    int kernel_priority_;
    Process* owner_;
    bool heavy_;
    ProcessState state_ = ProcessState::Ready;
    ProcessCode code_;
    Thread* thread_ = nullptr;
    std::uint64_t memory_ = 0;  // modelled bytes, freed when it ends
    EventNo last_event_;        // blocked on, or last used
    std::int32_t last_type_ = 0, exit_status_ = 0;
    vocabulary::ProcessId last_client_;  // the process itself or that thread of it which has used the kernel last
    std::pair<NodeId, EventNo> last_sent_;
    Message* offered_ = nullptr;  // while blocked
    bool meets_circuits_ = false;
    bool forwarding_ = false;  // its receive keeps the destination, for forwarding processes
    bool matched_ = false;     // it waits no longer, and `woken_` says why
    enum class Woken : std::uint8_t { Met, Interrupted, Refused } woken_ = Woken::Met;
    bool awaits_signal_ = false;  // blocked on an event that nobody can send to
    SignalState signals_;
    Calls* calls_ = nullptr;                  // its library part; while it lives
    Process* partner_ = nullptr;              // while it pays for a rendez-vous: the blocked process on the other side
    Message* sends_ = nullptr;                // likewise, if it is the sender
    Message* reply_room_ = nullptr;           // of a send_receive() whose message nobody has taken yet
    bool awaits_reply_ = false;               // the message is taken, and the process receives since then
    Account on_behalf_of_;                    // for a forwarding process: the account that pays for its last message
    std::uint32_t buffer_requests_ = 0;       // number of receives that may ask bufferd
    bool asks_buffers_ = false;               // it is in the last of them, and its request is unanswered
    bool asks_again_ = false;                 // a signal has ended that receive, which is to be made again
    const BufferAsker* offers_to_ = nullptr;  // while it waits for that process to receive
    Farewell farewell_ = nullptr;             // told when a signal ends the process
    IdTable<NodeId, EventNo> routes_;         // cached answers of the router
    std::shared_ptr<RemoteFiles> files_;
};

}  // namespace trollius_os
