#include <tmon_session/module_application.hpp>

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <vector>

#define TREK_TABLE_ONLY
#include <trek_kernel/trek.h>
#include <trollius_os/services.hpp>
#include <vocabulary/contract.hpp>
#include <vocabulary/nearest_name.hpp>

namespace tmon_session {

using trek_kernel::Bytes;
using trek_kernel::Context;
using trek_kernel::Master;
using trek_kernel::UserProcess;

namespace {

// What the C functions act on: set when a process calls into the module, and again whenever its turn comes back.
struct Caller {
    Master* master = nullptr;
    Context* context = nullptr;
    Bytes result;  // of compute_fn, or last got
    bool returned = false;
};
Caller* calling = nullptr;

trollius_os::Api& api() {
    return calling->context != nullptr ? calling->context->api() : calling->master->api();
}
std::span<const std::byte> bytes_of(const void* data, unsigned count) {
    return {static_cast<const std::byte*>(data), count};
}

const trek_table table = {
    .do_task = [](const void* task, unsigned bytes) { calling->master->do_task(bytes_of(task, bytes)); },
    .get_result =
        [](unsigned* bytes) {
            Caller* caller = calling;
            caller->result = caller->master->get_result(nullptr);
            if (bytes != nullptr) *bytes = static_cast<unsigned>(caller->result.size());
            return static_cast<const void*>(caller->result.data());
        },
    .return_result =
        [](const void* result, unsigned bytes) {
            const auto data = bytes_of(result, bytes);
            calling->result.assign(data.begin(), data.end());
            calling->returned = true;
        },
    .total_tasks = []() -> unsigned { return calling->master->total_tasks(); },
    .work_us =
        [](unsigned long long microseconds) {
            api().compute(vocabulary::SimTime::us(static_cast<std::int64_t>(microseconds)));
        },
    .allocate = [](unsigned bytes) { return api().port().allocate(bytes); },
    .release = [](void* block) { api().port().release(block); },
    .print = [](const char* text) { trollius_os::print(api(), api().kernel().host(), text); },
};

}  // namespace

struct ModuleApplication::Globals {
    Bytes saved;
    Caller caller;
};

struct ModuleApplication::Module {
    void* handle = nullptr;
    void (*init_master)() = nullptr;
    void (*data_generator)() = nullptr;
    void (*compute_fn)(const void*, unsigned) = nullptr;
    void (*result_receiver)() = nullptr;
    std::byte* data = nullptr;  // writable data of the module
    std::size_t size = 0;
    Bytes pristine;
    std::vector<std::unique_ptr<Globals>> all;
    std::vector<Globals*> of_node;
    Globals* active = nullptr;

    Globals& create(const Bytes& content) {
        all.push_back(std::make_unique<Globals>(Globals{content, {}}));
        return *all.back();
    }
};

namespace {

struct Segment {
    const char* path;
    std::byte* data = nullptr;
    std::size_t size = 0;
};

// Finds the module's data and bss: its writable segment without what the loader makes read-only after relocation.
int find_segment(dl_phdr_info* info, std::size_t, void* out) {
    auto& segment = *static_cast<Segment*>(out);
    if (info->dlpi_name == nullptr || std::strcmp(info->dlpi_name, segment.path) != 0) return 0;
    ElfW(Addr) begin = 0, end = 0, fixed_end = 0;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const auto& header = info->dlpi_phdr[i];
        if (header.p_type == PT_LOAD && (header.p_flags & PF_W) != 0) {
            begin = info->dlpi_addr + header.p_vaddr;
            end = begin + header.p_memsz;
        }
        if (header.p_type == PT_GNU_RELRO) fixed_end = info->dlpi_addr + header.p_vaddr + header.p_memsz;
    }
    begin = std::max(begin, fixed_end);
    segment.data = reinterpret_cast<std::byte*>(begin);  // NOLINT(performance-no-int-to-ptr): an address of the loader
    segment.size = end > begin ? end - begin : 0;
    return 1;
}

template <class Function>
void look_up(void* handle, const std::string& path, const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(dlsym(handle, name));
    if (function == nullptr)
        throw std::runtime_error("program " + path + " has no function " + name +
                                 "(); trek_kernel/trek.h lists what a program must have");
}

}  // namespace

