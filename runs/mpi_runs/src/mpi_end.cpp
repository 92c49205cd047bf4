#include <mpi_runs/mpi_end.hpp>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include <fmt/format.h>

#include <lam_mpi/lam_start.h>

namespace mpi_runs {
namespace {

double seconds(vocabulary::SimTime time) {
    return static_cast<double>(time.in_ps()) * 1e-12;
}

std::string ended_text(const mpi_runs::Result& result) {
    constexpr std::size_t most = 16;
    std::vector<std::size_t> ended;
    for (std::size_t rank = 0; rank < result.ranks.size(); ++rank) {
        if (result.ranks[rank].ended) ended.push_back(rank);
    }
    std::string text = ended.size() == 1 ? "rank" : "ranks";
    for (std::size_t i = 0; i < std::min(most, ended.size()); ++i) text += fmt::format("{} {}", i == 0 ? "" : ",", ended[i]);
    if (ended.size() > most) text += fmt::format(" and {} more", ended.size() - most);
    return text + (ended.size() == 1 ? " has ended" : " have ended");
}

}  // namespace

const char* end_name(End end) {
    switch (end) {
        case End::Ended:
            return "ended";
        case End::Aborted:
            return "aborted";
        case End::Crashed:
            return "crashed";
        case End::Standstill:
            return "standstill";
        case End::Diverged:
            return "diverged";
        case End::Limit:
            return "limit";
        case End::Stopped:
            return "interrupted";
        case End::NeverBegan:
            break;
    }
    return "never began";
}

lam_mpi::Prices prices_of(const topologies::CostTable& costs) {
    lam_mpi::Prices prices;
    // In the order of lam_price.
    constexpr const char* rows[] = {"mpi.call", "mpi.match", "mpi.byte", "mpi.reduce_byte", "mpi.stamp", "mpi.race"};
    std::transform(std::begin(rows), std::end(rows), prices.thousandths.begin(),
                   [&](const char* row) { return static_cast<std::int32_t>(std::lround(costs.get(row, "cycles") * 1000)); });
    prices.short_bytes = static_cast<std::int32_t>(costs.get("mpi.short", "bytes"));
    return prices;
}

// Each rank waits for one other at most, so a walk of as many steps as there are ranks ends in a cycle, or nowhere.
std::vector<std::size_t> cycle_of(const std::vector<Wait>& waits) {
    std::map<std::size_t, std::size_t> next;
    for (const Wait& wait : waits) {
        if (wait.peer) next[wait.rank] = *wait.peer;
    }
    for (const auto& [first, ignored] : next) {
        std::size_t at = first;
        std::vector<std::size_t> way;
        while (next.contains(at) && way.size() <= next.size()) {
            way.push_back(at);
            at = next.at(at);
            if (at == first) return way;
        }
    }
    return {};
}

Wait wait_of(std::size_t rank, vocabulary::NodeId on, const lam_mpi::RankEnd& its, const node_programs::Report& report) {
    Wait wait{.rank = rank, .function = {}, .peer = {}, .tag = {}};
    for (const node_programs::Report::Running& one : report.running) {
        if (one.node != on || one.pid != its.pid) continue;
        const user_programs::LoadedProgram& program = one.process->program();
        const auto* in = static_cast<const lam_waits*>(program.variable("lam_waits_in"));
        if (in == nullptr || in->function == nullptr) continue;
        wait.function = in->function;
        if (in->peer >= 0) wait.peer = static_cast<std::size_t>(in->peer);
        wait.any = in->peer == -1;
        if (in->tag >= 0 && in->collective == 0) wait.tag = in->tag;
        wait.sends = in->sends != 0;
        if (in->members != 0) wait.collective = {in->context, in->order, in->root, in->members};
        const auto* last = static_cast<const lam_called* const*>(program.variable("lam_last_call"));
        if (last != nullptr && (*last)->from != nullptr)
            wait.where = program.line_of(reinterpret_cast<std::uintptr_t>((*last)->from));
    }
    return wait;
}

int status_of(const Result& result, const std::optional<user_programs::Problem>& crashed) {
    constexpr int segmentation_fault = 139, aborted = 134;  // as a shell says them
    if (result.aborted) return result.aborted->code;
    if (crashed) {
        const bool asked = crashed == user_programs::Problem::EndedItself || crashed == user_programs::Problem::WrongCall;
        return asked ? aborted : segmentation_fault;
    }
    for (const lam_mpi::RankEnd& rank : result.ranks) {
        if (rank.ended && rank.status != 0) return rank.status;
    }
    return 0;
}

std::string wait_text(const Wait& wait) {
    if (wait.dead) return fmt::format("rank {} is on a node that has stopped", wait.rank);
    if (wait.function.empty()) return fmt::format("rank {} is in no call of MPI", wait.rank);
    std::string text = fmt::format("rank {} in {}()", wait.rank, wait.function);
    if (!wait.where.empty()) text += " at " + wait.where;
    if (wait.peer) text += fmt::format(" {} rank {}", wait.sends ? "until it is taken by" : "for a message of", *wait.peer);
    if (wait.any) text += " for a message of any rank";
    if (wait.tag) text += fmt::format(", tag {}", *wait.tag);
    return text;
}

std::string end_text(const Result& result) {
    if (result.end == End::Standstill) return standstill_text(result);
    if (result.aborted)
        return fmt::format("rank {} has called MPI_Abort() with code {}", result.aborted->rank, result.aborted->code);
    if (result.end == End::Diverged) return "it does not do what the record says";
    if (result.end == End::Limit) return "the time was up before all ranks had ended";
    if (result.end == End::Stopped) return "it was interrupted";
    if (result.end == End::NeverBegan) return "not all ranks could be loaded";
    if (result.end == End::Crashed) return "an error of the program has ended it";
    for (std::size_t rank = 0; rank < result.ranks.size(); ++rank) {
        if (result.ranks[rank].ended && result.ranks[rank].status != 0)
            return fmt::format("rank {} is the first that ended with another exit code than 0: {}", rank,
                               result.ranks[rank].status);
    }
    return {};
}

nlohmann::ordered_json end_json(const Result& result) {
    nlohmann::ordered_json ranks = nlohmann::ordered_json::array();
    for (const lam_mpi::RankEnd& rank : result.ranks)
        ranks.push_back({{"ended", rank.ended}, {"status", rank.ended ? nlohmann::ordered_json(rank.status) : nullptr}});
    const auto number_or_null = [](const auto& number) {
        return number ? nlohmann::ordered_json(*number) : nlohmann::ordered_json(nullptr);
    };
    nlohmann::ordered_json waits = nlohmann::ordered_json::array();
    for (const mpi_runs::Wait& wait : result.waits)
        waits.push_back(
            {{"rank", wait.rank},
             {"function", wait.function.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(wait.function)},
             {"peer", number_or_null(wait.peer)},
             {"any", wait.any},
             {"tag", number_or_null(wait.tag)},
             {"sends", wait.sends},
             {"where", wait.where.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(wait.where)}});
    for (std::size_t i = 0; i < result.waits.size(); ++i) {
        if (result.waits[i].dead) waits[i]["node_stopped"] = true;
    }
    nlohmann::ordered_json all{{"end", end_name(result.end)},
                               {"status", result.status},
                               {"began_us", result.began.in_us()},
                               {"ended_us", result.ended.in_us()},
                               {"ranks", ranks},
                               {"waits", waits},
                               {"cycle", result.cycle}};
    if (result.aborted) all["aborted"] = {{"rank", result.aborted->rank}, {"code", result.aborted->code}};
    return all;
}

std::string standstill_text(const Result& result) {
    constexpr std::size_t most = 16;
    const auto dead = std::count_if(result.waits.begin(), result.waits.end(), [](const Wait& wait) { return wait.dead; });
    std::string text = fmt::format("standstill at {:.6f} s: {} of {} ranks wait, {}", seconds(result.ended),
                                   result.waits.size() - static_cast<std::size_t>(dead), result.ranks.size(),
                                   dead > 0                      ? fmt::format("and {} cannot go on", dead)
                                   : result.is_seen_from_outside ? "and nothing moves any more"
                                                                 : "and no message is under way");
    for (std::size_t i = 0; i < std::min(most, result.waits.size()); ++i) text += "\n  " + wait_text(result.waits[i]);
    if (result.waits.size() > most) text += fmt::format("\n  and {} more", result.waits.size() - most);
    if (result.waits.size() < result.ranks.size()) text += "\n  " + ended_text(result);
    if (result.cycle.empty()) return text;
    text += "\n  cycle of waits: ";
    for (const std::size_t rank : result.cycle) text += fmt::format("{} -> ", rank);
    return text + std::to_string(result.cycle.front());
}

}  // namespace mpi_runs
