#include "fibers.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "fiber_port.h"

namespace lam_fibers {
namespace {

constexpr std::size_t stack_bytes = 512 * 1024;

[[noreturn]] void give_up(const std::string& why) {
    std::fprintf(stderr, "%s\n", why.c_str());
    std::exit(1);
}

}  // namespace

void Machine::run(unsigned high, unsigned low) {
    auto* self = reinterpret_cast<Machine*>(static_cast<std::uintptr_t>(high) << 32U | low);
    Rank& own = *self->ranks_[static_cast<std::size_t>(self->running_)];
    while (true) {
        own.job();
        own.busy = false;
        swapcontext(&own.fiber, &self->driver_);
    }
}

Machine::Machine(const std::string& library, int ranks, int short_bytes) {
    for (int i = 0; i < ranks; ++i) {
        ranks_.push_back(std::make_unique<Rank>());
        load(library, i, ranks, short_bytes);
        prepare(*ranks_.back());
    }
}
void Machine::prepare(Rank& rank) {
    rank.stack = std::make_unique<char[]>(stack_bytes);
    getcontext(&rank.fiber);
    rank.fiber.uc_stack.ss_sp = rank.stack.get();
    rank.fiber.uc_stack.ss_size = stack_bytes;
    rank.fiber.uc_link = nullptr;
    const auto self = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&rank.fiber, reinterpret_cast<void (*)()>(&Machine::run), 2, static_cast<unsigned>(self >> 32U),
                static_cast<unsigned>(self));
}
// Libraries stay loaded: a leak checker would find no names for what they hold.
Machine::~Machine() = default;

// One file loaded twice would be one library with one set of data.
void Machine::load(const std::string& library, int rank, int ranks, int short_bytes) {
    const std::string copy =
        (std::filesystem::temp_directory_path() / ("lam_rank_" + std::to_string(getpid()) + "_" + std::to_string(rank) + ".so"))
            .string();
    std::error_code error;
    std::filesystem::copy_file(library, copy, std::filesystem::copy_options::overwrite_existing, error);
    if (error) give_up("cannot copy " + library + " to " + copy + ": " + error.message());
    Rank& own = *ranks_[static_cast<std::size_t>(rank)];
    own.module = dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL);
    std::filesystem::remove(copy, error);
    if (own.module == nullptr) give_up(dlerror());
    const auto find = [&own](const char* name) {
        void* const found = dlsym(own.module, name);
        if (found == nullptr) give_up(dlerror());
        return found;
    };
#define LAM_FIBERS_FIND(name) own.api.name = reinterpret_cast<decltype(&MPI_##name)>(find("MPI_" #name));
    LAM_FIBERS_ALL(LAM_FIBERS_FIND)
#undef LAM_FIBERS_FIND
    fiber_port port{};
    port.context = this;
    port.rank = rank;
    port.short_bytes = short_bytes;
    port.send = &Machine::send;
    port.receive = &Machine::receive;
    port.abort = &Machine::abort;
    port.size = ranks;
    reinterpret_cast<void (*)(const fiber_port*)>(find("fiber_port_set"))(&port);
}

void Machine::begin(int rank, std::function<void()> job) {
    Rank& own = *ranks_[static_cast<std::size_t>(rank)];
    own.job = std::move(job);
    own.busy = true;
    resume(rank);
}

void Machine::resume(int rank) {
    running_ = rank;
    swapcontext(&driver_, &ranks_[static_cast<std::size_t>(rank)]->fiber);
}

void Machine::release(int source, int destination) {
    auto& ways = under_way_[{source, destination}];
    auto& inbox = ranks_[static_cast<std::size_t>(destination)]->inbox;
    for (auto& packet : ways) inbox.push_back(std::move(packet));
    ways.clear();
}

void Machine::all(const std::function<void(int rank)>& job) {
    for (int i = 0; i < size(); ++i) begin(i, [&job, i] { job(i); });
    bool some = true;
    while (some) {
        some = false;
        for (int i = 0; i < size(); ++i) {
            for (int from = 0; from < size(); ++from) release(from, i);
            if (!is_busy(i)) continue;
            some = true;
            resume(i);
        }
    }
}

void Machine::send(void* self, int from, int to, const void* packet, std::size_t bytes) {
    const char* const begin = static_cast<const char*>(packet);
    static_cast<Machine*>(self)->under_way_[{from, to}].emplace_back(begin, begin + bytes);
}

int Machine::receive(void* self, int rank, void* packet, int wait) {
    auto* machine = static_cast<Machine*>(self);
    Rank& own = *machine->ranks_[static_cast<std::size_t>(rank)];
    while (own.inbox.empty() && wait != 0) swapcontext(&own.fiber, &machine->driver_);
    if (own.inbox.empty()) return 0;
    std::memcpy(packet, own.inbox.front().data(), own.inbox.front().size());
    own.inbox.pop_front();
    return 1;
}

void Machine::abort(void* self, int rank, int code) {
    (void)self;
    give_up("rank " + std::to_string(rank) + " aborts with code " + std::to_string(code));
}

}  // namespace lam_fibers
