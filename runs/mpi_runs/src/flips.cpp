#include <mpi_runs/flips.hpp>

#include <algorithm>
#include <exception>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <lam_mpi/lam_start.h>
#include <forks/bytes.hpp>
#include <forks/child_pool.hpp>
#include <forks/child_process.hpp>
#include <forks/forks.hpp>
#include <tmon_replay/mwo_file.hpp>
#include <user_programs/loaded_program.hpp>

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

// The flip instead of a choice for its receive.
std::vector<Choice> with(std::vector<Choice> choices, const Choice& flip) {
    std::erase_if(choices, [&](const Choice& one) { return one.rank == flip.rank && one.receive == flip.receive; });
    choices.push_back(flip);
    std::sort(choices.begin(), choices.end(), before);
    return choices;
}
bool is_same(const Choice& a, std::size_t rank, std::int32_t receive) {
    return a.rank == rank && a.receive == receive;
}

// One run in this process. Its forks are other runs, which go on from the receive of their flip.
class Tree {
public:
    Tree(const Plan& plan, const std::vector<Choice>& choices, const std::vector<Choice>& flips)
        : plan_(plan), choices_(choices), flips_(flips) {
        order_.run.ranks = plan.places.size();
        order_.ranks.resize(plan.places.size());
        plan_.repeats = nullptr;
        plan_.tell = {};
        plan_.find = {};
        plan_.print = [this](const std::string& text) { output_ += text; };
        plan_.recorded = [this](std::size_t rank, const tmon_replay::RankOrder& news) {
            std::vector<CallOutcome>& all = order_.ranks.at(rank).outcomes;
            all.insert(all.end(), news.outcomes.begin(), news.outcomes.end());
        };
        plan_.matched = [this](const Choice& match) { matches_.push_back(match); };
        plan_.asked = [this](std::size_t rank, std::int32_t receive) { return source_of(rank, receive); };
    }

    // The run, then each fork: 1 and its bytes, or 0 and why it failed.
    std::string run_all() {
        forks::call_in_children(user_programs::watch_after_fork);
        std::string own;
        try {
            own = run_here();
        } catch (const std::exception& error) {
            if (mine_) forks_.fail(error);
            throw;
        }
        if (mine_) forks_.deliver(own);
        forks_.wait(0);
        std::vector<const forks::ChildAnswer*> answers(flips_.size());
        for (std::size_t i = 0; i < started_.size(); ++i) answers[started_[i]] = &forks_.answers()[i];
        forks::Bytes bytes;
        bytes.put_text(own);
        for (const forks::ChildAnswer* answer : answers) {
            const bool done = answer != nullptr && answer->how == forks::ChildAnswer::How::Done;
            bytes.put(done);
            bytes.put_text(done ? answer->bytes : answer != nullptr ? answer->failure : "its receive never began");
        }
        return bytes.take_bytes();
    }

private:
    // On the stack of the rank, between two events of the machine.
    std::optional<std::int32_t> source_of(std::size_t rank, std::int32_t receive) {
        for (std::size_t i = 0; i < flips_.size() && !mine_; ++i) {
            if (!is_same(flips_[i], rank, receive)) continue;
            forks_.wait(forks::children_at_once - 1);
            started_.push_back(i);
            if (forks_.start()) mine_ = i;
        }
        if (mine_ && is_same(flips_[*mine_], rank, receive)) return flips_[*mine_].source;
        for (const Choice& choice : choices_) {
            if (is_same(choice, rank, receive)) return choice.source;
        }
        return std::nullopt;
    }

    std::string run_here() {
        const Result result = run(plan_);
        order_.end = "ended";
        std::sort(matches_.begin(), matches_.end(), before);
        std::vector<Choice> unmet;
        for (const Choice& choice : mine_ ? with(choices_, flips_[*mine_]) : choices_) {
            if (!std::binary_search(matches_.begin(), matches_.end(), choice, before)) unmet.push_back(choice);
        }
        std::vector<std::size_t> waiting;
        for (const Wait& wait : result.waits) waiting.push_back(wait.rank);
        forks::Bytes bytes;
        bytes.put(result.end);
        bytes.put(result.status);
        bytes.put(result.ended.in_us());
        bytes.put_text(sorted_lines(output_));
        bytes.put_text(tmon_replay::mwo_text(order_));
        bytes.put_all(matches_);
        bytes.put_all(unmet);
        bytes.put_all(waiting);
        return bytes.take_bytes();
    }

    Plan plan_;
    const std::vector<Choice>& choices_;
    const std::vector<Choice>& flips_;
    std::string output_;
    tmon_replay::DeliveryOrder order_;
    std::vector<Choice> matches_;
    forks::Forks forks_;
    std::vector<std::size_t> started_;  // flips, in the order of their forks
    std::optional<std::size_t> mine_;   // in a fork: its flip
};

