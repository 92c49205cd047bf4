#include <trek_kernel/simulated_application.hpp>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>

#include <vocabulary/source_position.hpp>

namespace trek_kernel {
namespace {

constexpr std::uint64_t most_task = 0xffff'ffff, most_time_us = 1'000'000'000'000;  // eleven days; modelled time ends after 106

// One .dat line, field by field, with its columns.
class Line {
public:
    Line(const std::string& text, std::string file, int number) : text_(text), file_(std::move(file)), number_(number) {}

    std::uint64_t number(const char* what, std::uint64_t most = UINT64_MAX) {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
        std::uint64_t value = 0;
        const char* begin = text_.data() + at_;
        const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
        const bool whole = end == text_.data() + text_.size() || *end == ' ' || *end == '\t';
        if (error != std::errc() || !whole)
            fail(at_, std::string("expected ") + what + ", a whole number from 0, and got '" + word() + "'");
        if (value > most) fail(at_, std::string(what) + " is at most " + std::to_string(most) + ", and this is " + word());
        at_ += static_cast<std::size_t>(end - begin);
        return value;
    }
    std::size_t count_fields() const {
        std::istringstream words(text_);
        return static_cast<std::size_t>(std::distance(std::istream_iterator<std::string>(words), {}));
    }
    [[noreturn]] void fail(std::size_t at, const std::string& message) const {
        throw vocabulary::InputError({file_, number_, static_cast<int>(at) + 1}, message);
    }
    std::size_t at() const { return at_; }

private:
    std::string word() const { return text_.substr(at_, text_.find_first_of(" \t", at_) - at_); }
    const std::string& text_;
    std::string file_;
    int number_;
    std::size_t at_ = 0;
};

std::uint32_t task_number_in(std::span<const std::byte> task) {
    std::uint32_t number = 0;  // a task that a damaged message made may have no byte at all
    std::memcpy(&number, task.data(), std::min(sizeof number, task.size()));
    return number;
}

Bytes message(std::uint32_t number, std::size_t size) {
    Bytes bytes(std::max(size, sizeof number));
    std::memcpy(bytes.data(), &number, sizeof number);
    return bytes;
}

void check_bug(std::uint64_t id, UserProcess process, const std::function<void(const std::string&)>& fail) {
    const auto all = bug_kinds();
    if (id >= all.size())
        return fail("bug id " + std::to_string(id) + " is not known; ids are 0 to " + std::to_string(all.size() - 1) +
                    ", listed by 'magicwire bugs'");
    const BugInfo& info = all[id];
    const std::string name = "bug id " + std::to_string(id) + " (" + info.name + ")";
    if (id > last_bug_by_application && !info.in_dat_file())
        fail(name + (info.of_a_task() ? " needs a parameter" : " concerns a process, not a task") +
             ", so it cannot stand here; plant it with a bug list (docs/formats/bug_list.md)");
    if (id > last_bug_by_application && !info.possible(process))
        fail(name + " has no meaning in " + word_of(process) + "; 'magicwire bugs' says where it has one");
}

}  // namespace

TaskDescription TaskTable::default_task() {
    return {{{{20, 10, 0}, {140, 1000, 0}, {10, 10, 0}, {100, 10, 0}, {100, 10, 0}}}};  // the thesis' example, without a bug
}

TaskTable TaskTable::parse(const std::string& text, const std::string& file_name) {
    TaskTable table;
    std::istringstream lines(text);
    std::string raw;
    for (int number = 1; std::getline(lines, raw); ++number) {
        if (!raw.empty() && raw.back() == '\r') raw.pop_back();
        const std::size_t first = raw.find_first_not_of(" \t");
        if (first == std::string::npos || raw[first] == '#') continue;
        Line line(raw, file_name, number);
        const std::size_t fields = line.count_fields();
        if (fields != 16) {
            line.fail(
                0,
                "a task has 16 numbers and this line has " + std::to_string(fields) +
                    "; give the task number, then time, space and bug id for generate, compute, post-process, split and join");
        }
        const auto task = static_cast<std::uint32_t>(line.number("the task number", most_task));
        TaskDescription description;
        for (Segment& segment : description.segments) {
            segment.time_us = line.number("a time in microseconds", most_time_us);
            segment.space_bytes = line.number("a space in bytes");
            const std::size_t place = line.at();
            const std::uint64_t bug = line.number("a bug id");
            check_bug(bug, static_cast<UserProcess>(&segment - description.segments.data()),
                      [&](const std::string& message) { line.fail(place + 1, message); });
            segment.bug = static_cast<int>(bug);
        }
        if (!table.rows_.empty() && table.rows_.back().first >= task) {
            line.fail(0, "task " + std::to_string(task) + " comes after task " + std::to_string(table.rows_.back().first) +
                             "; list the tasks in ascending order, each once");
        }
        table.rows_.emplace_back(task, description);
    }
    return table;
}

TaskTable TaskTable::read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw vocabulary::InputError({path, 0, 0}, "the task description file cannot be read; check the path");
    std::ostringstream text;
    text << file.rdbuf();
    return parse(text.str(), path);
}

