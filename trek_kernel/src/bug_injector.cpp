#include <trek_kernel/bug_injector.hpp>

#include <algorithm>
#include <cmath>

#include <vocabulary/split_mix.hpp>

namespace trek_kernel {

using vocabulary::SimTime;

namespace {

SimTime now(Context& context) {
    return context.api().port().now();
}

}  // namespace

BugInjector::BugInjector(std::unique_ptr<Application> application, std::vector<PlannedBug> bugs, std::uint64_t seed)
    : application_(std::move(application)), seed_(seed) {
    for (std::size_t i = 0; i < bugs.size(); ++i) {
        const bool by_application = bugs[i].of_dat_file && static_cast<int>(bugs[i].bug) <= last_bug_by_application;
        if (!by_application)
            planted_[static_cast<std::size_t>(bugs[i].process)].push_back({std::move(bugs[i]), static_cast<int>(i), 0});
    }
}

BugInjector::~BugInjector() = default;

std::uint64_t BugInjector::random(const Planted& planted, UserProcess process, const TaskIdentity& what) const {
    const std::uint64_t task = (std::uint64_t{what.task} << 32U) | what.subtask;
    return vocabulary::split_mix(
        vocabulary::split_mix(vocabulary::split_mix(seed_, static_cast<std::uint64_t>(planted.index)), task),
        static_cast<std::uint64_t>(process));
}

BugInjector::Due BugInjector::due(vocabulary::NodeId node, UserProcess process, const TaskIdentity& what) {
    Due result;
    for (Planted& planted : planted_[static_cast<std::size_t>(process)]) {
        const PlannedBug& bug = planted.bug;
        if (!info_of(bug.bug).of_a_task() || !bug.selects(node, process, what)) continue;
        // The upper 53 bits as a number from 0 to below 1.
        const double dice = static_cast<double>(random(planted, process, what) >> 11U) * 0x1p-53;
        if (bug.probability && dice >= *bug.probability) continue;
        ++planted.met;
        if (!bug.occurrence || *bug.occurrence == planted.met) result.push_back(&planted);
    }
    return result;
}

bool BugInjector::starts(vocabulary::NodeId node, UserProcess process) {
    for (const Planted& planted : planted_[static_cast<std::size_t>(process)]) {
        if (planted.bug.bug == Bug::NeverStarted && (!planted.bug.node || *planted.bug.node == node)) return false;
    }
    return application_->starts(node, process);
}

// A wild write acts while the function that has it runs. It comes with the first block that the function gives back, while its
// memory is still there.
class BugInjector::WildWriter {
public:
    WildWriter(BugInjector& injector, Context& context, const Due& due) : context_(context) {
        const bool any = std::any_of(due.begin(), due.end(), [](const Planted* p) { return p->bug.bug == Bug::WildWrite; });
        if (!any) return;
        context.before_release = [&injector, &context, due] {
            for (const Planted* planted : due) {
                if (planted->bug.bug == Bug::WildWrite) injector.write_wildly(context, *planted);
            }
        };
    }
    WildWriter(const WildWriter&) = delete;
    WildWriter& operator=(const WildWriter&) = delete;
    ~WildWriter() { context_.before_release = nullptr; }
    void write_now() {
        if (const auto write = std::exchange(context_.before_release, nullptr)) write();
    }

private:
    Context& context_;
};

// After the user's function: the bugs that strike, in the order of the list.
namespace {

// The product may be longer than modelled time can be: then the work lasts until the session is cut. `took` is time, and work
// is stated in that of a T800-20.
void work_longer(Context& context, SimTime took, double times) {
    constexpr double most_ps = 1e17;  // a day
    constexpr SimTime stated = SimTime::ms(1);
    const double lasts = static_cast<double>(context.api().port().lasts(stated).in_ps());
    const double factor = lasts / static_cast<double>(stated.in_ps());
    for (double left = static_cast<double>(took.in_ps()) * times / factor; left > 0; left -= most_ps)
        context.work(SimTime::ps(std::llround(std::min(left, most_ps))));
}

}  // namespace

void BugInjector::finish(Context& context, const Due& due, SimTime began, std::span<Bytes> made) {
    for (const Planted* planted : due) {
        // A crash stands for a node that fails under this task; a task issued again runs on a sound one.
        const bool spared = planted->bug.bug == Bug::NodeCrash && context.issued_again;
        if (planted->bug.bug != Bug::WildWrite && !spared) strike(context, *planted, began, made);
    }
}

void BugInjector::strike(Context& context, const Planted& planted, SimTime began, std::span<Bytes> made) {
    const PlannedBug& bug = planted.bug;
    std::string detail;
    if (bug.bug == Bug::WrongResult) {
        for (Bytes& bytes : made) {
            const std::uint64_t where = random(planted, context.process(), context.identity());
            detail = invert(bytes, bug.bytes.value_or(1), where);
        }
    }
    const SimTime took = now(context) - began;
    context.strike(static_cast<int>(bug.bug), planted.index, detail);
    Output& output = context.output;
    switch (bug.bug) {
        case Bug::EarlyEnd:
            context.end_process();
        case Bug::EndlessLoop:
            while (true) context.work(SimTime::ms(10));
        case Bug::NodeCrash:
            return context.api().port().crash();
        case Bug::OutOfMemory:
            while (context.allocate(65'536) != nullptr) context.work(SimTime::us(10));
            context.end_process();
        case Bug::WaitsForEver:
            context.wait_for_ever();
            return;
        case Bug::Slow:
            return work_longer(context, took, bug.factor - 1);
        case Bug::NeverSent:
            output.omitted = true;
            return;
        case Bug::Duplicated:
            output.copies = 2;
            return;
        case Bug::WrongOrder:
            output.held_back = true;
            return;
        case Bug::WrongIdentity:
            output.task = bug.identity;
            return;
        case Bug::Unexpected:
            output.also_as = bug.identity;
            return;
        case Bug::WrongSize:
            output.announced_bytes = bug.bytes;
            return;
        default:
            return;
    }
}

std::string BugInjector::invert(std::span<std::byte> bytes, std::uint32_t count, std::uint64_t where) const {
    if (bytes.empty()) return "no byte to invert";
    const std::size_t many = std::min<std::size_t>(count, bytes.size()), first = where % (bytes.size() - many + 1);
    for (std::byte& byte : bytes.subspan(first, many)) byte = ~byte;
    return "inverted " + std::to_string(many) + " of " + std::to_string(bytes.size()) + " bytes from byte " +
           std::to_string(first) + " on";
}

void BugInjector::write_wildly(Context& context, const Planted& planted) const {
    const auto blocks = context.api().port().allocated_blocks();
    const std::uint64_t dice = random(planted, context.process(), context.identity());
    std::size_t bytes = 0;
    for (const auto& block : blocks) bytes += block.size();
    std::string detail = "the node's programs had no heap block to hit";
    std::size_t at = bytes > 0 ? dice % bytes : 0, number = 0;
    for (const auto& block : blocks) {
        ++number;
        if (at >= block.size()) {
            at -= block.size();
            continue;
        }
        detail = "block " + std::to_string(number) + " of " + std::to_string(blocks.size()) + ": " +
                 invert(block.subspan(at), planted.bug.bytes.value_or(4), 0);
        break;
    }
    context.strike(static_cast<int>(Bug::WildWrite), planted.index, detail);
}

Bytes BugInjector::compute(Context& context, std::span<const std::byte> task) {
    const Due due = this->due(context.api().node(), UserProcess::Compute, context.identity());
    const SimTime began = now(context);
    WildWriter writer(*this, context, due);
    Bytes result = application_->compute(context, task);
    writer.write_now();
    finish(context, due, began, {&result, 1});
    return result;
}

std::vector<Bytes> BugInjector::split(Context& context, std::span<const std::byte> task, std::size_t degree) {
    const Due due = this->due(context.api().node(), UserProcess::Split, context.identity());
    const SimTime began = now(context);
    WildWriter writer(*this, context, due);
    std::vector<Bytes> parts = application_->split(context, task, degree);
    writer.write_now();
    finish(context, due, began, parts);
    return parts;
}

Bytes BugInjector::join(Context& context, const std::vector<Bytes>& results) {
    const Due due = this->due(context.api().node(), UserProcess::Join, context.identity());
    const SimTime began = now(context);
    WildWriter writer(*this, context, due);
    Bytes result = application_->join(context, results);
    writer.write_now();
    finish(context, due, began, {&result, 1});
    return result;
}

// The Master that data_generator calls: the block of a task ends with its do_task().
class BugInjector::Generator final : public Master {
public:
    Generator(BugInjector& injector, Master& master) : injector_(injector), master_(master), since_(now()) {}

    void do_task(std::span<const std::byte> task, const Output& how) override {
        const TaskIdentity what{master_.next_task(), 0};
        const Due due = injector_.due(api().node(), UserProcess::Generate, what);
        if (due.empty()) {
            master_.do_task(task, how);
        } else {
            Context context = master_.context(UserProcess::Generate, what);
            context.output = how;
            Bytes bytes(task.begin(), task.end());
            WildWriter(injector_, context, due).write_now();
            injector_.finish(context, due, since_, {&bytes, 1});
            master_.do_task(bytes, context.output);
        }
        since_ = now();
    }
    std::uint32_t next_task() const override { return master_.next_task(); }
    Bytes get_result(TaskIdentity* whose) override { return master_.get_result(whose); }
    std::uint32_t total_tasks() const override { return master_.total_tasks(); }
    trollius_os::Api& api() override { return master_.api(); }
    Context context(UserProcess process, TaskIdentity identity) override { return master_.context(process, identity); }

private:
    SimTime now() { return master_.api().port().now(); }
    BugInjector& injector_;
    Master& master_;
    SimTime since_;
};

// The Master that result_receiver calls: the block of a result ends when the next one is asked for, or with the function.
class BugInjector::Receiver final : public Master {
public:
    Receiver(BugInjector& injector, Master& master) : injector_(injector), master_(master) {}

    Bytes get_result(TaskIdentity* whose) override {
        finish();
        Got got = next();
        taken_ = got.whose;
        since_ = api().port().now();
        if (whose != nullptr) *whose = got.shown;
        return std::move(got.bytes);
    }
    // Called when the function has returned.
    void end() {
        finish();
        if (one_more_) master_.get_result(nullptr);
    }
    void do_task(std::span<const std::byte> task, const Output& how) override { master_.do_task(task, how); }
    std::uint32_t next_task() const override { return master_.next_task(); }
    std::uint32_t total_tasks() const override { return master_.total_tasks(); }
    trollius_os::Api& api() override { return master_.api(); }
    Context context(UserProcess process, TaskIdentity identity) override { return master_.context(process, identity); }

private:
    struct Got {
        TaskIdentity whose, shown;
        Bytes bytes;
    };

    // The next result as a bug lets the function see it.
    Got next() {
        if (!ready_.empty()) {
            Got got = std::move(ready_.back());
            ready_.pop_back();
            due_.clear();
            return got;
        }
        while (true) {
            Got got;
            got.bytes = master_.get_result(&got.whose);
            got.shown = got.whose;
            due_ = injector_.due(api().node(), UserProcess::PostProcess, got.whose);
            const auto has = [&](Bug bug) { return change(got, bug); };
            if (has(Bug::NeverSent)) continue;
            if (const Planted* size = has(Bug::WrongSize)) got.bytes.resize(*size->bug.bytes);
            if (const Planted* identity = has(Bug::WrongIdentity)) got.shown.task = *identity->bug.identity;
            if (has(Bug::Duplicated)) ready_.push_back(got);
            if (has(Bug::WrongOrder)) {
                ready_.insert(ready_.begin(), std::move(got));
                continue;
            }
            return got;
        }
    }
    // The bug of this kind that strikes this result, told to the witnesses.
    const Planted* change(const Got& got, Bug bug) {
        for (const Planted* planted : due_) {
            if (planted->bug.bug != bug) continue;
            master_.context(UserProcess::PostProcess, got.whose).strike(static_cast<int>(bug), planted->index);
            return planted;
        }
        return nullptr;
    }

    void finish() {
        if (!taken_ || due_.empty()) return;
        Context context = master_.context(UserProcess::PostProcess, *taken_);
        WildWriter(injector_, context, due_).write_now();
        Due due;
        for (const Planted* planted : std::exchange(due_, {})) {
            const Bug bug = planted->bug.bug;
            if (bug == Bug::WaitsForEver) {
                context.strike(static_cast<int>(bug), planted->index);
                one_more_ = true;
            } else if (info_of(bug).of != BugClass::Messages) {
                due.push_back(planted);
            }
        }
        injector_.finish(context, due, since_, {});
    }

    BugInjector& injector_;
    Master& master_;
    Due due_;                 // in the block of the result that was taken last
    std::vector<Got> ready_;  // given once more, or kept back; the last element is given next
    std::optional<TaskIdentity> taken_;
    SimTime since_;
    bool one_more_ = false;
};

void BugInjector::data_generator(Master& master) {
    Generator generator(*this, master);
    application_->data_generator(generator);
}

void BugInjector::result_receiver(Master& master) {
    Receiver receiver(*this, master);
    application_->result_receiver(receiver);
    receiver.end();
}

}  // namespace trek_kernel
