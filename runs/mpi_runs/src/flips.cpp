#include <mpi_runs/flips.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <lam_mpi/lam_start.h>
#include <forks/bytes.hpp>
#include <forks/child_pool.hpp>
#include <tmon_replay/mwo_file.hpp>

namespace mpi_runs {
namespace {

using tmon_replay::CallKind;
using tmon_replay::CallOutcome;

bool before(const Choice& a, const Choice& b) {
    return std::tie(a.rank, a.receive, a.source) < std::tie(b.rank, b.receive, b.source);
}

std::string sorted_lines(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t feed = std::min(text.find('\n', at), text.size());
        lines.push_back(text.substr(at, feed - at));
        at = feed + 1;
    }
    std::sort(lines.begin(), lines.end());
    std::string result;
    for (const std::string& line : lines) result += line + '\n';
    return result;
}

// The first receives of a rank that were forced have met their source first, but for some that did not block.
std::vector<Choice> unmet_of(const std::vector<Choice>& choices, const Result& result) {
    std::vector<Choice> sorted = choices, unmet;
    std::sort(sorted.begin(), sorted.end(), before);
    std::map<std::size_t, std::int32_t> seen;
    for (const Choice& choice : sorted) {
        if (++seen[choice.rank] > result.met.at(choice.rank)) unmet.push_back(choice);
    }
    return unmet;
}

// In the child.
std::string run_one(Plan plan, const std::vector<Choice>& choices) {
    forks::Bytes bytes;
    std::string output;
    tmon_replay::DeliveryOrder order;
    order.run.ranks = plan.places.size();
    order.ranks.resize(plan.places.size());
    plan.choices = choices;
    plan.repeats = nullptr;
    plan.print = [&](const std::string& text) { output += text; };
    plan.tell = {};
    plan.recorded = [&](std::size_t rank, const tmon_replay::RankOrder& news) {
        std::vector<CallOutcome>& all = order.ranks.at(rank).outcomes;
        all.insert(all.end(), news.outcomes.begin(), news.outcomes.end());
    };
    const Result result = run(plan);
    order.end = "ended";
    bytes.put(result.end);
    bytes.put(result.status);
    bytes.put(result.ended.in_us());
    bytes.put_text(sorted_lines(output));
    bytes.put_text(tmon_replay::mwo_text(order));
    bytes.put_all(unmet_of(choices, result));
    std::vector<std::size_t> waiting;
    for (const Wait& wait : result.waits) waiting.push_back(wait.rank);
    bytes.put_all(waiting);
    return bytes.take_bytes();
}

Summary summary_of(forks::ChildAnswer& answer) {
    Summary summary;
    if (answer.how != forks::ChildAnswer::How::Done) {
        summary.failure = answer.how == forks::ChildAnswer::How::Failed ? answer.failure : "it was stopped";
        return summary;
    }
    forks::Bytes bytes(std::move(answer.bytes));
    summary.end = bytes.get<End>();
    summary.status = bytes.get<int>();
    summary.ended_us = bytes.get<std::int64_t>();
    summary.output = bytes.get_text();
    summary.order = tmon_replay::parse_mwo(bytes.get_text(), "a run");
    summary.unmet = bytes.get_all<Choice>();
    summary.waiting = bytes.get_all<std::size_t>();
    return summary;
}

// The matches of a run: the sources of its racing receives, from which the rest follows, and all other outcomes.
std::string matches_of(const Summary& run) {
    tmon_replay::DeliveryOrder order = run.order;
    for (tmon_replay::RankOrder& rank : order.ranks) {
        for (CallOutcome& its : rank.outcomes) its.others.clear();
    }
    return tmon_replay::mwo_text(order);
}

// The message that a receive was made to take never came, and nothing moves any more. At the limit it might still have come.
bool is_impossible(const Summary& run) {
    return run.end == End::Standstill && !run.unmet.empty();
}
bool is_unknown(const Summary& run) {
    return run.end == End::Limit && !run.unmet.empty();
}

std::vector<Choice> with(std::vector<Choice> choices, const Flip& flip) {
    std::erase_if(choices, [&](const Choice& one) { return one.rank == flip.rank && one.receive == flip.receive; });
    choices.push_back({flip.rank, flip.receive, flip.other});
    std::sort(choices.begin(), choices.end(), before);
    return choices;
}

class Explorer {
public:
    Explorer(const Plan& plan, std::size_t most_runs, const std::function<bool()>& go_on)
        : plan_(plan), most_runs_(most_runs), go_on_(go_on) {}

    Exploration explore() {
        push({});
        while (!open_.empty() && result_.runs < most_runs_ && go_on_()) {
            std::vector<std::vector<Choice>> now;
            for (; !open_.empty() && now.size() < at_once && result_.runs + now.size() < most_runs_; open_.pop_back())
                now.push_back(std::move(open_.back()));
            const std::vector<Summary> runs = run_all(plan_, now, go_on_);
            for (std::size_t i = 0; i < runs.size(); ++i) take(runs[i], now[i]);
        }
        result_.complete = open_.empty() && !stopped_;
        if (undecided_ > 0) result_.left_out = "some messages had not come at the limit; raise --limit";
        if (!plan_.stamping->all_sources)
            result_.left_out = "the record has one other source for each receive; record it with --races";
        return std::move(result_);
    }

private:
    static constexpr std::size_t at_once = 8;

