#include <farm_programs/loaded_program.hpp>

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <limits>

#include <farm_programs/block_costs.hpp>
#include <vocabulary/errors.hpp>

#include "../support/trek_support.h"
#include "module_file.hpp"
#include "program_state.hpp"
#include "system_fence.hpp"

namespace farm_programs {
namespace {

constexpr std::array<const char*, functions> names = {"init_master",     "data_generator", "compute_fn",
                                                      "result_receiver", "split_fn",       "join_fn"};

struct Segments {
    std::uintptr_t load = 0, data = 0, data_end = 0, text = 0, text_end = 0;
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
        if (header.p_type == PT_LOAD && (header.p_flags & PF_W) != 0)
            std::tie(found.data, found.data_end) = std::pair(begin, end);
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

constexpr std::uint16_t usual_block = 12;  // cycles of a block of unknown cost; serves the watchdog only

}  // namespace

const char* function_name(Function function) {
    return names[static_cast<std::size_t>(function)];
}

LoadedProgram::Module::~Module() {
    if (handle != nullptr) dlclose(handle);
    SystemFence::unload(text_begin, text_end);
    if (startup_room != nullptr) munmap(startup_room, TREK_STARTUP_ROOM);
}

void LoadedProgram::Module::load() {
    FaultCatcher::install(tell_system_call);
    refuse_functions_of_the_loader(path);
    try_to_open(path, [this] { open(); });
    open();
    find_functions();
    take_weights();
    support->table = &call_table();
    support->budget = piece();
    intact = std::make_unique<trek_support>();
    std::memcpy(intact.get(), support, sizeof *intact);  // with the padding between its members, for repair()
    pristine = current_globals();
}

void LoadedProgram::Module::open() {
    handle = dlopen(std::filesystem::absolute(path).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) throw vocabulary::RequestError("program " + path + " cannot be loaded: " + dlerror());
    drop_static_destructors(handle);
    const auto find_support = reinterpret_cast<trek_support* (*)()>(dlsym(handle, "trek_support_of_program"));
    if (find_support == nullptr)
        throw vocabulary::RequestError(
            "program " + path +
            " was built without Magicwire's support code; build it with `magicwire farm build`, or as "
            "examples/programs/CMakeLists.txt does");
    support = find_support();
    if (support->version != TREK_SUPPORT_VERSION)
        throw vocabulary::RequestError("program " + path + " was built for another version of Magicwire; build it again");
    find_segments();
    // The address is fixed, so that values a program computes from an address are the same in every run.
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    void* room = mmap(reinterpret_cast<void*>(0x108000000000), TREK_STARTUP_ROOM, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) throw vocabulary::HostError("no memory for the static constructors of program " + path);
    support->startup = startup_room = static_cast<char*>(room);
    SystemFence::guard(text_begin, text_end);
    construct();
}

void LoadedProgram::Module::find_functions() {
    for (std::size_t i = 0; i < functions; ++i) {
        function[i] = dlsym(handle, names[i]);
        const auto which = static_cast<Function>(i);
        const bool may_miss = which == Function::InitMaster || which == Function::Split || which == Function::Join;
        if (function[i] != nullptr || may_miss) continue;
        throw vocabulary::RequestError("program " + path + " has no function " + names[i] +
                                       "(); trek_kernel/trek.h lists what a program must have (a C++ program must include it)");
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
    UserStack stack(memory.take_stack(vocabulary::NodeId(0)), UserMemory::stack_bytes, {text_begin, text_end});
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
        path, (endless ? "does not end" : "fails") + (place.empty() ? "" : " at " + place) + (endless ? "" : ": it " + what)));
}

void LoadedProgram::Module::take_weights() {
    const std::vector<BlockCost> blocks = read_block_costs(path, costs.source == CostSource::Estimated);
    weights.assign(text_end - text_begin, blocks.empty() ? usual_block : 0);
    for (const BlockCost& block : blocks) {
        const std::uintptr_t at = load_address + block.offset;
        if (at >= text_begin && at < text_end) weights[at - text_begin] = block.cycles;
    }
    support->weights = weights.data();
    support->text = text_begin;
    support->text_bytes = weights.size();
}

bool LoadedProgram::Module::repair() {
    const std::int64_t left = budget();
    intact->budget = support->budget;
    intact->frame = support->frame;
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

std::int64_t LoadedProgram::Module::piece() const {
    // Estimated: a millisecond of a T800-20, so a long computation shows while it runs. Otherwise the watchdog checks rarely.
    constexpr std::int64_t estimated = 20'000, watched = 100'000'000;
    return costs.source == CostSource::Estimated ? estimated : std::min(watched, costs.watchdog_cycles);
}

Globals LoadedProgram::Module::current_globals() const {
    const auto* startup = reinterpret_cast<const std::byte*>(intact->startup);
    return {Bytes(data, data + data_bytes), Bytes(startup, startup + intact->startup_used),
            Bytes(thread_data, thread_data + thread_bytes)};
}

void LoadedProgram::Module::put(const Globals& globals) {
    std::copy(globals.data.begin(), globals.data.end(), data);
    std::copy(globals.startup.begin(), globals.startup.end(), reinterpret_cast<std::byte*>(intact->startup));
    std::copy(globals.thread.begin(), globals.thread.end(), thread_data);
}

void LoadedProgram::Module::activate(ProgramProcess::State& process) {
    memory.open_only(process.node);
    if (active == &process) return;
    if (active != nullptr) {
        active->saved.data.assign(data, data + data_bytes);
        const auto* startup = reinterpret_cast<const std::byte*>(intact->startup);
        active->saved.startup.assign(startup, startup + intact->startup_used);
        active->saved.thread.assign(thread_data, thread_data + thread_bytes);
    }
    put(process.saved);
    active = &process;
}

LoadedProgram::LoadedProgram(const std::string& path, ProgramCosts costs) : module_(std::make_unique<Module>()) {
    module_->path = path;
    module_->costs = std::move(costs);
    module_->load();
}

LoadedProgram::~LoadedProgram() = default;

bool LoadedProgram::has(Function function) const {
    return module_->function[static_cast<std::size_t>(function)] != nullptr;
}
const std::string& LoadedProgram::path() const {
    return module_->path;
}
const ProgramCosts& LoadedProgram::costs() const {
    return module_->costs;
}
std::size_t LoadedProgram::data_bytes() const {
    return module_->data_bytes;
}
const ChargedSum& LoadedProgram::charged(Function function) const {
    return module_->charged[static_cast<std::size_t>(function)];
}

ProgramProcess& LoadedProgram::create_process(vocabulary::NodeId node, const ProgramProcess* like) {
    Globals globals = module_->pristine;
    if (like != nullptr) globals = module_->active == like->state_.get() ? module_->current_globals() : like->state_->saved;
    module_->processes.push_back(
        std::make_unique<ProgramProcess>(std::make_unique<ProgramProcess::State>(*module_, node, std::move(globals))));
    return *module_->processes.back();
}

}  // namespace farm_programs
