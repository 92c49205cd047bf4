#include "fibers.hpp"

#include <dlfcn.h>
#include <link.h>
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

Machine::Machine(const std::string& library, int ranks, int short_bytes) : short_bytes_(short_bytes) {
    for (int i = 0; i < ranks; ++i) {
        ranks_.push_back(std::make_unique<Rank>());
        load(library, i);
        prepare(*ranks_.back());
    }
    for (int i = 0; i < ranks; ++i) set_port(i);
}
void Machine::prepare(Rank& rank) {
    if (!rank.stack) rank.stack = std::make_unique<char[]>(stack_bytes);
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

// One file loaded twice would be one library with one set of data, and so would another of its name.
void Machine::load(const std::string& library, int rank) {
    static int copies = 0;
    const std::string name = "lam_rank_" + std::to_string(getpid()) + "_" + std::to_string(++copies) + ".so";
    const std::string copy = (std::filesystem::temp_directory_path() / name).string();
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
}
void Machine::set_port(int rank) {
    fiber_port port{};
    port.context = this;
    port.rank = rank;
    port.short_bytes = short_bytes_;
    port.send = &Machine::send;
    port.receive = &Machine::receive;
    port.abort = &Machine::abort;
    port.size = size();
    port.wishes = deliveries_.wishes;
    port.script = &Machine::script;
    port.tell = &Machine::tell;
    port.note = &Machine::note;
    void* const module = ranks_[static_cast<std::size_t>(rank)]->module;
    reinterpret_cast<void (*)(const fiber_port*)>(dlsym(module, "fiber_port_set"))(&port);
}

namespace {
struct Segment {
    ElfW(Addr) of = 0;
    char* begin = nullptr;
    std::size_t bytes = 0;
};
// The variables of one library: its segment that can be written.
int look_at(dl_phdr_info* info, std::size_t, void* found) {
    auto& segment = *static_cast<Segment*>(found);
    if (info->dlpi_addr != segment.of) return 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const auto& its = info->dlpi_phdr[i];
        if (its.p_type != PT_LOAD || (its.p_flags & PF_W) == 0) continue;
        segment.begin = reinterpret_cast<char*>(info->dlpi_addr + its.p_vaddr);
        segment.bytes = its.p_memsz;
    }
    // The loader has made this read-only since.
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const auto& its = info->dlpi_phdr[i];
        if (its.p_type != PT_GNU_RELRO) continue;
        char* const end = reinterpret_cast<char*>(info->dlpi_addr + its.p_vaddr + its.p_memsz);
        if (end <= segment.begin || end > segment.begin + segment.bytes) continue;
        segment.bytes -= static_cast<std::size_t>(end - segment.begin);
        segment.begin = end;
    }
    return 1;
}
}  // namespace

void Machine::reset(Deliveries deliveries) {
    deliveries_ = std::move(deliveries);
    under_way_.clear();
    for (int i = 0; i < size(); ++i) {
        Rank& rank = *ranks_[static_cast<std::size_t>(i)];
        if (rank.data == nullptr) {
            const auto* const map = static_cast<const link_map*>(rank.module);
            Segment segment{.of = map->l_addr};
            dl_iterate_phdr(&look_at, &segment);
            rank.data = segment.begin;
            rank.fresh.assign(segment.begin, segment.begin + segment.bytes);
        }
        std::memcpy(rank.data, rank.fresh.data(), rank.fresh.size());
        rank.inbox.clear();
        rank.busy = false;
        prepare(rank);
        set_port(i);
    }
}
bool Machine::is_idle() const {
    for (const auto& [way, packets] : under_way_)
        if (!packets.empty()) return false;
    for (const auto& rank : ranks_)
        if (!rank->inbox.empty()) return false;
    return true;
}
const lam_record& Machine::record(int rank) const {
    return *static_cast<const lam_record*>(dlsym(ranks_[static_cast<std::size_t>(rank)]->module, "lam_recorded"));
}
const lam_event* Machine::script(void* self, int rank, lam_script_head* head, int* count) {
    auto& its = static_cast<Machine*>(self)->deliveries_;
    const auto& events = its.events.at(static_cast<std::size_t>(rank));
    static const lam_event none{};
    *head = its.head;
    *count = static_cast<int>(events.size());
    return events.empty() ? &none : events.data();
}
void Machine::note(void* self, int what, void* record) {
    const auto& its = static_cast<Machine*>(self)->deliveries_;
    if (its.noted) its.noted(what, *static_cast<lam_question*>(record));
}
void Machine::tell(void* self, int rank, const int* words, const void* body, int bytes) {
    const auto& its = static_cast<Machine*>(self)->deliveries_;
    if (!its.told || words[0] == LAM_TOLD_CLOCK || words[0] == LAM_TOLD_DIVERGED) return;
    const auto* const head = static_cast<const lam_record_head*>(body);
    its.told(rank, *head, reinterpret_cast<const lam_event*>(head + 1),
             static_cast<int>((static_cast<std::size_t>(bytes) - sizeof *head) / sizeof(lam_event)));
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

bool Machine::release_one(int source, int destination) {
    const auto way = under_way_.find({source, destination});
    if (way == under_way_.end() || way->second.empty()) return false;
    ranks_[static_cast<std::size_t>(destination)]->inbox.push_back(std::move(way->second.front()));
    way->second.pop_front();
    return true;
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
