#include <schedule/loss_proof.hpp>

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <forks/forks.hpp>
#include <instrumentation/unload_policy.hpp>
#include <session/live_session.hpp>
#include <session/session.hpp>
#include <vocabulary/contract.hpp>

#include <forks/child_pool.hpp>
#include "decisions.hpp"

namespace schedule {
namespace {

using vocabulary::NodeId;
using vocabulary::SimTime;
using Outcome = LossProof::Outcome;

// First byte of a fork's answer: it came to a loss, and the way follows; or it came to its end.
constexpr char loss = '-', no_loss = '+';

class FreeUnloading final : public instrumentation::UnloadPolicy {
public:
    explicit FreeUnloading(Decisions& decisions) : decisions_(decisions) {}
    bool unload(const instrumentation::BufferState&) override { return decisions_.next(); }
    std::size_t limit(std::uint64_t, std::size_t room) const override { return decisions_.next() ? 0 : room; }

private:
    Decisions& decisions_;
};

scenario::Scenario decided_by(Decisions& decisions, scenario::Scenario scenario) {
    scenario.monitor->watch = &decisions;
    scenario.monitor->unload_policy = [&decisions](NodeId) { return std::make_unique<FreeUnloading>(decisions); };
    return scenario;
}

// In a child. Nothing is decided before the first record, so its moment is the same in every run.
std::string first_record(const scenario::Scenario& scenario) {
    Decisions decisions;
    session::Observed observed;
    session::Simulated simulated;
    session::run_session(decided_by(decisions, scenario), observed, simulated,
                         {.progress = [&](const session::Progress&) { return !decisions.first(); }});
    forks::Bytes bytes;
    bytes.put(decisions.first().value_or(SimTime()));
    return bytes.take_bytes();
}

// In a child: the run until the first record, and the ways in forks of it.
class Explorer {
public:
    Explorer(const scenario::Scenario& scenario, std::uint64_t results, SimTime first)
        : scenario_(decided_by(decisions_, scenario)), results_(results), first_(first) {}

    std::string go() {
        try {
            run();
        } catch (const std::exception& error) {
            if (!is_way_) throw;
            forks_.fail(error);
        }
        if (is_way_) forks_.deliver({no_loss});
        forks::Bytes bytes;
        bytes.put(proof_.outcome);
        bytes.put(proof_.followed);
        bytes.put_text(proof_.failure);
        return bytes.take_bytes();
    }

private:
    void run() {
        session::SessionHooks hooks;
        hooks.first_moment = SimTime::ps(first_.in_ps() - 1);
        hooks.at_moment = [this](session::LiveSession&) {
            explore();
            return SimTime::never();
        };
        hooks.progress = [this](const session::Progress& progress) {
            if (!is_way_) return proof_.followed == 0;
            if (decisions_.lost()) forks_.deliver(loss + decisions_.taken());
            return results_ == 0 || progress.results < results_;
        };
        session::Observed observed;
        session::Simulated simulated;
        session::run_session(scenario_, observed, simulated, hooks);
    }

    // Follows the ways. Each way that was followed tells where it could have been left for another: at each of its decisions
    // that was not prescribed.
    void explore() {
        std::vector<Way> open{""};
        while (!open.empty()) {
            std::vector<Way> tried;
            while (!open.empty() && tried.size() < forks::children_at_once) {
                tried.push_back(std::move(open.back()));
                open.pop_back();
                decisions_.prescribe(tried.back());
                if (forks_.start()) {
                    is_way_ = true;
                    return;
                }
            }
            forks_.wait(0);
            for (const Way& way : tried) {
                if (!branch_off(way, forks_.answers()[proof_.followed++], open)) return;
            }
        }
        proof_.outcome = Outcome::Proven;
    }

    // False: the proof fails.
    bool branch_off(const Way& way, const forks::ChildAnswer& answer, std::vector<Way>& open) {
        if (answer.how != forks::ChildAnswer::How::Done) {
            proof_.failure = "a way to decide: " + answer.failure;
            return ends(Outcome::Failed);
        }
        if (!answer.bytes.starts_with(loss)) return ends(Outcome::WithoutLoss);
        const Way whole = answer.bytes.substr(1);
        if (whole.size() > longest_way) return ends(Outcome::TooLong);
        for (std::size_t i = way.size(); i < whole.size(); ++i) {
            open.push_back(whole.substr(0, i) + static_cast<char>(whole[i] == 0));
            if (proof_.followed + open.size() > most_ways) return ends(Outcome::TooManyWays);
        }
        return true;
    }

    bool ends(Outcome how) {
        proof_.outcome = how;
        return false;
    }

    Decisions decisions_;
    scenario::Scenario scenario_;
    std::uint64_t results_;
    SimTime first_;
    forks::Forks forks_;
    LossProof proof_{.outcome = Outcome::WithoutLoss, .failure = {}};
    bool is_way_ = false;  // in a fork
};

// Nothing: the proof gives the reason.
std::optional<forks::Bytes> in_a_child(const std::function<std::string()>& work, const std::function<bool()>& go_on,
                                       LossProof& proof) {
    auto answers = forks::run_children(
        1, [&](std::size_t) { return work(); }, [&](std::size_t) { return go_on(); });
    forks::ChildAnswer& answer = answers.front();
    if (answer.how == forks::ChildAnswer::How::Done) return forks::Bytes(std::move(answer.bytes));
    const bool failed = answer.how == forks::ChildAnswer::How::Failed;
    proof.outcome = failed ? Outcome::Failed : Outcome::Interrupted;
    proof.failure = std::move(answer.failure);
    return {};
}

}  // namespace

LossProof prove_loss(const scenario::Scenario& scenario, std::uint64_t results, const std::function<bool()>& go_on) {
    EXPECTS(scenario.monitor.has_value(), "loss_proof.monitor");
    LossProof proof;
    auto first = in_a_child([&] { return first_record(scenario); }, go_on, proof);
    if (!first) return proof;
    const auto when = first->get<SimTime>();
    if (when == SimTime()) {
        proof.outcome = Outcome::WithoutLoss;
        return proof;
    }
    auto found = in_a_child([&] { return Explorer(scenario, results, when).go(); }, go_on, proof);
    if (!found) return proof;
    proof.outcome = found->get<Outcome>();
    proof.followed = found->get<std::size_t>();
    proof.failure = found->get_text();
    return proof;
}

}  // namespace schedule
