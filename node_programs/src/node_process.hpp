// NodeProcess: one process of a program with a main(), or a thread of it, and the calls of trollius.h. They run on the
// program's stack. A message
// goes through a copy in the host's memory: while the process waits, another may have its globals in place of this one's.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <node_programs/trollius.h>
#include <trollius_os/circuits.hpp>
#include <trollius_os/services/rfiles.hpp>
#include <user_programs/program_process.hpp>

#include "../support/trollius_calls.h"
#include "node_seat.hpp"

namespace node_programs {

using user_programs::Bytes;
using user_programs::Problem;

using Handlers = std::array<ksighandler, static_cast<std::size_t>(trollius_os::Signal::B) + 1>;  // by number of the signal

// The beginning of a thread.
struct Birth {
    trollius_os::Calls::Weight weight;
    void (*function)(void*);
    void* argument;
    Handlers handlers;  // of its creator, as the masks
    trollius_os::SignalMask blocked, retry;
    std::shared_ptr<user_programs::ReservedStack> stack;
};

class NodeProcess final : public user_programs::ProgramProcess {
public:
    NodeProcess(user_programs::LoadedProgram& program, NodeSeat& seat, const std::string& name);
    // A thread of that process.
    NodeProcess(NodeProcess& of, NodeSeat& seat, const Birth& birth);
    ~NodeProcess() override;

    // Runs main() and returns its exit status.
    std::int32_t run_main(const trollius_os::Arguments& arguments);
    void run_thread();
    // Ends a light thread, which may only compute.
    void require_kernel();
    bool is_thread() const { return birth_.has_value(); }
    int kpar(int weight, void (*function)(void*), int stack, void* argument);

    // Each returns 0 or a result, or minus the number of the error.
    int kernel_call(int which, kmsg* out, kmsg* in);
    int message_call(int which, nmsg* message, int flags);
    int pid() const { return static_cast<int>(seat_.api().pid().value()); }
    int host() const { return seat_.api().kernel().host().value(); }
    void yield();
    int loadgo(int dest, const char* file, int rtf, char** argv, int* pid, int* index);
    int wait_for_child(int* node, int* pid, int* status);
    int doom(int node, int selection, int value, int signal);
    int processes(int node, pstate* table, int most);
    int buffers(int node, bfstate* table, int most);
    int sweep(int node, int event, bool only);
    int echo(int node, const char* out, char* in, int length);
    int cast(const int* nodes, int count);
    int cast_nodes(int cast, int* nodes, int most);
    int combine(int cast, int operation, int kind, void* words, int count);
    int circuit_call(int which, nmsg* message);

    int handle(int signal, ksighandler handler, ksighandler* old);
    int signal_mask(int which, int mask);
    int pause();
    int signal_process(int pid, int signal);
    int kernel_state(int pid, kstatus* status);
    int sleep(unsigned long long microseconds);

    int file_by_name(int which, const char* name, const char* other, int number, int mode);
    int file_by_descriptor(int which, int descriptor, int number, int other);
    int transfer(int which, int descriptor, void* data, int bytes);
    int look_at_file(const char* name, int descriptor, trollius_facts* facts);
    int working_folder(char* room, int bytes);
    int descriptors_of(int node, fstate* table, int most);
    int change_descriptor(int which, int node, int descriptor, int by);
    static int text_of_error(int number, char* room, int bytes);
    void refuse_handler();

    int nodes_of_type(int type, int mask, int* nodes, int most);
    int route_entry(int node, rent* entry);
    int router_order(int which, int at, const rent* entries, int value);
    int memory_call(int which, int node, unsigned address, void* body, int length);
    int trace_call(int which, int node, int list, int pid, void* body, int length);
    void note(int what, const void* record, int bytes);  // to Report::note

    [[noreturn]] void exit(int status) override;
    std::string image_obstacle() const override;

private:
    using CircuitKey = std::array<int, 3>;
    static constexpr std::uint32_t main_entry = 6;  // behind the functions of a farm (docs/formats/prepared.md)
    void enter(void* code) override;
    void prepare() override;
    const char* what_ended() const override { return is_thread() ? "its thread has ended" : ProgramProcess::what_ended(); }
    std::string how_it_ends() const override;
    void enter_list();  // of what runs
    bool keeps_logs() const { return program().variable("flowback_logs") != nullptr; }
    void log_command();
    void before_text() override { require_kernel(); }
    void install(trollius_os::Signal signal, ksighandler handler);
    void finish() override { take_back_all(); }
    void describe(user_programs::Diagnosis& diagnosis) const override;