    void push(std::vector<Choice> choices) {
        std::string key;
        for (const Choice& one : choices)
            key += std::to_string(one.rank) + ' ' + std::to_string(one.receive) + ' ' + std::to_string(one.source) + '\n';
        if (pushed_.insert(std::move(key)).second) open_.push_back(std::move(choices));
    }

    void take(const Summary& run, const std::vector<Choice>& choices) {
        if (!run.failure.empty()) {
            stopped_ = true;
            return;
        }
        ++result_.runs;
        if (is_impossible(run) || is_unknown(run)) {
            ++(is_impossible(run) ? result_.impossible : undecided_);
            retry(run, choices);
            return;
        }
        if (!matches_.insert(matches_of(run)).second) return;
        ++result_.orders;
        if (result_.left_out.empty()) result_.left_out = left_out(run.order, plan_.stamping->annai);
        note(run, choices);
        for (const Flip& flip : flips_of(run.order)) push(with(choices, flip));
    }

    // A choice that an earlier one has made impossible is left.
    void retry(const Summary& run, const std::vector<Choice>& choices) {
        std::vector<Choice> fewer = choices;
        std::erase_if(fewer, [&](const Choice& one) {
            return std::any_of(run.unmet.begin(), run.unmet.end(),
                               [&](const Choice& unmet) { return unmet.rank == one.rank && unmet.receive == one.receive; });
        });
        push(std::move(fewer));
    }

    void note(const Summary& run, const std::vector<Choice>& choices) {
        const auto known = std::find_if(result_.kinds.begin(), result_.kinds.end(), [&](const Exploration::Kind& kind) {
            return kind.first.end == run.end && kind.first.status == run.status && kind.first.output == run.output;
        });
        if (known != result_.kinds.end()) {
            ++known->orders;
        } else {
            result_.kinds.push_back({run, choices, 1});
        }
    }

    const Plan& plan_;
    std::size_t most_runs_;
    const std::function<bool()>& go_on_;
    std::vector<std::vector<Choice>> open_;
    std::set<std::string> pushed_, matches_;
    Exploration result_;
    std::size_t undecided_ = 0;
    bool stopped_ = false;
};

}  // namespace

Effect effect_of(const Summary& run, const Summary& base) {
    if (is_impossible(run)) return Effect::Impossible;
    if (is_unknown(run)) return Effect::Unknown;
    if (run.end == End::Standstill && base.end != End::Standstill) return Effect::Deadlock;
    if (run.end != base.end || run.status != base.status) return Effect::Abort;
    if (run.output != base.output) return Effect::Output;
    return run.ended_us != base.ended_us ? Effect::Time : Effect::Nothing;
}

std::string left_out(const tmon_replay::DeliveryOrder& order, bool annai) {
    if (!order.run.unseen.empty()) return "the recorder did not see " + order.run.unseen.front();
    if (tmon_replay::is_of_real_mpi(order.run) && order.end != "ended")
        return "not all ranks have ended, and what they had still sent is unknown";
    if (annai) return "the rule of Annai's tool misses some races; record it with --rule exact";
    for (const tmon_replay::RankOrder& rank : order.ranks) {
        std::int64_t racing = 0;
        for (const CallOutcome& its : rank.outcomes) {
            if (its.kind != CallKind::Receive) return "calls such as MPI_Iprobe() and MPI_Waitany() are not compared";
            if (its.others.size() >= LAM_MOST_OTHERS) return "a receive may have more sources than the eight that are told";
            if (!its.others.empty()) racing += its.last - its.first + 1;
        }
        if (racing >= LAM_MOST_CRITICAL) return "a rank with so many races may have more sources than are told";
    }
    return {};
}

std::vector<Flip> flips_of(const tmon_replay::DeliveryOrder& order) {
    std::vector<Flip> flips;
    for (std::size_t rank = 0; rank < order.ranks.size(); ++rank) {
        for (const CallOutcome& its : tmon_replay::in_order(order.ranks[rank].outcomes, false)) {
            if (its.kind != CallKind::Receive) continue;
            for (std::int32_t receive = its.first; receive <= its.last; ++receive) {
                for (const std::int32_t other : its.others) flips.push_back({rank, receive, its.source, other});
            }
        }
    }
    return flips;
}

std::vector<Summary> run_all(const Plan& plan, const std::vector<std::vector<Choice>>& lists,
                             const std::function<bool()>& go_on) {
    std::vector<forks::ChildAnswer> answers = forks::run_children(
        lists.size(), [&](std::size_t number) { return run_one(plan, lists[number]); }, [&](std::size_t) { return go_on(); });
    std::vector<Summary> runs;
    for (forks::ChildAnswer& answer : answers) runs.push_back(summary_of(answer));
    return runs;
}

Exploration explore(const Plan& plan, std::size_t most_runs, const std::function<bool()>& go_on) {
    return Explorer(plan, most_runs, go_on).explore();
}

}  // namespace mpi_runs
