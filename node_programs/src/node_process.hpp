// NodeProcess: one process of a program with a main(), and the calls of trollius.h. They run on the program's stack. A message
// goes through a copy in the host's memory: while the process waits, another may have its globals in place of this one's.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <node_programs/trollius.h>
#include <user_programs/program_process.hpp>

#include "node_seat.hpp"

namespace node_programs {

using user_programs::Bytes;
using user_programs::Problem;

class NodeProcess final : public user_programs::ProgramProcess {
public:
    NodeProcess(user_programs::LoadedProgram& program, NodeSeat& seat, const std::string& name);
    ~NodeProcess() override;

    // Runs main() and returns its exit status.
    std::int32_t run_main(const trollius_os::Arguments& arguments);

    // Each returns 0 or a result, or minus the number of the error.
    int kernel_call(int which, kmsg* out, kmsg* in);
    int message_call(int which, nmsg* message, int flags);
    int pid() const { return static_cast<int>(seat_.api().pid().value()); }
    int host() const { return seat_.api().kernel().host().value(); }
    void yield();
    int loadgo(int dest, const char* file, int rtf, char** argv, int* pid);
    int wait_for_child(int* node, int* pid, int* status);
    int doom(int node, int selection, int value, int signal);
    int processes(int node, pstate* table, int most);
    int buffers(int node, bfstate* table, int most);
    int sweep(int node, int event, bool only);
    int echo(int node, const char* out, char* in, int length);
    int nodes_of_type(int type, int mask, int* nodes, int most);
    int route_entry(int node, rent* entry);
    int router_order(int which, int at, const rent* entries, int value);
    int memory_call(int which, int node, unsigned address, void* body, int length);
    int trace_call(int which, int node, int list, int pid, void* body, int length);

    [[noreturn]] void exit(int status) override;

private:
    void enter(void* code) override;
    void prepare() override;
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
    template <class Record>
    int give_table(Record* table, int most, const std::vector<Record>& all);
    int finish_call(trollius_os::Outcome outcome);
    trollius_os::Outcome make(int which, bool wait);
    static trollius_os::services::NodeWord entry_node(int number);

    NodeSeat& seat_;
    std::string name_;
    std::int32_t status_ = 0;
    int children_ = 0;     // started with RTF_WAIT, and not waited for yet
    bool exited_ = false;  // by exit() or kexit()
    const trollius_os::Arguments* arguments_ = nullptr;
    std::vector<std::byte*> words_;  // of the command, in the node's memory
    std::byte* vector_ = nullptr;    // argv
    // State of a waiting call; not on the program's stack, which must not change meanwhile.
    trollius_os::Message message_, other_;
    Bytes body_, other_body_;
    trollius_os::Outcome outcome_ = trollius_os::Outcome::Done;
    std::optional<trollius_os::Probed> probed_;
    vocabulary::NodeId to_;
    vocabulary::ProcessId other_pid_;
    std::string load_name_;
    trollius_os::Arguments load_words_;
    std::int32_t flags_ = 0;
    trollius_os::Created created_;
    trollius_os::ChildEnd child_;
    trollius_os::Doomed doomed_{};
    std::vector<trollius_os::ProcessLine> lines_;
    trollius_os::BufferState buffered_;
    std::uint32_t swept_ = 0;
    std::vector<vocabulary::NodeId> listed_;
    trollius_os::NodeKind kind_;
    std::vector<trollius_os::services::RouteEntry> entries_;
    trollius_os::ErrorNumber node_error_ = 0;
    std::uint32_t count_ = 0;
    trollius_os::Traces traces_;
    Bytes trace_;
};

}  // namespace node_programs
