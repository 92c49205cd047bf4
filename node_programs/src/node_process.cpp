#include "node_process.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <node_programs/programs.hpp>
#include "../support/trollius_calls.h"

namespace node_programs {

using trollius_os::Outcome;
using vocabulary::NodeId;

NodeProcess::NodeProcess(user_programs::LoadedProgram& program, NodeSeat& seat, const std::string& name)
    : ProgramProcess(program, seat.node()), seat_(seat), name_(name), main_(*this) {
    own_blocks();
    enter_list();
    if (seat_.report().logs != nullptr && keeps_logs())
        keep_flowback_log(seat_.report().logs->begin(node(), seat_.api().pid()));
}

void NodeProcess::enter_list() {
    seat_.report().running.push_back({node(), seat_.api().pid(), this});
}

// Also when the process was doomed: its stack is unwound then.
NodeProcess::~NodeProcess() {
    std::erase_if(seat_.report().running, [this](const Report::Running& one) { return one.process == this; });
    take_back_all();
    if (!is_thread()) seat_.give_back_memory(free_own_blocks());
}

std::int32_t NodeProcess::run_main(const trollius_os::Arguments& arguments) {
    call_.message.body = {};
    words_.clear();
    arguments_ = &arguments;
    if (seat_.report().begins_from) begin_from(seat_.report().begins_from(node()));
    const End end = run(0, seat_);
    seat_.api().calls().end_threads().get();          // while their memory is theirs
    seat_.api().process().signals().actions.reset();  // the handlers have no stack any more
    if (end == End::Ended && !exited_) return faulty_status;
    return status_;
}

namespace {

bool is_environment(const std::string& word) {
    return !word.empty() && word.front() == environment_mark;
}

}  // namespace

// The words of the command lie in memory that the process may change, as those of every program. The environment follows them.
void NodeProcess::prepare() {
    if (is_thread()) return;
    const auto word = [this](const std::string& text) {
        const auto* bytes = reinterpret_cast<const std::byte*>(text.c_str());
        if (std::byte* block = lend({bytes, text.size() + 1})) words_.push_back(block);
    };
    word(seat_.api().process().name());  // by which rploadgo() finds the program again
    for (const std::string& text : *arguments_)
        if (!is_environment(text)) word(text);
    argument_count_ = static_cast<int>(words_.size());
    words_.push_back(nullptr);
    for (const std::string& text : *arguments_)
        if (is_environment(text)) word(text.substr(1));
    words_.push_back(nullptr);
    vector_ = lend(std::as_bytes(std::span(words_)));
}

void NodeProcess::enter(void* code) {
    if (is_thread()) {
        using Start = void (*)(void (*)(void*), void*);
        return reinterpret_cast<Start>(code)(birth_->function, birth_->argument);
    }
    if (flowback_log() != nullptr) log_command();
    using Main = int (*)(int, char**);
    const auto start = reinterpret_cast<int (*)(Main, int, char**)>(program().address(1));
    status_ = start(reinterpret_cast<Main>(code), argument_count_, reinterpret_cast<char**>(vector_));
}

// The texts of the command and of the environment, and the lists of them.
void NodeProcess::log_command() {
    const auto address = [](const void* data) { return reinterpret_cast<std::uintptr_t>(data); };
    std::vector<flowback_log::Range> parts;
    for (const std::byte* word : words_) {
        if (word != nullptr) parts.emplace_back(address(word), std::strlen(reinterpret_cast<const char*>(word)) + 1);
    }
    parts.emplace_back(address(vector_), words_.size() * sizeof words_.front());
    flowback_log()->root(main_entry, 0, 0, parts);
}

void NodeProcess::exit(int status) {
    if (is_thread())
        stop(Problem::WrongCall, "calls exit() in a thread",
             "return from the thread's function; the process ends when main() returns");
    status_ = status;
    exited_ = true;
    end_quietly();
}

std::string NodeProcess::how_it_ends() const {
    return "look for a loop that does not end; 'doom n" + std::to_string(node().value()) + " p" + std::to_string(main_.pid()) +
           "' ends the process";
}

void NodeProcess::describe(user_programs::Diagnosis& diagnosis) const {
    diagnosis.program = name_;
}

std::optional<NodeId> NodeProcess::node_at(int number) const {
    if (number == LOCAL) return node();
    if (number < 0 || number > host()) return std::nullopt;
    return NodeId(static_cast<NodeId::value_type>(number));
}

void NodeProcess::require(const char* call, const char* name, const void* data, std::size_t bytes, bool for_writing) {
    if (bytes == 0 || owns(data, bytes, for_writing)) return;
    std::string what = std::string("calls ") + call + "() with " + name;  // moved on: stop() abandons what the stack owns
    if (data == nullptr)
        stop(Problem::NullPointer, std::move(what) + " null and " + std::to_string(bytes) + " bytes to move",
             "look for a pointer that was never set, or an allocation that found no memory");
    stop(Problem::WildPointer,
         std::move(what) + (for_writing ? " outside of the memory that it may write" : " outside of its memory") + ": " +
             std::to_string(bytes) + " bytes do not fit there",
         "look for a length that is too large, or a pointer that was never set, or was freed");
}

std::size_t NodeProcess::require_length(const char* call, const char* name, int length) {
    constexpr int most = 64 << 20;  // more than any node's RAM
    const auto what = [&] { return std::string("calls ") + call + "() with " + name + " " + std::to_string(length); };
    if (length < 0) stop(Problem::WrongCall, what(), "look for a difference of the wrong sign, or an overflow");
    if (length > most) stop(Problem::TooLarge, what() + ", more than a node holds", "look for an overflow in the size");
    return static_cast<std::size_t>(length);
}

// Reads on the program's stack, where a text without an end is the program's fault.
std::string NodeProcess::text_at(const char* call, const char* name, const char* text) {
    constexpr std::size_t longest = 4096;
    require(call, name, text, 1, false);
    const std::size_t length = strnlen(text, longest);
    if (length == longest)
        stop(Problem::TooLarge, std::string("calls ") + call + "() with " + name + " of more than 4096 characters",
             "look for a text without a zero at its end");
    return {text, length};
}

void NodeProcess::take_body(const char* call, const char* pointer_name, const char* length_name, const void* body, int length,
                            bool receives, bool leaves_node) {
    const std::size_t bytes = require_length(call, length_name, length);
    require(call, pointer_name, body, bytes, receives);
    if (receives) {
        call_.body.resize(bytes);
    } else {
        call_.body = copy_message(call, body, bytes, leaves_node);
    }
    call_.message.length = static_cast<std::uint32_t>(bytes);
    call_.message.body = call_.body;
}

// Returns the bytes received.
std::size_t NodeProcess::give_body(void* body) const {
    const std::size_t bytes = std::min<std::size_t>(call_.message.length, call_.body.size());
    if (bytes > 0) std::memcpy(body, call_.body.data(), bytes);
    return bytes;
}

int NodeProcess::finish_call(Outcome outcome) {
    constexpr std::size_t most_kept = 8192;  // more than a packet
    if (call_.body.capacity() > most_kept) Bytes().swap(call_.body);
    call_.message.body = {};
    if (outcome == Outcome::Interrupted) return -EINTR;
    if (outcome == Outcome::Broken) return -EMSGLEN;
    return outcome == Outcome::Done ? 0 : -EWOULDBLOCK;
}

int NodeProcess::kernel_call(int which, kmsg* out, kmsg* in) {
    constexpr const char* names[] = {"ksend", "krecv", "ksr"};  // in the order of trollius_kernel_call
    const char* const call = names[which];
    const bool sends = which != TROLLIUS_KRECV, receives = which != TROLLIUS_KSEND;
    if (sends) require(call, "a message", out, sizeof *out, false);
    if (receives) require(call, "a message", in, sizeof *in, true);
    const auto header = [](const kmsg& from) {
        return trollius_os::Message{.event = vocabulary::EventNo(from.k_event), .type = from.k_type};
    };
    if (receives) {  // first: take_body() leaves its result in message_
        take_body(call, "k_msg", "k_length", in->k_msg, in->k_length, true, false);
        call_.other_body = std::exchange(call_.body, {});
        call_.other = header(*in);
        call_.other.body = call_.other_body;
    }
    const bool wait = ((sends ? *out : *in).k_flags & KTRY) == 0;
    if (sends) {
        call_.message = header(*out);
        take_body(call, "k_msg", "k_length", out->k_msg, out->k_length, false, false);
    }
    on_caller([this, sends, receives, wait] {
        trollius_os::Api& api = seat_.api();
        Call& call = call_;
        call.outcome = !receives ? api.ksend(call.message, wait)
                       : !sends  ? api.krecv(call.other, wait)
                                 : api.ksr(call.message, call.other, wait);
        api.settle();
    });
    if (receives && call_.outcome == Outcome::Done) {
        call_.body.swap(call_.other_body);
        call_.message.length = call_.other.length;
        in->k_length = static_cast<int>(give_body(in->k_msg));
        in->k_type = call_.other.type;
    }
    Bytes().swap(call_.other_body);
    return finish_call(call_.outcome);
}

void NodeProcess::note(int what, const void* record, int bytes) {
    const std::size_t length = require_length("program_note", "a length", bytes);
    require("program_note", "a record", record, length, false);
    if (!seat_.report().note) return;
    seat_.report().note({node(), seat_.api().pid(), this}, what, {static_cast<const std::byte*>(record), length});
}

std::string NodeProcess::image_obstacle() const {
    if (open_files_ > 0) return "it has files open";
    if (changed_folder_) return "it has changed its working folder";
    if (std::any_of(handlers_.begin(), handlers_.end(), [](ksighandler its) { return its != nullptr; }))
        return "it has installed handlers of signals";
    if (!sending_.empty() || !receiving_.empty()) return "it has circuits open";
    if (handlers_begun_ > 0) return "a handler of it runs";
    if (children_ > 0) return "it waits for processes that it has started";
    return ProgramProcess::image_obstacle();
}

void NodeProcess::yield() {
    on_caller([this] {
        seat_.api().yield();
        take_signals();
    });
}

}  // namespace node_programs
