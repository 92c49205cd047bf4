#include <sweeps/local_engine.hpp>

#include <sys/resource.h>
#include <unistd.h>

#include <cmath>

#include <fmt/format.h>

namespace sweeps {
namespace {

constexpr unsigned waiting_factor = 20;  // a point that computes nothing is ended, too

void limit(int what, std::uint64_t most) {
    const rlimit both{most, most};
    setrlimit(static_cast<decltype(RLIMIT_CPU)>(what), &both);
}

// Says what the host's signal means.
void explain(forks::ChildAnswer& answer, const LocalEngine& engine) {
    const bool by_time = answer.failure.find("CPU time limit") != std::string::npos ||
                         answer.failure.starts_with("signal 14 ") || answer.failure.starts_with("signal 9 ");
    if (by_time && answer.kind != vocabulary::ErrorKind::Defect)
        answer.failure = fmt::format("took more than {} s of processor time; raise limits.time", engine.seconds);
    if (answer.failure.starts_with("signal 14 "))
        answer.failure =
            fmt::format("did not end within {} s, and computed little; look at it alone", engine.seconds * waiting_factor);
    if (answer.failure.find("bad_alloc") != std::string::npos)
        answer.failure = fmt::format("needed more than {} bytes of memory; raise limits.memory", engine.memory);
}

}  // namespace

void LocalEngine::run(const std::vector<std::size_t>& points) const {
    constexpr int look_ms = 100;
    forks::Forks forks(forks::ProcessGroup::Own);
    std::size_t next = 0;
    while (go_on()) {
        for (; next < points.size() && forks.running() < at_once; ++next) {
            if (!forks.start()) continue;
            const auto whole = static_cast<std::uint64_t>(std::ceil(seconds));
            limit(RLIMIT_CPU, whole);
            if (memory > 0) limit(RLIMIT_DATA, memory);
            limit(RLIMIT_CORE, 0);
            alarm(static_cast<unsigned>(std::min(whole * waiting_factor, std::uint64_t{1} << 30)));
            forks.deliver_result([&] { return work(points[next]); });
        }
        if (forks.running() == 0) break;
        forks.listen(look_ms);
        while (auto answer = forks.take_ended()) {
            explain(answer->second, *this);
            ended(points[answer->first], std::move(answer->second));
        }
    }
}

}  // namespace sweeps
