#include <node_programs/programs.hpp>

#include <algorithm>
#include <array>
#include <filesystem>

#include <user_programs/program_process.hpp>
#include <user_programs/tools.hpp>
#include <vocabulary/errors.hpp>

#include "node_process.hpp"
#include "trollius_table.hpp"

namespace node_programs {
namespace {

using user_programs::LoadedProgram;
using user_programs::ProgramKind;

// NodeProcess::enter() needs this order.
constexpr std::array<ProgramKind::Entry, 2> entries = {{{"main"}, {"trollius_start"}}};

const ProgramKind& trollius_kind() {
    static const ProgramKind kind = {.entries = entries,
                                     .calls = &trollius_table(),
                                     .how_to_build = "`magicwire cc`, or as examples/trollius/CMakeLists.txt does",
                                     .what_it_needs = "node_programs/trollius.h says what a program has",
                                     .instead_of_ending = "return from main(), or call exit() or kexit(); its process ends here",
                                     .one_thread = "a process is one thread: remove locks and waits",
                                     .instead_of_constructing = "move its work into main()",
                                     .manual = "docs/formats/trollius_program.md"};
    return kind;
}

void run(LoadedProgram& program, const std::string& name, Report& report, trollius_os::Api& api,
         const trollius_os::Arguments& arguments) {
    NodeSeat seat(api, report);
    if (!user_programs::ProgramProcess::has_room(program, api.node())) {
        seat.diagnose({.problem = user_programs::Problem::OutOfMemory,
                       .node = api.node(),
                       .what = "cannot begin: " + std::to_string(most_processes) + " processes of programs run there already",
                       .advice = "wait for some to end, or take more nodes",
                       .outcome = "its process has ended",
                       .program = name});
        return api.process().set_exit_status(faulty_status);
    }
    NodeProcess process(program, seat, name);
    api.process().set_exit_status(process.run_main(arguments));
}

}  // namespace

Programs::Programs(Report& report) : memory_(most_processes), report_(report) {}
Programs::~Programs() = default;

trollius_os::Program Programs::load(const std::string& path, const LoadOptions& options) {
    const std::string where = std::filesystem::weakly_canonical(path), content = user_programs::content_of(where);
    const auto known = std::find_if(loaded_.begin(), loaded_.end(), [&](const auto& l) { return l->program->path() == where; });
    Loaded* its = known == loaded_.end() ? nullptr : known->get();
    if (its != nullptr && its->content != content)
        throw vocabulary::RequestError("program " + path +
                                       " has changed since it was loaded; give the new one another name, or begin a new session");
    if (its == nullptr) {
        auto program = std::make_unique<LoadedProgram>(where, options.costs, trollius_kind(), &memory_);
        loaded_.push_back(std::make_unique<Loaded>(Loaded{std::move(program), std::filesystem::path(path).stem(), content}));
        its = loaded_.back().get();
    }
    return {.bytes = static_cast<std::uint32_t>(its->program->loaded_bytes()),
            .stack_bytes = options.stack_bytes + its->program->process_bytes(),
            .entry = [its, report = &report_](trollius_os::Api& api, const trollius_os::Arguments& arguments) {
                run(*its->program, its->name, *report, api, arguments);
            },
            .content = its->program->loaded_content()};
}

}  // namespace node_programs
