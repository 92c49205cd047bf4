// Scripts of a replay, and how it differs from its record.
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>

#include <fmt/format.h>

#include <real_mpi/launch.hpp>
#include <vocabulary/errors.hpp>

namespace real_mpi {
namespace {

using tmon_replay::CallKind;
using tmon_replay::CallOutcome;

struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

std::string wanted_text(const real_record& its) {
    if (static_cast<std::int32_t>(its.bytes) == REAL_CAME_MORE) return fmt::format("{} receives in all", its.peer);
    switch (its.tag) {
        case REAL_RECV:
        case REAL_IPROBE:
            return its.peer < 0 ? "no message" : fmt::format("a message of rank {}", its.peer);
        case REAL_TEST:
        case REAL_CANCEL:
            return "success";
        default:
            return fmt::format("the request of index {}", its.peer);
    }
}

std::string came_text(const real_record& its) {
    const auto came = static_cast<std::int32_t>(its.bytes);
    switch (came) {
        case REAL_CAME_END:
            return "the program has ended before";
        case REAL_CAME_MORE:
            return fmt::format("the program has begun {} receives", its.number);
        case REAL_CAME_INACTIVE:
            if (its.tag == REAL_RECV || its.tag == REAL_IPROBE) return "its communicator has no such rank";
            return its.tag == REAL_CANCEL ? "the message was not cancelled" : "no request of this index is active";
        default:
            return came < 0 ? "the program names any rank" : fmt::format("the program names rank {}", came);
    }
}

std::string text_of(std::size_t rank, const std::string& name, const real_record& its) {
    return fmt::format("rank {} does not repeat '{}': at {} {} it had {}, and now {}", rank, name,
                       tmon_replay::call_names.at(static_cast<std::size_t>(its.tag)), its.number, wanted_text(its),
                       came_text(its));
}

}  // namespace

void write_scripts(const tmon_replay::DeliveryOrder& order, const std::string& folder) {
    for (std::size_t number = 0; number < order.ranks.size(); ++number) {
        const tmon_replay::RankOrder& rank = order.ranks[number];
        real_script_head head{};
        std::copy(rank.known.begin(), rank.known.end(), std::begin(head.known));
        if (rank.ended) std::fill(std::begin(head.known), std::end(head.known), std::numeric_limits<std::int32_t>::max());
        head.receives = rank.ended ? rank.ended->front() : -1;
        head.ranks = static_cast<std::int32_t>(order.ranks.size());
        std::vector<real_event> events;
        for (const CallOutcome& its : tmon_replay::in_order(rank.outcomes, !order.whole()))
            events.push_back({static_cast<std::int32_t>(its.kind), its.first, its.last,
                              its.cancelled ? std::int32_t{REAL_NOBODY} : its.source});
        head.count = static_cast<std::int32_t>(events.size());
        const std::string path = fmt::format("{}/{}.script", folder, number);
        const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "wb"));
        if (!file || std::fwrite(&head, sizeof head, 1, file.get()) != 1 ||
            std::fwrite(events.data(), sizeof(real_event), events.size(), file.get()) != events.size() ||
            std::fflush(file.get()) != 0)
            vocabulary::throw_file_error(path, errno, std::string("it cannot be written: ") + std::strerror(errno));
    }
}

std::string divergence_text(const RankFiles& files, const std::string& name) {
    const real_record* first = nullptr;
    std::size_t first_rank = 0;
    for (std::size_t rank = 0; rank < files.ranks().size(); ++rank) {
        for (const real_record& its : files.ranks()[rank].records) {
            if (its.kind != REAL_DIVERGED || (first != nullptr && first->time <= its.time)) continue;
            first = &its;
            first_rank = rank;
        }
    }
    return first == nullptr ? "" : text_of(first_rank, name, *first);
}

std::string waits_text(const RankFiles& files) {
    for (std::size_t rank = 0; rank < files.ranks().size(); ++rank) {
        const real_head& head = files.ranks()[rank].head;
        if (head.waits_number == 0) continue;
        real_record its{};
        its.peer = head.waits_source;
        its.tag = head.waits_call;
        return fmt::format("rank {} waits at {} {} for {}, as in the record", rank,
                           tmon_replay::call_names.at(static_cast<std::size_t>(its.tag)), head.waits_number, wanted_text(its));
    }
    return {};
}

}  // namespace real_mpi