ModuleApplication::ModuleApplication(const std::string& path) : module_(std::make_unique<Module>()) {
    const std::string absolute = std::filesystem::absolute(path).string();
    module_->handle = dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (module_->handle == nullptr) throw std::runtime_error("program " + path + " cannot be loaded: " + dlerror());
    look_up(module_->handle, path, "init_master", module_->init_master);
    look_up(module_->handle, path, "data_generator", module_->data_generator);
    look_up(module_->handle, path, "compute_fn", module_->compute_fn);
    look_up(module_->handle, path, "result_receiver", module_->result_receiver);
    auto* pointer = static_cast<const trek_table**>(dlsym(module_->handle, "trek_table_of_program"));
    if (pointer == nullptr)
        throw std::runtime_error("program " + path + " lacks TREK_PROGRAM; put it once into one of its files");
    *pointer = &table;
    Segment segment{absolute.c_str()};
    dl_iterate_phdr(find_segment, &segment);
    module_->data = segment.data;
    module_->size = segment.size;
    module_->pristine.assign(segment.data, segment.data + segment.size);
}

ModuleApplication::~ModuleApplication() {
    if (module_->handle != nullptr) dlclose(module_->handle);
}

void ModuleApplication::activate(Globals& globals) {
    calling = &globals.caller;
    if (module_->active == &globals) return;
    if (module_->active != nullptr) module_->active->saved.assign(module_->data, module_->data + module_->size);
    std::copy(globals.saved.begin(), globals.saved.end(), module_->data);
    module_->active = &globals;
}

// The master's two processes start with what init_master left; every other process, also one that computes beside them, with
// the program's own initial values.
std::function<void()> ModuleApplication::globals_of(vocabulary::NodeId node, std::optional<UserProcess> process) {
    if (module_->of_node.size() <= node.value()) module_->of_node.resize(node.value() + 1U);
    Globals*& main = module_->of_node[node.value()];
    Globals* mine = nullptr;
    if (!process) {
        mine = main = &module_->create(module_->pristine);
    } else if (*process == UserProcess::Compute) {
        mine = &module_->create(module_->pristine);
    } else {
        EXPECTS(main != nullptr, "module_application.globals_of.order");
        if (module_->active == main) main->saved.assign(module_->data, module_->data + module_->size);
        mine = &module_->create(main->saved);
    }
    return [this, mine] { activate(*mine); };
}

void ModuleApplication::init_master(Master& master) {
    calling->master = &master;
    module_->init_master();
}

void ModuleApplication::data_generator(Master& master) {
    calling->master = &master;
    module_->data_generator();
}

void ModuleApplication::result_receiver(Master& master) {
    calling->master = &master;
    module_->result_receiver();
}

Bytes ModuleApplication::compute(Context& context, std::span<const std::byte> task) {
    Caller* mine = calling;
    mine->context = &context;
    mine->returned = false;
    module_->compute_fn(task.data(), static_cast<unsigned>(task.size()));
    mine->context = nullptr;
    if (!mine->returned) context.output.omitted = true;
    return std::move(mine->result);
}

std::string find_program(const std::string& name) {
    const std::filesystem::path executable = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    std::vector<std::string> names;
    // Beside the executable of the build tree or of an installation; the build tree's own place for executables that lie
    // elsewhere.
    for (const std::filesystem::path& folder : {executable / "../examples/programs", executable / "../lib/magicwire/programs",
                                                std::filesystem::path(MAGICWIRE_PROGRAMS_FOLDER)}) {
        if (!std::filesystem::is_directory(folder)) continue;
        for (const auto& entry : std::filesystem::directory_iterator(folder)) {
            if (entry.path().extension() != ".so") continue;
            if (entry.path().stem() == name) return entry.path().string();
            names.push_back(entry.path().stem().string());
        }
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    std::string known;
    for (const std::string& other : names) known += (known.empty() ? "" : ", ") + other;
    throw std::runtime_error("there is no program '" + name + "'" + vocabulary::did_you_mean(name, names) +
                             "; programs there are: " + (known.empty() ? "none" : known));
}

}  // namespace tmon_session
