#include "shell/breakpoints.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

namespace cli {

using tmon_predicates::PredicateWatch;
using tmon_predicates::Truth;

bool Breakpoint::names(std::uint16_t node) const {
    using What = tmon_predicates::Predicate::What;
    if (predicate.what == What::InFlight || predicate.what == What::Unread)
        return node == predicate.to || (predicate.what == What::InFlight && node == predicate.from);
    return std::any_of(answer.records.begin(), answer.records.end(), [node](const auto& id) { return id.stream == node; });
}

// The predicates that are not known to hold, behind a sorter of their own.
struct Breakpoints::Watching {
    explicit Watching(std::uint16_t nodes) : watch(nodes), sorter(nodes, watch, {}) {}

    PredicateWatch watch;
    tmon_order::TraceSorter sorter;
    std::vector<std::size_t> numbers{};  // by place in the watch
    std::size_t told = 0;                // of watch.true_ones()
};

Breakpoints::Breakpoints(std::uint16_t nodes, trace_record::ClassSet classes, tmon_streams::TraceFeed* next,
                         std::function<void()> stop)
    : nodes_(nodes), classes_(classes), next_(next), stop_(std::move(stop)) {}
Breakpoints::~Breakpoints() = default;

void Breakpoints::records(std::uint16_t node, std::uint32_t first_seq, std::span<const trace_record::Event> events,
                          std::uint64_t came_us) {
    if (next_ != nullptr) next_->records(node, first_seq, events, came_us);
    if (!watching_) return;
    watching_->sorter.records(node, first_seq, events, came_us);
    look(true);
}

void Breakpoints::lost(const trace_record::LossRange& range) {
    if (next_ != nullptr) next_->lost(range);
    if (!watching_) return;
    watching_->sorter.lost(range);
    look(true);
}

void Breakpoints::ended(std::uint16_t node, std::uint32_t total_records) {
    if (next_ != nullptr) next_->ended(node, total_records);
    if (!watching_) return;
    watching_->sorter.ended(node, total_records);
    look(true);
}

void Breakpoints::heartbeat(std::uint16_t node, std::uint64_t before_us, std::uint64_t came_us) {
    if (next_ != nullptr) next_->heartbeat(node, before_us, came_us);
}

void Breakpoints::moment(std::uint64_t came_us) {
    if (next_ != nullptr) next_->moment(came_us);
}

void Breakpoints::classes_switched() {
    classes_ = {};
    if (watching_) watching_->watch.recorded(classes_);
}

void Breakpoints::look(bool stops) {
    if (watching_->watch.true_ones() == watching_->told) return;
    watching_->told = watching_->watch.true_ones();
    for (std::size_t i = 0; i < watching_->numbers.size(); ++i) {
        const auto found =
            std::find_if(all_.begin(), all_.end(), [&](const Breakpoint& one) { return one.number == watching_->numbers[i]; });
        if (found == all_.end() || found->answer.truth == Truth::Holds) continue;
        found->answer = watching_->watch.answer(i);
        if (found->answer.truth != Truth::Holds) continue;
        news_.push_back(found->number);
        last_hit_ = found->number;
    }
    if (stops && has_news()) stop_();
}

// Earlier records are sorted again, since another predicate may need some that are gone from the window.
void Breakpoints::watch_again(const tmon_streams::Trace& so_far) {
    watching_.reset();
    const auto waits = [](const Breakpoint& one) { return one.answer.truth == Truth::NotSoFar; };
    if (std::none_of(all_.begin(), all_.end(), waits)) return;
    watching_ = std::make_unique<Watching>(nodes_);
    watching_->watch.recorded(classes_);
    for (const Breakpoint& one : all_) {
        if (!waits(one)) continue;
        watching_->watch.add(one.predicate);
        watching_->numbers.push_back(one.number);
    }
    for (const tmon_streams::Stream& stream : so_far.streams) {
        std::uint64_t total = 0;
        for (const auto& part : stream.parts) {
            watching_->sorter.records(stream.node, part.front().seq, part, 0);
            total = std::max<std::uint64_t>(total, part.back().seq + std::uint64_t{1});
        }
        const bool finished = stream.state == tmon_streams::StreamState::Finished;
        for (const trace_record::LossRange& loss : stream.losses) {
            // A gap that nobody explained may still be filled.
            if (finished || loss.cause != trace_record::LossCause::Unknown) watching_->sorter.lost(loss);
            total = std::max<std::uint64_t>(total, loss.last_seq + std::uint64_t{1});
        }
        if (finished) watching_->sorter.ended(stream.node, static_cast<std::uint32_t>(total));
    }
}

const Breakpoint& Breakpoints::add(const std::string& predicate, const tmon_streams::Trace& so_far) {
    all_.push_back({numbers_ + 1, tmon_predicates::parse_predicate(predicate, nodes_, "break when"), {}, 0});
    ++numbers_;
    watch_again(so_far);
    const auto news = news_;
    look(false);
    news_ = news;  // told in the answer to the command
    return all_.back();
}

bool Breakpoints::remove(std::optional<std::size_t> number) {
    const auto gone = std::erase_if(all_, [&](const Breakpoint& one) { return !number || one.number == *number; });
    std::erase_if(news_, [&](std::size_t one) { return !number || one == *number; });
    if (all_.empty()) watching_.reset();
    return gone > 0 || !number;
}

void Breakpoints::finish() {
    if (!watching_) return;
    watching_->sorter.finish();
    look(false);  // predicates that became true with the last records are news, too
    watching_->watch.finish();
    for (std::size_t i = 0; i < watching_->numbers.size(); ++i) {
        for (Breakpoint& one : all_) {
            if (one.number == watching_->numbers[i] && one.answer.truth == Truth::NotSoFar)
                one.answer = watching_->watch.answer(i);
        }
    }
    watching_.reset();
}

std::vector<Breakpoint> Breakpoints::take_news(std::size_t changes) {
    std::vector<Breakpoint> told;
    for (const std::size_t number : std::exchange(news_, {})) {
        for (Breakpoint& one : all_) {
            if (one.number != number) continue;
            one.changes = changes;
            told.push_back(one);
        }
    }
    return told;
}

const Breakpoint& Breakpoints::tell_last(std::size_t changes) {
    if (all_.back().answer.truth == Truth::Holds) all_.back().changes = changes;
    return all_.back();
}

std::string Breakpoints::text() const {
    std::string text = std::to_string(numbers_) + "\n";
    for (const Breakpoint& one : all_) text += std::to_string(one.number) + " " + one.predicate.text + "\n";
    return text;
}

std::vector<std::size_t> Breakpoints::replace(const std::string& text, const tmon_streams::Trace& so_far) {
    std::istringstream stream(text);
    std::vector<Breakpoint> wanted;
    std::vector<std::size_t> added;
    stream >> numbers_;
    std::string predicate;
    for (std::size_t number = 0; stream >> number;) {
        stream.ignore();
        std::getline(stream, predicate);
        if (const Breakpoint* const known = find(number)) {
            wanted.push_back(*known);
            continue;
        }
        added.push_back(number);
        wanted.push_back({number, tmon_predicates::parse_predicate(predicate, nodes_, "break when"), {}, 0});
    }
    all_ = std::move(wanted);
    std::erase_if(news_, [this](std::size_t number) { return find(number) == nullptr; });
    if (all_.empty()) watching_.reset();
    if (added.empty()) return added;
    watch_again(so_far);
    const auto news = news_;
    look(false);
    news_ = news;  // told when it was given
    return added;
}

const Breakpoint* Breakpoints::find(std::size_t number) const {
    const auto found = std::find_if(all_.begin(), all_.end(), [number](const Breakpoint& one) { return one.number == number; });
    return found == all_.end() ? nullptr : &*found;
}

}  // namespace cli
