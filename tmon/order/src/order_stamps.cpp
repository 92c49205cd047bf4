#include <tmon_order/order_stamps.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <utility>

#include <vocabulary/contract.hpp>

#include "key_table.hpp"

namespace tmon_order {

namespace {

constexpr std::uint64_t no_link = ~std::uint64_t{0};
constexpr std::uint64_t list_link = std::uint64_t{1} << 63;  // to the list of the lower half
constexpr std::size_t ring_bytes = std::size_t{1} << 20;     // so that it stays in a second-level cache
constexpr std::uint32_t checkpoint_every = 256;
constexpr std::size_t most_kept = 4096;  // rebuilt stamps
constexpr std::size_t pasts_kept = 64;   // of lists

std::uint64_t packed(RecordId id) {
    return std::uint64_t{id.stream} << 32 | id.number;
}
RecordId unpacked(std::uint64_t record) {
    return {static_cast<std::uint32_t>(record >> 32), record & 0xFFFF'FFFF};
}

}  // namespace

// Which numbers a stream has, as rows without a gap. Usually there is one run.
struct OrderStamps::Streams {
    struct Run {
        std::uint32_t first = 0, row = 0;
    };
    struct Stream {
        std::vector<Run> runs;
        std::vector<std::uint64_t> links;  // by row: stream << 32 | number of the source, a list, or no_link
        std::uint32_t next = 0;            // the least number that may come
    };
    static constexpr std::uint32_t none = 0xFFFF'FFFF;

    explicit Streams(std::uint32_t count) : all(count) {}

    // Makes the next row.
    void add(RecordId id, std::uint64_t link) {
        Stream& stream = all[id.stream];
        const auto number = static_cast<std::uint32_t>(id.number);
        if (stream.links.empty() || number != stream.next)
            stream.runs.push_back({number, static_cast<std::uint32_t>(stream.links.size())});
        stream.next = number + 1;
        stream.links.push_back(link);
    }
    // The row of a number, or none.
    std::uint32_t row(RecordId id) const {
        if (id.stream >= all.size()) return none;
        const Stream& stream = all[id.stream];
        if (id.number >= stream.next) return none;
        const auto number = static_cast<std::uint32_t>(id.number);
        const Run* run = &stream.runs.back();
        if (number < run->first) {
            const auto after = std::upper_bound(stream.runs.begin(), stream.runs.end(), number,
                                                [](std::uint32_t n, const Run& one) { return n < one.first; });
            if (after == stream.runs.begin()) return none;
            run = &after[-1];
            if (number - run->first >= after->row - run->row) return none;  // a lost one
        }
        return run->row + (number - run->first);
    }
    // The rows of a stream whose number is less than `end`.
    std::uint32_t rows_below(std::uint32_t stream, std::uint32_t end) const {
        const auto& runs = all[stream].runs;
        const auto after =
            std::upper_bound(runs.begin(), runs.end(), end, [](std::uint32_t n, const Run& one) { return n < one.first; });
        if (after == runs.begin()) return 0;
        const auto until = after == runs.end() ? static_cast<std::uint32_t>(all[stream].links.size()) : after->row;
        return std::min(until, after[-1].row + (end - after[-1].first));
    }

    std::vector<Stream> all;
};

// Sources of records that have several.
struct OrderStamps::Lists {
    struct Past {
        std::uint32_t list = Streams::none;
        Stamp stamp;
    };

    std::span<const std::uint64_t> at(std::uint32_t list) const {
        return std::span(sources).subspan(begins[list], begins[list + 1] - begins[list]);
    }
    std::uint32_t add(std::span<const Cause> causes) {
        for (const Cause& cause : causes) sources.push_back(packed(cause.id));
        begins.push_back(sources.size());
        seen.push_back(0);
        return static_cast<std::uint32_t>(seen.size() - 1);
    }
    // True the first time in this turn.
    bool visit(std::uint32_t list) { return std::exchange(seen[list], turn) != turn; }
    const Stamp* past(std::uint32_t list) const {
        const Past& kept = pasts[list % pasts_kept];
        return kept.list == list ? &kept.stamp : nullptr;
    }

