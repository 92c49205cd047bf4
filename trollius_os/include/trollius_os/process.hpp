// Process: identity and state of a kernel client; the processor schedules it as a Thread of the NodePort.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <variant>

#include <trollius_os/message.hpp>
#include <trollius_os/node_port.hpp>

namespace trollius_os {

class Api;
class Calls;
struct RemoteFiles;

// Code on a stack of its own blocks in the calls of an Api. Code that is a coroutine awaits Calls, and takes far less of the
// host's memory and caches: for everything but what users write.
using ProcessCode = std::variant<std::function<void(Api&)>, std::function<Task<>(Calls&)>>;

enum class ProcessState : std::uint8_t { Ready, BlockedSending, BlockedReceiving, Ended };

class Process {
public:
    Process(vocabulary::ProcessId pid, std::string name, int kernel_priority)
        : pid_(pid), name_(std::move(name)), kernel_priority_(kernel_priority) {}
    Process(const Process&) = delete;
    Process& operator=(const Process&) = delete;

    vocabulary::ProcessId pid() const { return pid_; }
    EventNo reply_event() const { return EventNo(-static_cast<std::int32_t>(pid_.value())); }  // by convention, minus the id
    const std::string& name() const { return name_; }
    int kernel_priority() const { return kernel_priority_; }
    ProcessState state() const { return state_; }
    EventNo last_event() const { return last_event_; }
    std::int32_t last_type() const { return last_type_; }
    // Its descriptors of files (services/rfiles.hpp). Null: it has not used any.
    std::shared_ptr<RemoteFiles>& files() { return files_; }

private:
    friend class Kernel;
    friend class Calls;
    vocabulary::ProcessId pid_;
    std::string name_;
    int kernel_priority_;
    ProcessState state_ = ProcessState::Ready;
    ProcessCode code_;
    Thread* thread_ = nullptr;
    std::uint64_t memory_ = 0;  // modelled bytes, freed when it ends
    EventNo last_event_;  // the event that `state` prints: blocked on, or last used
    std::int32_t last_type_ = 0;
    Message* offered_ = nullptr;  // while blocked
    bool forwarding_ = false;     // its receive keeps the destination, for forwarding processes
    bool matched_ = false;
    Process* partner_ = nullptr;                  // while it pays for a rendez-vous: the blocked process on the other side
    Message* sends_ = nullptr;                    // likewise, if it is the sender
    Message* reply_room_ = nullptr;               // of a send_receive() whose message nobody has taken yet
    bool awaits_reply_ = false;                   // the message is taken, and the process receives since then
    Account on_behalf_of_;                        // for a forwarding process: the account that pays for its last message
    std::uint32_t buffer_requests_ = 0;           // number of requests to bufferd
    bool asks_buffers_ = false;                   // the last request is unanswered
    std::unordered_map<NodeId, EventNo> routes_;  // cached answers of the router
    std::shared_ptr<RemoteFiles> files_;
};

}  // namespace trollius_os
