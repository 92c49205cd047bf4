#include <user_programs/loaded_program.hpp>

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <limits>
#include <tuple>

#include <user_programs/block_costs.hpp>
#include <user_programs/elf_symbols.hpp>
#include <user_programs/system_fence.hpp>
#include <vocabulary/errors.hpp>

#include "../support/program_support.h"
#include "module_file.hpp"
#include "program_module.hpp"

namespace user_programs {
namespace {

struct Segments {
    std::uintptr_t load = 0, data = 0, filled_end = 0, data_end = 0, text = 0, text_end = 0, end = 0;
    std::size_t loaded_bytes = 0;
    std::byte* thread = nullptr;
    std::size_t thread_bytes = 0;
};

// Finds the module's data and bss: its writable segment without the part that the loader makes read-only after relocation. Also
// finds its variables of this thread.
int find(dl_phdr_info* info, std::size_t, void* out) {
    auto& found = *static_cast<Segments*>(out);
    if (info->dlpi_addr != found.load) return 0;
    std::uintptr_t fixed_end = 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const auto& header = info->dlpi_phdr[i];
        const std::uintptr_t begin = info->dlpi_addr + header.p_vaddr, end = begin + header.p_memsz;
        if (header.p_type == PT_LOAD) {
            found.end = std::max(found.end, end);
            found.loaded_bytes += header.p_filesz;
        }
        if (header.p_type == PT_LOAD && (header.p_flags & PF_W) != 0)
            std::tie(found.data, found.filled_end, found.data_end) = std::tuple(begin, begin + header.p_filesz, end);
        if (header.p_type == PT_LOAD && (header.p_flags & PF_X) != 0)
            std::tie(found.text, found.text_end) = std::pair(begin, end);
        if (header.p_type == PT_GNU_RELRO) fixed_end = end;
        if (header.p_type == PT_TLS && info->dlpi_tls_data != nullptr) {
            found.thread = static_cast<std::byte*>(info->dlpi_tls_data);
            found.thread_bytes = header.p_memsz;
        }
    }
    found.data = std::max(found.data, fixed_end);
    return 1;
}

std::vector<bool> startup_taken;  // rooms for static constructors, one beside the other

bool imports_setjmp(const std::string& path) {
    const std::vector<ElfSymbol> symbols = global_symbols(path, SymbolTable::Dynamic);
    return std::any_of(symbols.begin(), symbols.end(),
                       [](const ElfSymbol& its) { return !its.defined && its.name.find("setjmp") != std::string::npos; });
}

constexpr std::uint16_t usual_block = 12;  // cycles of a block of unknown cost; serves the watchdog only

}  // namespace

LoadedProgram::Module::~Module() {
    if (handle != nullptr) dlclose(handle);
    SystemFence::unload(text_begin, text_end);
    give_back_startup_room();
}

void LoadedProgram::Module::load(const Module* like) {
    FaultCatcher::install(tell_system_call);
    if (like == nullptr) {
        refuse_functions_of_the_loader(path);
        try_to_open(program, [this] { open(); });
    }
    open();
    find_functions();
    calls_setjmp = like != nullptr ? like->calls_setjmp : imports_setjmp(path);
    weights = like != nullptr && like->text_end - like->text_begin == text_end - text_begin ? like->weights : read_weights();
    support->weights = weights->data();
    support->text = text_begin;
    support->text_bytes = weights->size();
    support->common = &common_calls();
    support->calls = program.kind().calls;
    support->budget = piece();
    intact = std::make_unique<program_support>();
    std::memcpy(intact.get(), support, sizeof *intact);  // with the padding between its members, for repair()
    pristine = current_globals();
    pristine_thread = current_thread();
}

void LoadedProgram::Module::open() {
    handle = dlopen(std::filesystem::absolute(path).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) throw vocabulary::RequestError("program " + path + " cannot be loaded: " + dlerror());
    drop_static_destructors(handle);
    const auto find_support = reinterpret_cast<program_support* (*)()>(dlsym(handle, "support_of_program"));
    if (find_support == nullptr)
        throw vocabulary::RequestError("program " + path + " was built without Magicwire's support code; build it with " +
                                       program.kind().how_to_build);
    support = find_support();
    if (support->version != PROGRAM_SUPPORT_VERSION)
        throw vocabulary::RequestError("program " + path + " was built for another version of Magicwire; build it again");
    find_segments();
    startup_room = take_startup_room();
    support->startup = startup_room;
    SystemFence::guard(text_begin, text_end);
    construct();
}