    // The node that a program means; empty: there is none of that number.
    std::optional<vocabulary::NodeId> node_at(int number) const;
    // End the process when an argument is wrong. `call`: "nsend". `name`: that of the argument.
    void require(const char* call, const char* name, const void* data, std::size_t bytes, bool for_writing);
    std::size_t require_length(const char* call, const char* name, int length);
    std::string text_at(const char* call, const char* name, const char* text);
    void take_header(const nmsg& from, vocabulary::NodeId node);
    // A copy of the body that is to be sent, or room of that size.
    void take_body(const char* call, const char* pointer_name, const char* length_name, const void* body, int length,
                   bool receives, bool leaves_node);
    std::size_t give_body(void* body) const;
    // Copies as many as there is room for; returns the number of all.
    template <class Record>
    int give_table(Record* table, int most, const std::vector<Record>& all) {
        const std::size_t count = std::min(all.size(), static_cast<std::size_t>(std::max(most, 0)));
        if (count > 0) std::memcpy(table, all.data(), count * sizeof(Record));
        return static_cast<int>(all.size());
    }
    int finish_call(trollius_os::Outcome outcome);
    trollius_os::Outcome make(int which, bool wait);
    int open_circuit(int which, nmsg* message, CircuitKey key);
    int move_on_circuit(int which, nmsg* message, trollius_os::CircuitName name);

    // A conversation with a daemon, on the caller's stack. Signals wait until it is over.
    template <class Action>
    void talk(Action action, trollius_os::Conversation::With partner = trollius_os::Conversation::With::Service) {
        on_caller([this, &action, partner] {
            trollius_os::Api& api = seat_.api();
            {
                const trollius_os::Conversation undisturbed(api.calls(), partner);
                action(api);
                api.settle();
            }
            take_signals();
        });
    }
    std::int32_t ask_by_name(trollius_os::Api& api, int which, int number, int mode);
    void take_signals();
    void run_handler(trollius_os::Signal signal);

    // State of a waiting call; not on the program's stack, which must not change meanwhile. A handler has one of its own.
    struct Call {
        trollius_os::Message message, other;
        Bytes body, other_body;
        trollius_os::Outcome outcome = trollius_os::Outcome::Done;
        std::optional<trollius_os::Probed> probed;
        vocabulary::NodeId to;
        vocabulary::ProcessId pid;
        std::string name, second_name;
        trollius_os::Arguments words;
        std::int32_t flags = 0, result = 0;
        trollius_os::Created created;
        trollius_os::ChildEnd child;
        trollius_os::Doomed doomed{};
        std::vector<trollius_os::ProcessLine> lines;
        trollius_os::BufferState buffered;
        std::uint32_t swept = 0;
        trollius_os::Error error{};
        std::optional<trollius_os::ProcessStatus> status;
        trollius_os::SignalMask mask = 0;
        trollius_os::FileFacts facts;
        std::vector<trollius_os::FileLine> files;
        std::vector<vocabulary::NodeId> list;
        std::vector<std::int32_t> combined;
        trollius_os::CastCreated cast;
        trollius_os::ErrorNumber number = 0;
        trollius_os::CircuitOpened opened;
        trollius_os::CircuitReceived received;
        trollius_os::NodeKind kind;
        std::vector<trollius_os::services::RouteEntry> entries;
        std::uint32_t count = 0;
        trollius_os::Traces traces;
        Bytes trace;
    };
    static trollius_os::services::NodeWord entry_node(int number);

    NodeSeat& seat_;
    std::string name_;
    NodeProcess& main_;  // the process; outlives its threads
    std::optional<Birth> birth_;
    std::int32_t status_ = 0;
    int children_ = 0;     // started with RTF_WAIT, and not waited for yet
    bool exited_ = false;  // by exit() or kexit()
    const trollius_os::Arguments* arguments_ = nullptr;
    std::vector<std::byte*> words_;  // of the command, in the node's memory
    std::byte* vector_ = nullptr;    // argv
    int argument_count_ = 0;         // argc
    Handlers handlers_{};
    // Each handler in progress takes a part of the host's stack. One that jumps out never gives it back.
    static constexpr int most_handlers = 8;
    int handlers_begun_ = 0;
    int open_files_ = 0;  // by this process, and not closed yet
    bool changed_folder_ = false;
    Call call_;
    // The circuits that the process has open, by node, event and type; a receiver's without the node.
    std::map<CircuitKey, trollius_os::CircuitName> sending_, receiving_;
};

}  // namespace node_programs
