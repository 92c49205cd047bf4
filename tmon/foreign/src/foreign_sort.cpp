#include <tmon_foreign/foreign_sort.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <span>

namespace tmon_foreign {
namespace {

using tmon_order::Assumed;
using tmon_order::CausalSorter;
using tmon_order::End;
using tmon_order::Key;
using tmon_order::SortedRecord;
using tmon_sorted::SortBy;
using tmon_sorted::SortResult;

constexpr std::size_t no_limit = std::size_t{1} << 40, most_contradictions = 100;
constexpr std::uint64_t events_between_looks = 1U << 16;

// Facts of each event that all passes need.
struct Places {
    explicit Places(const ForeignTrace& trace)
        : number(trace.events.size()), order_ns(number.size()), of_stream(trace.streams.size()) {
        std::vector<std::uint64_t> next(trace.streams.size());
        std::vector<std::int64_t> newest(trace.streams.size(), std::numeric_limits<std::int64_t>::min());
        for (std::uint32_t i = 0; i < trace.events.size(); ++i) {
            const ForeignEvent& event = trace.events[i];
            // A loss is a number of its own behind its record.
            number[i] = next[event.stream];
            next[event.stream] += event.kind == Kind::Lost ? 2 : 1;
            order_ns[i] = newest[event.stream] = std::max(newest[event.stream], event.time_ns);
            of_stream[event.stream].push_back(i);
        }
    }
    std::vector<std::uint64_t> number;   // in the sorter
    std::vector<std::int64_t> order_ns;  // not before those before it on its stream
    std::vector<std::vector<std::uint32_t>> of_stream;
};

// Events by time; those of one stream keep their order.
std::vector<std::uint32_t> by_time(const ForeignTrace& trace, const Places& places) {
    std::vector<std::uint32_t> order(trace.events.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return places.order_ns[a] != places.order_ns[b] ? places.order_ns[a] < places.order_ns[b]
                                                        : trace.events[a].stream < trace.events[b].stream;
    });
    return order;
}

// Messages whose receive comes before their send, in an order of events. Equal ones are joined first in, first out.
class MessageOrder {
public:
    explicit MessageOrder(const ForeignTrace& trace) : trace_(trace) {}
    void event(const ForeignEvent& event) {
        if (event.end == none || (event.kind != Kind::Send && event.kind != Kind::Receive)) return;
        const Key& key = trace_.ends[event.end].key;
        auto& [sends, receives] = open_[{key.where, key.what}];
        if (event.kind == Kind::Send && sends++ < receives) ++backwards_;
        if (event.kind == Kind::Receive) ++receives;
    }
    std::uint64_t backwards() const { return backwards_; }
    std::uint64_t messages() const {
        std::uint64_t count = 0;
        for (const auto& [key, ends] : open_) count += std::min(ends.first, ends.second);
        return count;
    }

private:
    const ForeignTrace& trace_;
    std::map<std::pair<std::uint64_t, std::uint64_t>, std::pair<std::uint64_t, std::uint64_t>> open_;
    std::uint64_t backwards_ = 0;
};

class Sort {
public:
    Sort(const ForeignTrace& trace, const ForeignSortOptions& options, ForeignItems& items)
        : trace_(trace), options_(options), items_(items), places_(trace), released_(trace.events.size()) {
        result_.trace = trace.file;
        result_.status = trace.status;
        result_.clock = trace.clock;
        result_.by = options.by;
        result_.left_out = trace.left_out;
        result_.streams.resize(trace.streams.size());
        result_.assumed.resize(static_cast<std::size_t>(Assumed::Cycle) + 1);
    }

    SortResult run() {
        result_.interrupted = !(arrive() && find_released(by_time(trace_, places_)) && give_all());
        return std::move(result_);
    }

private:
    struct Released {
        Assumed assumed = Assumed::Nothing;
        std::optional<tmon_order::RecordId> contradicted;
    };
    // A pass of the sort on the fly.
    struct Pass : tmon_order::SortedOutput {
        explicit Pass(std::function<void(const SortedRecord&)> to) : take(std::move(to)) {}
        void report(const SortedRecord& record) override { take(record); }
        std::function<void(const SortedRecord&)> take;
    };
    // Other tools record what they are told to, so a send without a record is no contradiction.
    CausalSorter::Options sorter_options() const {
        CausalSorter::Options options;
        options.least_latency_ns = options_.least_latency_ns;
        options.ends_are_final = false;
        return options;
    }
    static CausalSorter::Options with_room(CausalSorter::Options options) {
        options.most_waiting = no_limit;
        return options;
    }
    bool goes_on() {
        return ++done_ % events_between_looks != 0 || !options_.progress || options_.progress(done_, 3 * trace_.events.size());
    }
    void insert(CausalSorter& sorter, std::uint32_t index, bool with_end) const {
        const ForeignEvent& event = trace_.events[index];
        std::span<const End> ends;
        if (with_end && event.end != none) ends = {&trace_.ends[event.end], 1};
        const std::uint64_t number = places_.number[index];
        sorter.insert({event.stream, number}, places_.order_ns[index], index, ends);
        if (event.kind == Kind::Lost) sorter.lost(event.stream, number + 1, number + 1, tmon_order::no_payload);
    }
    void end_all(CausalSorter& sorter) const {
        for (std::uint32_t stream = 0; stream < trace_.streams.size(); ++stream)
            sorter.ended(stream, trace_.streams[stream].ending);
    }
    bool feed(CausalSorter& sorter, const std::vector<std::uint32_t>* order) {
        for (std::uint32_t i = 0; i < trace_.events.size(); ++i) {
            insert(sorter, order != nullptr ? (*order)[i] : i, true);
            if (!goes_on()) return false;
        }
        end_all(sorter);
        sorter.finish();
        return true;
    }