// The address is fixed, so that values a program computes from an address are the same in every run.
char* LoadedProgram::Module::take_startup_room() {
    startup_number =
        static_cast<std::size_t>(std::find(startup_taken.begin(), startup_taken.end(), false) - startup_taken.begin());
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    void* wanted = reinterpret_cast<void*>(0x108000000000 + startup_number * PROGRAM_STARTUP_ROOM);
    void* room = mmap(wanted, PROGRAM_STARTUP_ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) throw vocabulary::HostError("no memory for the static constructors of program " + path);
    if (startup_number == startup_taken.size()) startup_taken.push_back(false);
    startup_taken[startup_number] = true;
    return static_cast<char*>(room);
}

void LoadedProgram::Module::give_back_startup_room() {
    if (startup_room == nullptr) return;
    munmap(startup_room, PROGRAM_STARTUP_ROOM);
    startup_taken[startup_number] = false;
}

void LoadedProgram::Module::find_functions() {
    for (const ProgramKind::Entry& entry : program.kind().entries) {
        function.push_back(dlsym(handle, entry.name));
        if (function.back() != nullptr || entry.may_miss) continue;
        throw vocabulary::RequestError("program " + path + " has no function " + entry.name + "(); " +
                                       program.kind().what_it_needs);
    }
}

void LoadedProgram::Module::find_segments() {
    link_map* map = nullptr;
    Segments segments;
    // The search is by address, since the loader may know the file by another name.
    if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0) segments.load = map->l_addr;
    if (dl_iterate_phdr(find, &segments) == 0 || segments.text == 0 || segments.data == 0)
        throw vocabulary::RequestError("program " + path +
                                       " cannot be used: the loader does not say where its code and data lie");
    load_address = segments.load;
    text_begin = segments.text;
    text_end = segments.text_end;
    data = reinterpret_cast<std::byte*>(segments.data);  // NOLINT(performance-no-int-to-ptr): an address of the loader
    data_bytes = segments.data_end > segments.data ? segments.data_end - segments.data : 0;
    constexpr std::uintptr_t page = 4096;
    const std::uintptr_t zeros = (std::max(segments.filled_end, segments.data) + page - 1) / page * page;
    constexpr std::size_t large = std::size_t{1} << 20;  // a smaller end costs less as a part of the rest
    // NOLINTNEXTLINE(performance-no-int-to-ptr): an address of the loader
    if (segments.data_end > zeros + large) zeroed = {reinterpret_cast<std::byte*>(zeros), segments.data_end - zeros};
    image_end = segments.end;
    loaded_bytes = segments.loaded_bytes;
    thread_data = segments.thread;
    thread_bytes = segments.thread_bytes;
}

// Runs its static constructors, which the support code has kept from the loader. They run behind the fences, on a stack that
// can be abandoned.
void LoadedProgram::Module::construct() {
    using Constructor = void (*)(int, char**, char**);
    const auto* const constructors = reinterpret_cast<const Constructor*>(support->constructors);
    const std::size_t count = support->constructor_count;
    const char* const complaint = support->complaint;
    static char* no_words[] = {nullptr};
    StartedConstructors::complaint.clear();
    std::byte* const room = memory.take_stack(vocabulary::NodeId(0));
    if (own_memory == nullptr) memory.give_back_stack(vocabulary::NodeId(0), room);  // no process begins before the end of this
    UserStack stack(room, UserMemory::stack_bytes, {text_begin, text_end});
    const bool whole = stack.run(
        [&] {
            SystemFence::close();
            for (std::size_t i = 0; i < count; ++i) constructors[i](0, no_words, no_words);
            SystemFence::open();
        },
        [&] { FaultCatcher::begin(stack, false); }, [] { FaultCatcher::end(); });
    if (whole) return;
    const FaultReport fault = FaultCatcher::take();
    std::string what = StartedConstructors::complaint.empty() ? complaint : StartedConstructors::complaint;
    if (what.empty()) what = fault_name(fault, stack);
    const std::string place = where(code_of(fault));
    const bool endless = fault.signal == SIGXCPU;
    throw vocabulary::RequestError(constructors_fail(
        program,
        (endless ? "does not end" : "fails") + (place.empty() ? "" : " at " + place) + (endless ? "" : ": it " + what)));
}

LoadedProgram::Module::Weights LoadedProgram::Module::read_weights() const {
    const std::vector<BlockCost> blocks = read_block_costs(path, costs.source == CostSource::Estimated);
    auto its = std::make_shared<std::vector<std::uint16_t>>(text_end - text_begin, blocks.empty() ? usual_block : 0);
    for (const BlockCost& block : blocks) {
        const std::uintptr_t at = load_address + block.offset;
        if (at >= text_begin && at < text_end) (*its)[at - text_begin] = block.cycles;
    }
    return its;
}

bool LoadedProgram::Module::repair() {
    const std::int64_t left = budget();
    intact->budget = support->budget;
    intact->frame = support->frame;
    intact->library_cycles = support->library_cycles;
    // Padding counts too: the program may not write anywhere in it.
    // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison)
    if (left == support->budget && std::memcmp(intact.get(), support, sizeof *intact) == 0) return false;
    intact->budget = left;
    std::memcpy(support, intact.get(), sizeof *intact);
    return true;
}

