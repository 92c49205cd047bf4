#include <sweeps/local_engine.hpp>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "process_tree.hpp"

namespace sweeps {
namespace {

constexpr unsigned waiting_factor = 20;  // a point that computes nothing is ended, too

constexpr std::chrono::milliseconds look_every{100};

constexpr int most_attempts = 3;  // of a point whose process somebody kills

using Places = std::map<std::size_t, std::size_t>;  // of the engine, by the numbers of children that run there

std::size_t free_place(const Places& places) {
    std::set<std::size_t> taken;
    for (const auto& [child, place] : places) taken.insert(place);
    std::size_t free = 0;
    while (taken.count(free) > 0) ++free;
    return free;
}

class Limits {
public:
    Limits(const LocalEngine& engine, const forks::Forks& forks, const Places& places)
        : engine_(engine), forks_(forks), places_(places) {}

    // In the child.
    void begin() const {
        const auto whole = static_cast<std::uint64_t>(std::ceil(engine_.seconds));
        const rlimit time{whole, whole + 1}, no_core{0, 0};  // the second is SIGKILL, for who ignores SIGXCPU
        setrlimit(RLIMIT_CPU, &time);
        setrlimit(RLIMIT_CORE, &no_core);
        for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);  // half a run is no result
        alarm(static_cast<unsigned>(std::min(whole * waiting_factor, std::uint64_t{1} << 30)));
    }
    // A look reads files of each process, so one at each row would cost a tenth of what short points do.
    void end_those_with_too_much_memory() {
        const auto now = std::chrono::steady_clock::now();
        if (engine_.memory == 0 || now - looked_ < look_every) return;
        looked_ = now;
        for (const auto& [number, process] : forks_.running_children()) {
            const std::size_t place = places_.at(number);
            std::uint64_t memory = memory_of_tree(process);
            if (engine_.servers != nullptr)
                for (const pid_t server : engine_.servers->processes(place)) memory += memory_of_tree(server);
            if (memory <= engine_.memory) continue;
            too_large_.insert(number);
            kill_tree(process);
            kill(-process, SIGKILL);
            if (engine_.servers != nullptr) engine_.servers->drop(place);
        }
    }
    // Says what the host's signal means. False: somebody else killed it, so nothing is known about the point.
    bool explain(std::size_t number, forks::ChildAnswer& answer) {
        if (answer.how != forks::ChildAnswer::How::Failed) return true;
        const auto is = [&answer](int signal) { return answer.failure.starts_with(fmt::format("signal {} ", signal)); };
        if (too_large_.erase(number) > 0) {
            answer.failure = fmt::format("needed more than {} of memory; raise limits.memory", bytes_text(engine_.memory));
        } else if (is(SIGXCPU)) {
            answer.failure = fmt::format("took more than {:g} s of processor time; raise limits.time", engine_.seconds);
        } else if (is(SIGALRM)) {
            answer.failure = fmt::format("did not end within {:g} s and computed little; run it alone to see why",
                                         engine_.seconds * waiting_factor);
        } else {
            return !is(SIGKILL) && !is(SIGTERM) && !is(SIGINT) && !is(SIGHUP);
        }
        return true;
    }

private:
    static std::string bytes_text(std::uint64_t bytes) {
        constexpr std::uint64_t mib = std::uint64_t{1} << 20;
        return bytes % mib == 0 ? fmt::format("{} MiB", bytes / mib) : fmt::format("{} bytes", bytes);
    }
    const LocalEngine& engine_;
    const forks::Forks& forks_;
    const Places& places_;
    std::chrono::steady_clock::time_point looked_ = std::chrono::steady_clock::now();
    std::set<std::size_t> too_large_;  // numbers of children
};

}  // namespace

void LocalEngine::run(PointSource& points) const {
    forks::Forks forks(forks::ProcessGroup::Own, forks::Answers::Taken);
    Places places;
    Limits limits(*this, forks, places);
    std::map<std::size_t, std::size_t> running;  // the point of each child
    std::deque<std::size_t> again;
    std::map<std::size_t, int> killed;
    const auto next = [&]() -> std::optional<std::size_t> {
        if (again.empty()) return points.next();
        const std::size_t point = again.front();
        again.pop_front();
        return point;
    };
    const auto handle = [&](std::size_t child, forks::ChildAnswer&& answer) {
        const auto at = running.find(child);
        const std::size_t point = at->second;
        running.erase(at);
        const bool is_known = limits.explain(child, answer);
        if (!is_known && ++killed[point] < most_attempts) return again.push_back(point);
        if (!is_known)
            answer.failure +=
                fmt::format("; its process was killed {} times, perhaps since the host lacks memory", most_attempts);
        killed.erase(point);
        ended(point, std::move(answer));
    };
    std::vector<std::pair<std::size_t, forks::ChildAnswer>> answers;
    for (std::size_t number = 0; go_on();) {
        while (forks.running() < at_once) {
            const std::optional<std::size_t> point = next();
            if (!point) break;
            begins(*point);
            const std::size_t place = free_place(places);
            places.emplace(number, place);
            running.emplace(number++, *point);
            if (servers != nullptr) servers->prepare(place);
            if (!forks.start()) continue;
            if (servers != nullptr) servers->take(place);
            limits.begin();
            forks.deliver_result([&] { return work(*point); });
        }
        // The next points compute while the rows of the last ones are written.
        for (auto& [child, answer] : answers) handle(child, std::move(answer));
        answers.clear();
        if (!again.empty() && forks.running() < at_once) continue;
        if (forks.running() == 0 && points.is_over()) break;
        forks.listen(static_cast<int>(look_every.count()), forks.running() < at_once ? points.handle() : -1);
        limits.end_those_with_too_much_memory();
        while (auto answer = forks.take_ended()) {
            places.erase(answer->first);
            answers.push_back(std::move(*answer));
        }
    }
    for (auto& [child, answer] : answers) handle(child, std::move(answer));
}

}  // namespace sweeps