    // In the order of the file: the figures of the sort on the fly.
    bool arrive() {
        Pass pass([this](const SortedRecord& record) {
            tmon_sorted::StreamFigures& stream = result_.streams[record.id.stream];
            if (record.kind == SortedRecord::Kind::End) {
                stream.ending = record.ending;
            } else if (record.kind == SortedRecord::Kind::Record) {
                ++stream.records;
                stream.drift_ns = record.final_ns - record.raw_ns;
                stream.forced_by = record.forced_by;
            }
        });
        CausalSorter sorter(static_cast<std::uint32_t>(trace_.streams.size()), pass, sorter_options());
        MessageOrder order(trace_);
        for (const ForeignEvent& event : trace_.events) {
            order.event(event);
            if (event.kind != Kind::Lost) continue;
            ++result_.losses;
            result_.lost += event.bytes;
            result_.streams[event.stream].lost += event.bytes;
        }
        result_.backwards_at_arrival = order.backwards();
        if (!feed(sorter, nullptr)) return false;
        result_.sorter = sorter.counts();
        return true;
    }

    // By time, so that the order of the file does not matter: the receives without a send.
    bool find_released(const std::vector<std::uint32_t>& order) {
        Pass pass([this](const SortedRecord& record) {
            if (record.kind == SortedRecord::Kind::Record && record.assumed != Assumed::Nothing)
                released_[record.payload] = {record.assumed, record.contradicted};
        });
        CausalSorter sorter(static_cast<std::uint32_t>(trace_.streams.size()), pass, with_room(sorter_options()));
        if (!feed(sorter, &order)) return false;
        const tmon_order::SorterCounts& counts = sorter.counts();
        result_.records = counts.records;
        result_.receives_alone = counts.sources_missing;
        result_.sends_alone = counts.targets_missing;
        result_.contradicting = counts.contradictions;
        for (std::uint32_t i = 0; i < released_.size(); ++i) {
            ++result_.assumed[static_cast<std::size_t>(released_[i].assumed)];
            const bool contradicts = released_[i].assumed == Assumed::Cycle || released_[i].assumed == Assumed::NeverBegan;
            if (contradicts && result_.contradictions.size() < most_contradictions)
                result_.contradictions.push_back({{trace_.events[i].stream, places_.number[i]}, released_[i].contradicted});
        }
        result_.assumed[0] = 0;
        return true;
    }

    bool give_all() {
        MessageOrder order(trace_);
        bool whole = true;
        const auto give = [&](std::uint32_t index, const SortedRecord* sorted) {
            const ForeignEvent& event = trace_.events[index];
            ForeignItem item;
            item.event = &event;
            if (sorted != nullptr) {
                item.order = *sorted;
                item.order.assumed = released_[index].assumed;
                item.order.contradicted = released_[index].contradicted;
            } else {
                item.order.id = {event.stream, places_.number[index]};
                item.order.final_ns = event.time_ns;
            }
            item.order.raw_ns = event.time_ns;
            items_.item(item);
            order.event(event);
            whole = goes_on();
        };
        if (options_.by == SortBy::Cause) {
            give_by_cause(give, whole);
        } else {
            const std::vector<std::uint32_t> times =
                options_.by == SortBy::Time ? by_time(trace_, places_) : std::vector<std::uint32_t>();
            for (std::uint32_t i = 0; whole && i < trace_.events.size(); ++i) give(times.empty() ? i : times[i], nullptr);
        }
        result_.messages = order.messages();
        result_.backwards = order.backwards();
        return whole;
    }

    template <class Give>
    void give_by_cause(const Give& give, const bool& whole) {
        std::optional<SortedRecord> next;
        Pass pass([&next](const SortedRecord& record) { next = record; });
        CausalSorter::Options one_by_one = with_room(sorter_options());
        one_by_one.release = CausalSorter::Release::OneByOne;
        CausalSorter sorter(static_cast<std::uint32_t>(trace_.streams.size()), pass, one_by_one);
        std::vector<std::size_t> at(trace_.streams.size(), 0);
        const auto pull = [&](std::uint32_t stream) {
            const std::vector<std::uint32_t>& of = places_.of_stream[stream];
            if (at[stream] < of.size()) {
                const std::uint32_t index = of[at[stream]++];
                insert(sorter, index, released_[index].assumed == Assumed::Nothing);
            } else {
                sorter.ended(stream, trace_.streams[stream].ending);
            }
        };
        for (std::uint32_t stream = 0; stream < trace_.streams.size(); ++stream) pull(stream);
        while (whole && sorter.report_next()) {
            const SortedRecord record = *next;
            if (record.kind == SortedRecord::Kind::End) continue;
            if (record.kind == SortedRecord::Kind::Lost) {
                pull(record.id.stream);  // a loss is behind its record
                continue;
            }
            const auto index = static_cast<std::uint32_t>(record.payload);
            give(index, &record);
            if (trace_.events[index].kind != Kind::Lost) pull(record.id.stream);
        }
    }

    const ForeignTrace& trace_;
    const ForeignSortOptions& options_;
    ForeignItems& items_;
    const Places places_;
    std::vector<Released> released_;  // by event
    SortResult result_;
    std::uint64_t done_ = 0;
};

}  // namespace

SortResult sort_foreign(const ForeignTrace& trace, const ForeignSortOptions& options, ForeignItems& items) {
    return Sort(trace, options, items).run();
}

}  // namespace tmon_foreign