Summary summary_of(std::string text) {
    forks::Bytes bytes(std::move(text));
    Summary summary;
    summary.end = bytes.get<End>();
    summary.status = bytes.get<int>();
    summary.ended_us = bytes.get<std::int64_t>();
    summary.output = bytes.get_text();
    summary.order = tmon_replay::parse_mwo(bytes.get_text(), "a run");
    summary.matches = bytes.get_all<Choice>();
    summary.unmet = bytes.get_all<Choice>();
    summary.waiting = bytes.get_all<std::size_t>();
    return summary;
}
Summary failed(const std::string& why) {
    Summary summary;
    summary.failure = why;
    return summary;
}
// Those of a tree with so many flips.
std::vector<Summary> summaries_of(forks::ChildAnswer& answer, std::size_t flips) {
    if (answer.how != forks::ChildAnswer::How::Done)
        return std::vector<Summary>(flips + 1,
                                    failed(answer.how == forks::ChildAnswer::How::Failed ? answer.failure : "it was stopped"));
    forks::Bytes bytes(std::move(answer.bytes));
    std::vector<Summary> all{summary_of(bytes.get_text())};
    for (std::size_t i = 0; i < flips; ++i) {
        const bool done = bytes.get<bool>();
        std::string text = bytes.get_text();
        all.push_back(done ? summary_of(std::move(text)) : failed(text));
    }
    return all;
}

// Calls that poll count by what they found, one after another: how often they found nothing is time.
std::string matches_of(const Summary& run) {
    std::string text;
    for (const Choice& its : run.matches) text += fmt::format("{} {} {}\n", its.rank, its.receive, its.source);
    for (const tmon_replay::RankOrder& rank : run.order.ranks) {
        for (const CallOutcome& its : tmon_replay::in_order(rank.outcomes, false)) {
            if (its.kind != CallKind::Receive) text += fmt::format("{} {}\n", static_cast<int>(its.kind), its.source);
        }
        text += "-\n";
    }
    return text;
}

// The message that a receive was made to take never came, and nothing moves any more. At the limit it might still have come.
bool is_impossible(const Summary& run) {
    return run.end == End::Standstill && !run.unmet.empty();
}
bool is_unknown(const Summary& run) {
    return run.end == End::Limit && !run.unmet.empty();
}

class Explorer {
public:
    Explorer(const Plan& plan, std::size_t most_runs, Way way, const std::function<bool()>& go_on)
        : plan_(plan), most_runs_(most_runs), way_(way), go_on_(go_on) {}

    Exploration explore() {
        open_.push_back({});
        while (!open_.empty() && !stopped_ && result_.runs < most_runs_ && go_on_()) {
            Group now = std::move(open_.back());
            open_.pop_back();
            if (now.flips.size() > most_runs_ - result_.runs) {  // what is left stays open
                open_.push_back(
                    {now.choices,
                     {now.flips.begin() + static_cast<std::ptrdiff_t>(most_runs_ - result_.runs), now.flips.end()}});
                now.flips.resize(most_runs_ - result_.runs);
            }
            const std::vector<Summary> runs = run_flips(plan_, now.choices, now.flips, way_, go_on_);
            if (now.flips.empty()) take(runs.front(), now.choices);
            for (std::size_t i = 0; i < now.flips.size(); ++i) take(runs[i + 1], with(now.choices, now.flips[i]));
        }
        result_.complete = open_.empty() && !stopped_;
        if (undecided_ > 0) result_.left_out = "some messages had not come at the limit; raise --limit";
        if (!plan_.stamping->all_sources)
            result_.left_out = "the record has one other source for each receive; record it with --races";
        return std::move(result_);
    }

private:
    struct Group {  // the run with these choices, or with each flip of it
        std::vector<Choice> choices{}, flips{};
    };

    bool is_new(const std::vector<Choice>& choices) {
        std::string key;
        for (const Choice& one : choices) key += fmt::format("{} {} {}\n", one.rank, one.receive, one.source);
        return pushed_.insert(std::move(key)).second;
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
        Group next{choices, {}};
        for (const Flip& flip : flips_of(run.order)) {
            const Choice one{flip.rank, flip.receive, flip.other};
            if (is_new(with(choices, one))) next.flips.push_back(one);
        }
        if (!next.flips.empty()) open_.push_back(std::move(next));
    }

    // A choice that an earlier one has made impossible is left.
    void retry(const Summary& run, const std::vector<Choice>& choices) {
        std::vector<Choice> fewer = choices;
        std::erase_if(fewer, [&](const Choice& one) {
            return std::any_of(run.unmet.begin(), run.unmet.end(),
                               [&](const Choice& unmet) { return unmet.rank == one.rank && unmet.receive == one.receive; });
        });
        if (is_new(fewer)) open_.push_back({std::move(fewer), {}});
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
    Way way_;
    const std::function<bool()>& go_on_;
    std::vector<Group> open_;
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

std::vector<Summary> run_flips(const Plan& plan, const std::vector<Choice>& choices, const std::vector<Choice>& flips, Way way,
                               const std::function<bool()>& go_on) {
    const std::vector<Choice> none;
    if (way == Way::Forked) {
        std::vector<forks::ChildAnswer> answers = forks::run_children(
            1, [&](std::size_t) { return Tree(plan, choices, flips).run_all(); }, [&](std::size_t) { return go_on(); });
        return summaries_of(answers.front(), flips.size());
    }
    const auto work = [&](std::size_t number) {
        return Tree(plan, number == 0 ? choices : with(choices, flips[number - 1]), none).run_all();
    };
    std::vector<Summary> runs;
    for (forks::ChildAnswer& answer : forks::run_children(flips.size() + 1, work, [&](std::size_t) { return go_on(); }))
        runs.push_back(std::move(summaries_of(answer, 0).front()));
    return runs;
}

Exploration explore(const Plan& plan, std::size_t most_runs, Way way, const std::function<bool()>& go_on) {
    return Explorer(plan, most_runs, way, go_on).explore();
}

}  // namespace mpi_runs
