#include "replay.hpp"

#include <algorithm>

#include <fmt/format.h>

#include <tmon_detrek/fault_list.hpp>
#include <vocabulary/errors.hpp>

namespace isolation {

using farm_programs::Call;
using farm_programs::Function;
using tmon_stories::ActList;

namespace {

Function function_kind(ActKind kind) {
    constexpr Function kinds[] = {Function::Compute, Function::Split, Function::Join};
    return kinds[static_cast<std::size_t>(kind)];
}

std::string why_ended(const Noted& noted) {
    for (const auto& diagnosis : noted.diagnoses.all())
        if (!diagnosis.outcome.empty()) return user_programs::text_of(diagnosis);
    return "it computes without end";
}

}  // namespace

const char* function_of(ActKind kind) {
    constexpr UserProcess kinds[] = {UserProcess::Compute, UserProcess::Split, UserProcess::Join};
    return name_of(kinds[static_cast<std::size_t>(kind)]);
}

std::string act_text(const Act& act, const farm_spec::FarmSpec& spec) {
    if (!spec.divides()) return fmt::format("task {}", act.task);
    return fmt::format("part {} of task {}", tmon_detrek::subtask_text(act.subtask, spec), act.task);
}

Replay::Replay(const tmon_stories::FarmActs& acts, const tmon_stories::Stories& stories, farm_programs::FarmProgram& program,
               const Request& request)
    : acts_(acts), stories_(stories), program_(program), request_(request), unread_(request.input) {}

QuietEnvironment Replay::environment(std::uint16_t node, Function function, Noted& noted) {
    const auto [its, is_new] = readings_.try_emplace({node, function});
    if (is_new) its->second = request_.readings.of(node, function);
    return {node, spec().tasks, request_.most_cycles, unread_, its->second, noted};
}

template <class Run>
End Replay::end_of(const Run& run) {
    try {
        run();
    } catch (const trek_kernel::ProcessEnds&) {
        return End::Stopped;
    } catch (const GivenUp&) {
        return End::Endless;
    }
    return End::Returned;
}

void Replay::note(const Noted& noted, const std::string& function) {
    const auto doubt = [&](bool holds, const char* what) {
        if (holds) doubts_.insert(function + " " + what);
    };
    doubt(noted.read_clock, "reads the clock of its node, and no record has what it read");
    doubt(noted.read_input, "reads the input stream, and no record says which process got which part of it");
    doubt(noted.lossy_readings,
          "reads its clock or its input, and records of its node are missing that may have had what it read");
    doubt(noted.used_kept && noted.switched_classes,
          "switches classes of events, so that records of what it read may not have been made");
    doubt(noted.sent_address, "puts an address into a message, and addresses differ from run to run");
}

// ---- the manager ----

FarmProcess& Replay::manager_process() {
    if (init_ == nullptr) {
        init_ = &program_.create_process(vocabulary::NodeId(0));
        Noted noted;
        QuietEnvironment quiet = environment(0, Function::InitMaster, noted);
        if (end_of([&] { init_->run(Call{.function = Function::InitMaster}, quiet); }) != End::Returned)
            throw vocabulary::RequestError("init_master() does not come to its end: " + why_ended(noted));
        note(noted, "init_master()");
        if (noted.memory_bytes > 0)
            doubts_.insert(
                "data_generator() and result_receiver() share what init_master() allocated, and no record says which of them "
                "used "
                "it when");
    }
    return program_.create_process(vocabulary::NodeId(0), init_);
}

Done Replay::generate(FarmProcess& process, std::uint32_t last, Noted& noted) {
    Done result;
    QuietEnvironment quiet = environment(0, Function::DataGenerator, noted);
    quiet.on_task = [&](Bytes task) {
        result.made.push_back(std::move(task));
        if (result.made.size() > last) throw EnoughSeen{};
    };
    try {
        result.end = end_of([&] { process.run(Call{.function = Function::DataGenerator}, quiet); });
    } catch (const EnoughSeen&) {
        result.end = End::MadeTask;
    }
    if (result.end == End::Returned) result.end = End::NotMade;
    return result;
}

Bytes Replay::task(std::uint32_t number) {
    if (!tasks_) {
        Noted noted;
        tasks_ = generate(manager_process(), spec().tasks - 1, noted);
        note(noted, "data_generator()");
        why_no_more_tasks_ = tasks_->end == End::NotMade ? "it returns before" : why_ended(noted);
    }
    if (number < tasks_->made.size()) return tasks_->made[number];
    throw vocabulary::RequestError(
        fmt::format("data_generator() makes {} tasks and not task {}: {}", tasks_->made.size(), number, why_no_more_tasks_));
}

Done Replay::receive(FarmProcess& process, const std::vector<std::pair<std::uint32_t, Bytes>>& results,
                     std::optional<std::uint32_t> last, std::size_t& taken, Noted& noted) {
    Done done;
    bool had_last = false;
    QuietEnvironment quiet = environment(0, Function::ResultReceiver, noted);
    quiet.on_result_asked = [&](trek_kernel::TaskIdentity& whose) {
        done.end = had_last ? End::AsksForOther : End::AsksForMore;
        if (had_last || taken == results.size()) throw EnoughSeen{};
        had_last = results[taken].first == last;
        whose.task = results[taken].first;
        return results[taken++].second;
    };
    try {
        done.end = end_of([&] { process.run(Call{.function = Function::ResultReceiver}, quiet); });
    } catch (const EnoughSeen&) {
        return done;
    }
    return done;
}

// ---- the workers ----

Replay::Seat& Replay::seat(ActKind kind, std::uint16_t worker) {
    Seat& seat = seats_[{worker, kind}];
    if (seat.process == nullptr) seat.process = &program_.create_process(vocabulary::NodeId(worker));
    return seat;
}

Done Replay::call(FarmProcess& process, ActKind kind, const Act& act, const std::vector<Bytes>& input, Noted& noted) {
    Done done;
    QuietEnvironment quiet = environment(process.node().value(), function_kind(kind), noted);
    Call call{.function = function_kind(kind), .task = {act.task, act.subtask}, .degree = spec().degree};
    if (kind == ActKind::Join) {
        call.parts = input;
    } else {
        call.body = input.front();
    }
    done.end = end_of([&] { done.made = process.run(call, quiet).made; });
    return done;
}

const Done& Replay::do_one(Seat& seat, ActKind kind, std::uint16_t worker, const Act& act) {
    if (const auto found = seat.done.find(act); found != seat.done.end()) return found->second;
    const std::vector<Bytes> given = input(kind, worker, act);
    Noted noted;
    Done done = call(*seat.process, kind, act, given, noted);
    note(noted, function_of(kind));
    if (done.end != End::Returned)
        doubts_.insert(fmt::format("{} of {} on n{} does not come to its end here: {}", function_of(kind),
                                   act_text(act, spec()), worker, why_ended(noted)));
    return seat.done[act] = std::move(done);
}

void Replay::do_earlier(ActKind kind, std::uint16_t worker, const Act& act, std::vector<Act>* list) {
    const ActList before = acts_.before(kind, worker, act);
    doubts_.insert(before.doubts.begin(), before.doubts.end());
    doubts_.insert(acts_.doubts().begin(), acts_.doubts().end());
    Seat& its = seat(kind, worker);
    for (const Act& earlier : before.acts) do_one(its, kind, worker, earlier);
    if (list != nullptr) *list = before.acts;
}

const Done& Replay::done(ActKind kind, std::uint16_t worker, const Act& act) {
    Seat& its = seat(kind, worker);
    if (const auto found = its.done.find(act); found != its.done.end()) return found->second;
    do_earlier(kind, worker, act, nullptr);
    return do_one(its, kind, worker, act);
}

FarmProcess& Replay::worker_process(ActKind kind, std::uint16_t worker, const Act& act, bool fresh, std::vector<Act>& earlier) {
    if (fresh) {
        readings_[{worker, function_kind(kind)}] = {};  // those of the earlier calls would come first
        return program_.create_process(vocabulary::NodeId(worker));
    }
    do_earlier(kind, worker, act, &earlier);
    return *seat(kind, worker).process;
}

const Bytes& Replay::only(const Done& done, const std::string& what) {
    if (done.made.size() == 1) return done.made.front();
    throw vocabulary::RequestError("the input cannot be rebuilt: " + what + " gives no result; isolate that call first");
}

Bytes Replay::result(std::uint16_t worker, const Act& act) {
    const bool further = acts_.went_below(worker, act);
    if (!acts_.arrived(worker, act))
        doubts_.insert(fmt::format("no record shows that {} came to n{}", act_text(act, spec()), worker));
    if (further && !spec().divides()) return result(acts_.child_of(worker, act, 0), act);
    const ActKind kind = further ? ActKind::Join : ActKind::Compute;
    return only(done(kind, worker, act), fmt::format("{} of {} on n{}", function_of(kind), act_text(act, spec()), worker));
}

// The digit of the worker's level names the branch.
Bytes Replay::part(std::uint16_t worker, const Act& act) {
    const std::uint16_t parent = *tree().parent(worker);
    if (parent == 0 || !spec().divides()) return task(act.task);
    const unsigned shift = 4 * tree().level(worker), branch = act.subtask >> shift & 0xFU;
    const Act whole{act.task, act.subtask & ~(0xFU << shift)};
    const Done& split = done(ActKind::Split, parent, whole);
    if (branch < split.made.size()) return split.made[branch];
    throw vocabulary::RequestError(fmt::format(
        "the input cannot be rebuilt: split_fn() of {} on n{} makes {} parts and not part {}; isolate that call first",
        act_text(whole, spec()), parent, split.made.size(), branch));
}

std::vector<Bytes> Replay::input(ActKind kind, std::uint16_t worker, const Act& act) {
    if (kind != ActKind::Join) return {part(worker, act)};
    std::vector<Bytes> parts;
    for (unsigned branch = 0; branch < spec().degree; ++branch) {
        const auto id = farm_spec::FarmSpec::branch_id(act.subtask, tree().level(worker), branch);
        parts.push_back(result(acts_.child_of(worker, act, branch), {act.task, id}));
    }
    return parts;
}

}  // namespace isolation