const TaskDescription& TaskTable::of(std::uint32_t task) const {
    const auto after =
        std::upper_bound(rows_.begin(), rows_.end(), task, [](std::uint32_t t, const auto& row) { return t < row.first; });
    return after == rows_.begin() ? before_first_ : std::prev(after)->second;
}

void TaskTable::set(std::uint32_t task, const TaskDescription& description) {
    const auto at =
        std::lower_bound(rows_.begin(), rows_.end(), task, [](const auto& row, std::uint32_t t) { return row.first < t; });
    if (at != rows_.end() && at->first == task) {
        at->second = description;
    } else {
        rows_.insert(at, {task, description});
    }
}

void TaskTable::set_time(UserProcess process, std::uint64_t time_us) {
    before_first_.segments[static_cast<std::size_t>(process)].time_us = time_us;
    for (auto& row : rows_) row.second.segments[static_cast<std::size_t>(process)].time_us = time_us;
}

std::vector<PlannedBug> TaskTable::bugs() const {
    std::vector<PlannedBug> result;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
        const auto& [task, description] = rows_[row];
        const std::uint32_t last = row + 1 < rows_.size() ? rows_[row + 1].first - 1 : UINT32_MAX;
        for (std::size_t process = 0; process < description.segments.size(); ++process) {
            const int bug = description.segments[process].bug;
            if (bug == 0) continue;
            PlannedBug planned;
            planned.bug = static_cast<Bug>(bug);
            planned.tasks = {{task, last}};
            planned.process = static_cast<UserProcess>(process);
            planned.of_dat_file = true;
            result.push_back(std::move(planned));
        }
    }
    return result;
}

void SimulatedApplication::run(Context& context) {
    const Segment& segment = tasks_.of(context.identity().task).segments[static_cast<std::size_t>(context.process())];
    void* block = segment.space_bytes > 0 ? context.allocate(segment.space_bytes) : nullptr;
    if (segment.space_bytes > 0 && block == nullptr) {
        context.strike(5);
        context.end_process();
    }
    context.work(vocabulary::SimTime::us(static_cast<std::int64_t>(segment.time_us)));
    // A crash stands for a node that fails under this task; a task issued again runs on a sound one. Bugs beyond the last are
    // planted from outside.
    const bool spared = segment.bug > last_bug_by_application || (segment.bug == 4 && context.issued_again);
    const int bug = spared ? 0 : segment.bug;
    if (bug != 0) context.strike(bug);
    switch (bug) {
        case 1:
            context.release(block);
            context.end_process();
        case 2:
            context.output.omitted = true;
            break;
        case 3:
            while (true) context.work(vocabulary::SimTime::ms(10));
        case 4:
            context.api().port().crash();
            break;
        case 5:
            while (context.allocate(65'536) != nullptr) context.work(vocabulary::SimTime::us(10));
            context.end_process();
        default:
            break;
    }
    context.release(block);
}

void SimulatedApplication::data_generator(Master& master) {
    for (std::uint32_t task = 0; task < master.total_tasks(); ++task) {
        Context context = master.context(UserProcess::Generate, {task, 0});
        run(context);
        master.do_task(message(task, sizes_.task_bytes), context.output);
    }
}

void SimulatedApplication::result_receiver(Master& master) {
    for (std::uint32_t got = 0; got < master.total_tasks(); ++got) {
        TaskIdentity whose;
        master.get_result(&whose);
        Context context = master.context(UserProcess::PostProcess, whose);
        run(context);
    }
}

Bytes SimulatedApplication::compute(Context& context, std::span<const std::byte> task) {
    run(context);
    return message(task_number_in(task), sizes_.result_bytes);
}

std::vector<Bytes> SimulatedApplication::split(Context& context, std::span<const std::byte> task, std::size_t degree) {
    run(context);
    return std::vector<Bytes>(degree, message(task_number_in(task), sizes_.task_bytes));
}

Bytes SimulatedApplication::join(Context& context, const std::vector<Bytes>& results) {
    run(context);
    return message(task_number_in(results.front()), sizes_.result_bytes);
}

}  // namespace trek_kernel