    std::vector<std::uint64_t> sources;    // of all lists
    std::vector<std::size_t> begins{0};    // of each list, and the end
    KeyTable by_number;                    // lists that records share
    std::vector<std::uint64_t> seen;       // by list: the turn that visited it last
    std::uint64_t turn = 0;                // of rebuilding
    std::array<Past, pasts_kept> pasts{};  // by list, modulo their number
};

// Up to 64 streams: the newest vector of each stream, those of the newest records in a ring, and one of each stream in 256.
struct OrderStamps::Vectors {
    explicit Vectors(std::uint32_t count)
        : width(std::bit_ceil(std::max(count, 4U))),
          room(static_cast<std::uint32_t>(ring_bytes / 4 / width)),
          newest(count * width),
          ring(room * width),
          when(count),
          checkpoints(count) {}

    std::uint32_t* of_stream(std::uint32_t stream) { return newest.data() + stream * width; }
    // The vector of a row while it is in the ring; else null.
    const std::uint32_t* find(std::uint32_t stream, std::uint32_t row) const {
        const std::uint32_t at = when[stream][row];
        return used - at <= room ? ring.data() + (at & (room - 1)) * width : nullptr;
    }
    // Keeps the newest vector of the stream as that of its next row.
    void keep(std::uint32_t stream) {
        const std::uint32_t* const now = of_stream(stream);
        std::copy_n(now, width, ring.data() + (used & (room - 1)) * width);
        if (when[stream].size() % checkpoint_every == 0)
            checkpoints[stream].insert(checkpoints[stream].end(), now, now + width);
        when[stream].push_back(used++);
    }
    const std::uint32_t* checkpoint(std::uint32_t stream, std::uint32_t row) const {
        return row % checkpoint_every == 0 ? checkpoints[stream].data() + row / checkpoint_every * width : nullptr;
    }

    const std::size_t width;   // the streams, rounded up to a power of two
    const std::uint32_t room;  // vectors in the ring, a power of two
    std::uint32_t used = 0;    // records so far
    std::vector<std::uint32_t> newest, ring;
    std::vector<std::vector<std::uint32_t>> when;         // by stream and row: the records before it
    std::vector<std::vector<std::uint32_t>> checkpoints;  // by stream: vectors one after the other
};

// With more: rebuilt stamps, by stream and row.
struct OrderStamps::Rebuilt {
    explicit Rebuilt(std::uint32_t streams) : kept(streams) {}

    const std::uint32_t* find(std::uint32_t stream, std::uint32_t row) const {
        const auto found = kept[stream].find(row);
        return found == kept[stream].end() ? nullptr : found->second.data();
    }
    // All are forgotten when they are too many.
    void keep(std::uint32_t stream, std::uint32_t row, const Stamp& stamp) {
        if (find(stream, row) != nullptr) return;
        if (count == most_kept) {
            for (auto& rows : kept) rows.clear();
            count = 0;
        }
        kept[stream].emplace(row, stamp);
        ++count;
    }

