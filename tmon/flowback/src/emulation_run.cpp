// Runs the tracing version: native code of the program, on the debugger's memory.
#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <exception>

#include <flowback_log/trace_calls.h>
#include <tmon_flowback/emulation.hpp>
#include <vocabulary/errors.hpp>

#include "memory.hpp"

namespace tmon_flowback {

// The calls of the tracing version come without a context.
struct TraceCalls {
    static Emulation* now;
    static void begin(unsigned function) { now->begin(function); }
    static unsigned long address(unsigned global) { return now->log_.address_of(global); }
    static unsigned long variable(unsigned site, unsigned long bytes, unsigned local) {
        return now->variable(site, bytes, local != 0);
    }
    static void statement(unsigned site) { now->statement(site); }
    static void load(unsigned site, unsigned long address, unsigned long bytes, void* value) {
        now->load(site, address, bytes, value);
    }
    static void store(unsigned site, unsigned long address, unsigned long bytes, const void* value) {
        now->store(site, address, bytes, value);
    }
    static void copy(unsigned site, unsigned long to, unsigned long from, unsigned long bytes) {
        now->copy(site, to, from, bytes);
    }
    static void fill(unsigned site, unsigned long to, unsigned value, unsigned long bytes) {
        now->fill(site, to, value, bytes);
    }
    static void inherited(unsigned site) { now->inherited(site); }
    static void call(unsigned site, unsigned long code, const void* words, unsigned long size, void* value,
                     unsigned long bytes) {
        now->call(site, code, words, size, value, bytes);
    }
    static void leave(unsigned site, const void* value, unsigned long bytes) { now->leave(site, value, bytes); }
    static void branch(unsigned site, unsigned long decided) { now->branch(site, decided); }
};
Emulation* TraceCalls::now = nullptr;

namespace {

constexpr flowback_trace_calls table = {.begin = TraceCalls::begin,
                                        .address = TraceCalls::address,
                                        .variable = TraceCalls::variable,
                                        .statement = TraceCalls::statement,
                                        .load = TraceCalls::load,
                                        .store = TraceCalls::store,
                                        .copy = TraceCalls::copy,
                                        .fill = TraceCalls::fill,
                                        .inherited = TraceCalls::inherited,
                                        .call = TraceCalls::call,
                                        .leave = TraceCalls::leave,
                                        .branch = TraceCalls::branch};

// A statement of the program can fault here as it did there: a division by zero. Its memory accesses cannot.
constexpr std::array<int, 4> faults = {SIGFPE, SIGSEGV, SIGBUS, SIGILL};
sigjmp_buf fault_place;

void on_fault(int signal) {
    siglongjmp(fault_place, signal);
}

class FaultsCaught {
public:
    FaultsCaught() {
        stack_t own{};
        own.ss_sp = room_.data();
        own.ss_size = room_.size();
        sigaltstack(&own, &stack_before_);
        struct sigaction action {};
        action.sa_handler = on_fault;
        action.sa_flags = SA_ONSTACK | SA_NODEFER;
        for (std::size_t i = 0; i < faults.size(); ++i) sigaction(faults[i], &action, &before_[i]);
    }
    ~FaultsCaught() {
        for (std::size_t i = 0; i < faults.size(); ++i) sigaction(faults[i], &before_[i], nullptr);
        sigaltstack(&stack_before_, nullptr);
    }
    FaultsCaught(const FaultsCaught&) = delete;
    FaultsCaught& operator=(const FaultsCaught&) = delete;

private:
    std::array<char, 1U << 16U> room_{};
    std::array<struct sigaction, faults.size()> before_{};
    stack_t stack_before_{};
};

}  // namespace

TraceModule::TraceModule(const PreparedProgram& program) {
    const std::string& code = program.module("tracing.so");
    const int file = memfd_create("flowback", MFD_CLOEXEC);
    const std::string path = "/proc/self/fd/" + std::to_string(file);
    bool written = file >= 0;
    for (std::size_t at = 0; written && at < code.size();) {
        const ssize_t count = write(file, code.data() + at, code.size() - at);
        written = count > 0;
        at += written ? static_cast<std::size_t>(count) : 0;
    }
    if (written) handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    const std::string problem = handle_ != nullptr ? "" : written ? dlerror() : "no memory for it";
    if (file >= 0) close(file);
    if (handle_ == nullptr) throw vocabulary::HostError("the tracing version cannot be loaded: " + problem);
    const auto use = reinterpret_cast<void (*)(const flowback_trace_calls*)>(dlsym(handle_, "flowback_trace_use"));
    if (use == nullptr) throw vocabulary::HostError("the tracing version is not whole; make it anew with 'magicwire prepare'");
    use(&table);
}

TraceModule::~TraceModule() {
    if (handle_ != nullptr) dlclose(handle_);
}

TraceModule::Entry TraceModule::entry(std::uint32_t function) const {
    return reinterpret_cast<Entry>(dlsym(handle_, ("flowback_run_" + std::to_string(function)).c_str()));
}

void Emulation::run(const TraceModule& module) {
    const TraceModule::Entry entry = module.entry(interval_.function);
    if (entry == nullptr) {
        stopped_ = "the tracing version lacks the function";
        return;
    }
    std::uint64_t offset = interval_.begin;
    const auto prelog = log_.log().next(offset);
    alignas(16) std::array<std::byte, 4096> words{};
    if (!prelog || prelog->bytes.size() > words.size()) {
        stopped_ = "the log has no arguments of the function";
        return;
    }
    if (!prelog->bytes.empty()) std::memcpy(words.data(), prelog->bytes.data(), prelog->bytes.size());
    Emulation* const before = TraceCalls::now;
    TraceCalls::now = this;
    const FaultsCaught caught;
    if (sigsetjmp(fault_place, 1) == 0) {
        try {
            entry(words.data());
            complete_ = true;
        } catch (const Stop&) {
            complete_ = false;
        } catch (const std::exception& error) {
            complete_ = false;
            stopped_ = std::string("the interval cannot be run again: ") + error.what();
        }
    } else {
        stopped_ = "the program faults here";
        differs_ = interval_.how == Interval::End::Left;
    }
    TraceCalls::now = before;
    if (interval_.how == Interval::End::Left) proved_ = static_cast<std::uint32_t>(events_.size());
    if (!complete_) return;
    if (interval_.how != Interval::End::Left && cursor_ >= interval_.end) {
        complete_ = false;
        stopped_ = "the log ends somewhere here, and the function did not return";
        return;
    }
    std::uint64_t at = cursor_;
    const auto postlog = log_.log().next(at);
    if (interval_.how == Interval::End::Left && postlog && cursor_ == interval_.end &&
        (!compares_ || std::equal(postlog->bytes.begin(), postlog->bytes.end(), returned_.begin(), returned_.end())))
        return;
    complete_ = false;
    differs_ = true;
    stopped_ = interval_.how == Interval::End::Left ? "the function returns otherwise than the log says"
                                                    : "the function returns, and in the log it did not";
}

}  // namespace tmon_flowback
