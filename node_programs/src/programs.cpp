#include <node_programs/programs.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include <user_programs/program_process.hpp>
#include <user_programs/tools.hpp>
#include <vocabulary/errors.hpp>

#include "node_process.hpp"
#include "trollius_table.hpp"

namespace node_programs {
namespace {

using user_programs::LoadedProgram;
using user_programs::ProgramKind;
namespace fs = std::filesystem;

// NodeProcess::enter() and run_thread() need this order.
constexpr std::array<ProgramKind::Entry, 3> entries = {{{"main"}, {"trollius_start"}, {"trollius_thread"}}};

const ProgramKind& trollius_kind() {
    static const ProgramKind kind = {
        .entries = entries,
        .calls = &trollius_table(),
        .how_to_build = "`magicwire cc`, or as examples/trollius/CMakeLists.txt does",
        .what_it_needs = "node_programs/trollius.h says what a program has",
        .instead_of_ending = "return from main(), or call exit() or kexit(); its process ends here",
        .one_thread = "nobody can unlock it: threads are those of kpar_Na(), and wait for each other with ksend() and krecv()",
        .instead_of_constructing = "move its work into main()",
        .manual = "docs/formats/trollius_program.md"};
    return kind;
}

void run(LoadedProgram& program, const std::string& name, Report& report, trollius_os::Api& api,
         const trollius_os::Arguments& arguments) {
    NodeSeat seat(api, report);
    if (!user_programs::ProgramProcess::has_room(program, api.node())) {
        seat.diagnose(
            {.problem = user_programs::Problem::OutOfMemory,
             .node = api.node(),
             .what = "cannot begin: " + std::to_string(most_processes) + " processes and threads of programs run there already",
             .advice = "wait for some to end, or take more nodes",
             .outcome = "its process has ended",
             .program = name});
        return api.process().set_exit_status(faulty_status);
    }
    NodeProcess process(program, seat, name);
    api.process().set_exit_status(process.run_main(arguments));
}

// A file of its own for another version of a module: the host's loader knows modules by their names.
class PrivateCopy {
public:
    explicit PrivateCopy(const fs::path& module) {
        std::string folder = (fs::temp_directory_path() / "magicwire_XXXXXX").string();
        if (mkdtemp(folder.data()) == nullptr)
            throw vocabulary::HostError("no folder for a copy of program " + module.string() + " can be made in " +
                                        fs::temp_directory_path().string());
        folder_ = folder;
        for (const fs::path& from : {module, fs::path(module).replace_extension(".blocks")}) {
            std::error_code error;  // without a table of costs, the program has the usual ones
            fs::copy_file(from, folder_ / from.filename(), error);
        }
        path_ = folder_ / module.filename();
    }
    ~PrivateCopy() {
        std::error_code error;
        fs::remove_all(folder_, error);
    }
    PrivateCopy(const PrivateCopy&) = delete;
    PrivateCopy& operator=(const PrivateCopy&) = delete;
    std::string path() const { return path_.string(); }

private:
    fs::path folder_, path_;
};

// Also when the process is doomed: its stack is unwound then.
class Use {
public:
    explicit Use(bool& used) : used_(used), was_(std::exchange(used, true)) {}
    ~Use() { used_ = was_; }
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

private:
    bool& used_;
    bool was_;
};

}  // namespace

struct Programs::Loaded {
    struct Copy {
        std::unique_ptr<PrivateCopy> file;  // null: the file itself
        std::unique_ptr<LoadedProgram> program;
        bool used = false;  // by a process; it has the globals to itself
    };
    std::string path, content, name;
    user_programs::ProgramCosts costs;  // of all copies
    std::vector<Copy> copies;

    void add(bool of_its_own, user_programs::SharedMemory& memory) {
        Copy copy;
        if (of_its_own) copy.file = std::make_unique<PrivateCopy>(path);
        const std::string file = of_its_own ? copy.file->path() : path;
        copy.program = copies.empty() ? std::make_unique<LoadedProgram>(file, costs, trollius_kind(), &memory)
                                      : std::make_unique<LoadedProgram>(file, first(), memory);
        copies.push_back(std::move(copy));
    }
    LoadedProgram& first() { return *copies.front().program; }
    // A free copy, or the first, which then several processes share.
    Copy& take() {
        const auto free = std::find_if(copies.begin(), copies.end(), [](const Copy& copy) { return !copy.used; });
        return free == copies.end() ? copies.front() : *free;
    }
};

std::optional<user_programs::ProgramProcess::Computation> computation_of(const Report& report, vocabulary::NodeId node,
                                                                         vocabulary::ProcessId pid) {
    std::optional<user_programs::ProgramProcess::Computation> longest;
    for (const Report::Running& one : report.running) {
        if (one.node != node || one.pid != pid) continue;
        const auto its = one.process->computation();
        if (its && (!longest || longest->time < its->time)) longest = its;
    }
    return longest;
}

Programs::Programs(Report& report, user_programs::Heaps heaps) : Programs(report, heaps, 0) {}
Programs::Programs(Report& report, user_programs::Heaps heaps, std::uint64_t most_ram)
    : memory_(most_processes, heaps, most_ram), report_(report) {}
Programs::~Programs() = default;

Programs::Loaded& Programs::find_or_load(const std::string& path, const LoadOptions& options) {
    const std::string where = fs::weakly_canonical(path), content = user_programs::content_of(where);
    bool known = false;
    for (const auto& loaded : loaded_) {
        known = known || loaded->path == where;
        if (loaded->path == where && loaded->content == content) return *loaded;
    }
    const std::string name = options.name.empty() ? fs::path(path).stem().string() : options.name;
    auto loaded =
        std::make_unique<Loaded>(Loaded{.path = where, .content = content, .name = name, .costs = options.costs, .copies = {}});
    loaded->add(known, memory_);
    loaded_.push_back(std::move(loaded));
    return *loaded_.back();
}

std::vector<LoadedProgram*> Programs::copies_of(const std::string& path) const {
    const std::string where = fs::weakly_canonical(path);
    const auto last = std::find_if(loaded_.rbegin(), loaded_.rend(), [&](const auto& loaded) { return loaded->path == where; });
    std::vector<LoadedProgram*> copies;
    if (last == loaded_.rend()) return copies;
    for (const Loaded::Copy& copy : (*last)->copies) copies.push_back(copy.program.get());
    return copies;
}

trollius_os::Program Programs::load(const std::string& path, const LoadOptions& options) {
    Loaded& its = find_or_load(path, options);
    while (its.copies.size() < options.copies) its.add(true, memory_);
    return {.bytes = static_cast<std::uint32_t>(its.first().loaded_bytes()),
            .stack_bytes = options.stack_bytes + its.first().process_bytes(),
            .entry =
                [&its, report = &report_](trollius_os::Api& api, const trollius_os::Arguments& arguments) {
                    Loaded::Copy& copy = its.take();
                    const Use use(copy.used);
                    run(*copy.program, its.name, *report, api, arguments);
                },
            .content = its.first().loaded_content()};
}

}  // namespace node_programs