    std::vector<std::map<std::uint32_t, Stamp>> kept;
    std::size_t count = 0;
};

OrderStamps::OrderStamps(std::uint32_t streams)
    : streams_(std::make_unique<Streams>(streams)), lists_(std::make_unique<Lists>()) {
    EXPECTS(streams <= 65'536, "order_stamps.streams");
    if (streams <= most_stored)
        vectors_ = std::make_unique<Vectors>(streams);
    else
        rebuilt_ = std::make_unique<Rebuilt>(streams);
}
OrderStamps::~OrderStamps() = default;

void OrderStamps::record(RecordId id, std::span<const Cause> sources, std::uint64_t shared) {
    EXPECTS(id.stream < streams_->all.size(), "order_stamps.stream");
    EXPECTS(id.number >= streams_->all[id.stream].next && id.number < 0xFFFF'FFFF, "order_stamps.number");
    const std::uint64_t link = sources.empty() ? no_link : link_of(sources, shared);
    if (vectors_) take(id, link);
    streams_->add(id, link);
}

std::uint64_t OrderStamps::link_of(std::span<const Cause> sources, std::uint64_t shared) {
    if (shared != 0) {
        const std::uint32_t known = lists_->by_number.find({shared, 0});
        if (known != KeyTable::none) return list_link | known;
    }
    for (const Cause& source : sources) EXPECTS(streams_->row(source.id) != Streams::none, "order_stamps.source");
    if (sources.size() == 1) return packed(sources.front().id);
    const std::uint32_t list = lists_->add(sources);
    if (shared != 0) lists_->by_number.add({shared, 0}, list);
    return list_link | list;
}

// The greater counts of the two.
void OrderStamps::join(std::uint32_t* into, RecordId source) const {
    const std::uint32_t* cause = vectors_->find(source.stream, streams_->row(source));
    Stamp old;
    if (cause == nullptr) {
        old = stamp(source);
        old.resize(vectors_->width);
        cause = old.data();
    }
    for (std::size_t i = 0; i < vectors_->width; ++i) into[i] = std::max(into[i], cause[i]);
}

void OrderStamps::take(RecordId id, std::uint64_t link) {
    std::uint32_t* const now = vectors_->of_stream(id.stream);
    if (link != no_link && (link & list_link) != 0) {
        const Stamp& past = common_past(static_cast<std::uint32_t>(link));
        for (std::size_t i = 0; i < vectors_->width; ++i) now[i] = std::max(now[i], past[i]);
    } else if (link != no_link) {
        join(now, unpacked(link));
    }
    now[id.stream] = static_cast<std::uint32_t>(id.number) + 1;
    vectors_->keep(id.stream);
}

// The past of all sources of the list, and the sources themselves.
const OrderStamps::Stamp& OrderStamps::common_past(std::uint32_t list) const {
    Lists::Past& kept = lists_->pasts[list % pasts_kept];
    if (kept.list == list) return kept.stamp;
    Stamp stamp;
    if (vectors_) {
        stamp.resize(vectors_->width);
        for (const std::uint64_t source : lists_->at(list)) join(stamp.data(), unpacked(source));
    } else {
        stamp = rebuild(lists_->at(list));
    }
    kept = {list, std::move(stamp)};
    return kept.stamp;
}

OrderStamps::Stamp OrderStamps::stamp(RecordId id) const {
    const std::uint32_t row = streams_->row(id);
    EXPECTS(row != Streams::none, "order_stamps.stamp");
    if (vectors_) {
        const std::uint32_t* const first = vectors_->find(id.stream, row);
        if (first != nullptr) return {first, first + streams_->all.size()};
    } else if (const std::uint64_t link = streams_->all[id.stream].links[row]; link != no_link && (link & list_link) != 0) {
        common_past(static_cast<std::uint32_t>(link));  // the others that have this list need it, too
    }
    const std::uint64_t start = packed(id);
    Stamp made = rebuild({&start, 1});
    if (rebuilt_) rebuilt_->keep(id.stream, row, made);
    return made;
}

// Follows the links backwards, each record and list once.
OrderStamps::Stamp OrderStamps::rebuild(std::span<const std::uint64_t> starts) const {
    Stamp known(streams_->all.size(), 0);
    std::vector<std::uint32_t> read(known.size(), 0);  // rows of each stream whose links are in `known`
    std::vector<std::uint32_t> open;
    ++lists_->turn;
    const auto follow = [&](std::uint64_t source) {
        const auto stream = static_cast<std::uint32_t>(source >> 32), number = static_cast<std::uint32_t>(source);
        if (number < known[stream]) return;
        known[stream] = number + 1;
        open.push_back(stream);
    };
    const auto cover = [&](const std::uint32_t* counts) {  // with all that is before them
        for (std::uint32_t other = 0; other < known.size(); ++other) {
            known[other] = std::max(known[other], counts[other]);
            read[other] = std::max(read[other], streams_->rows_below(other, counts[other]));
        }
    };
    for (const std::uint64_t start : starts) follow(start);
    while (!open.empty()) {
        const std::uint32_t stream = open.back();
        open.pop_back();
        const std::uint32_t from = read[stream], to = streams_->rows_below(stream, known[stream]);
        read[stream] = std::max(from, to);
        for (std::uint32_t at = to; at > from; --at) {
            const std::uint32_t* const kept = vectors_ ? vectors_->checkpoint(stream, at - 1) : rebuilt_->find(stream, at - 1);
            if (kept != nullptr) {  // it covers all that is before it, there too
                cover(kept);
                break;
            }
            const std::uint64_t link = streams_->all[stream].links[at - 1];
            if (link == no_link) continue;
            if ((link & list_link) == 0) {
                follow(link);
            } else if (const auto list = static_cast<std::uint32_t>(link); lists_->visit(list)) {
                if (const Stamp* past = lists_->past(list)) {
                    cover(past->data());
                } else {
                    for (const std::uint64_t source : lists_->at(list)) follow(source);
                }
            }
        }
    }
    return known;
}

bool OrderStamps::precedes(RecordId a, RecordId b) const {
    EXPECTS(streams_->row(a) != Streams::none, "order_stamps.precedes");
    return a != b && stamp(b)[a.stream] > a.number;
}

}  // namespace tmon_order