// The block that uses up the budget is the last, and takes at most 65535 cycles.
std::int64_t LoadedProgram::Module::budget() const {
    return std::clamp<std::int64_t>(support->budget, -std::int64_t{std::numeric_limits<std::uint16_t>::max()}, piece());
}

// A wild pointer may have changed the number.
Cycles LoadedProgram::Module::take_library_work() {
    constexpr unsigned long long most = 1'000'000'000'000;
    const auto taken = static_cast<std::int64_t>(std::min(support->library_cycles, most));
    support->library_cycles = 0;
    return Cycles(taken);
}

std::int64_t LoadedProgram::Module::piece() const {
    // Estimated: a millisecond of a T800-20, so a long computation shows while it runs. Otherwise the watchdog checks rarely.
    constexpr std::int64_t estimated = 20'000, watched = 100'000'000;
    return costs.source == CostSource::Estimated ? estimated : std::min(watched, costs.watchdog_cycles);
}

Globals LoadedProgram::Module::current_globals() const {
    const auto* startup = reinterpret_cast<const std::byte*>(intact->startup);
    return {Bytes(data, data + data_bytes - zeroed.bytes()), zeroed.content(), Bytes(startup, startup + intact->startup_used)};
}

void LoadedProgram::Module::put(const Globals& values) {
    std::copy(values.data.begin(), values.data.end(), data);
    zeroed.put(values.zeroed);
    std::copy(values.startup.begin(), values.startup.end(), reinterpret_cast<std::byte*>(intact->startup));
}

void LoadedProgram::Module::activate(ProgramProcess& process) {
    memory.open_only(process.node_);
    Bytes& wanted_thread = process.memory_->thread;
    if (active_thread == &wanted_thread) return;
    if (active_thread != nullptr) active_thread->assign(thread_data, thread_data + thread_bytes);
    std::copy(wanted_thread.begin(), wanted_thread.end(), thread_data);
    active_thread = &wanted_thread;

    Globals& wanted = *process.memory_->saved;
    if (active == &wanted) return;
    if (active != nullptr) {
        const auto* const startup = reinterpret_cast<const std::byte*>(intact->startup);
        active->data.assign(data, data + data_bytes - zeroed.bytes());
        active->zeroed = zeroed.content();
        active->startup.assign(startup, startup + intact->startup_used);
    }
    put(wanted);
    active = &wanted;
}

SharedMemory::SharedMemory(std::size_t stacks, Heaps heaps, std::uint64_t most_ram)
    : memory(std::make_unique<UserMemory>(stacks, heaps, most_ram)) {}
SharedMemory::~SharedMemory() = default;

LoadedProgram::LoadedProgram(const std::string& path, ProgramCosts costs, const ProgramKind& kind, SharedMemory* shared)
    : path_(path),
      costs_(std::move(costs)),
      kind_(kind),
      charged_(kind.entries.size()),
      module_(std::make_unique<Module>(*this, shared == nullptr ? nullptr : shared->memory.get())) {
    module_->load(nullptr);
}

LoadedProgram::LoadedProgram(const std::string& path, const LoadedProgram& like, SharedMemory& shared)
    : path_(path),
      costs_(like.costs_),
      kind_(like.kind_),
      charged_(kind_.entries.size()),
      module_(std::make_unique<Module>(*this, shared.memory.get())) {
    module_->load(like.module_.get());
}

LoadedProgram::~LoadedProgram() = default;

bool LoadedProgram::has(std::size_t entry) const {
    return module_->function[entry] != nullptr;
}
std::size_t LoadedProgram::data_bytes() const {
    return module_->data_bytes;
}
std::size_t LoadedProgram::process_bytes() const {
    const Globals& all = module_->pristine;
    return module_->data_bytes + all.startup.size() + module_->pristine_thread.size();
}
void* LoadedProgram::address(std::size_t entry) const {
    return module_->function[entry];
}
const void* LoadedProgram::variable(const char* name) const {
    return dlsym(module_->handle, name);
}
std::string LoadedProgram::line_of(std::uintptr_t return_address) const {
    return module_->where({return_address - 1});
}
LoadedProgram::Addresses LoadedProgram::addresses() const {
    return {module_->load_address, module_->text_begin, module_->text_end,
            reinterpret_cast<std::uintptr_t>(module_->thread_data)};
}
bool LoadedProgram::calls_setjmp() const {
    return module_->calls_setjmp;
}
std::size_t LoadedProgram::loaded_bytes() const {
    return module_->loaded_bytes;
}
std::vector<std::byte> LoadedProgram::loaded_content() const {
    return loaded_parts(path_);
}

}  // namespace user_programs
