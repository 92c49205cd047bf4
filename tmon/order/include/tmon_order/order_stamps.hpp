// OrderStamps: vector time stamps (Fidge 1988, Mattern 1989) of records that come in causal order, as the sorter reports them.
// The stamp of a record has a count for each stream: the records of that stream, by their numbers, that are known to precede
// it.
//
// Each record stores the link to its source, 8 bytes. Sources that records have in common are one list for all of them, as
// those of the ends of a collective. Up to 64 streams the vectors of the newest records are at hand: 1 MB of them. One vector
// of each stream in 256 is kept, and an older stamp is rebuilt from there. With more streams a record stores the link alone,
// and a stamp is rebuilt when it is asked for. The newest 4096 rebuilt ones are kept, and help the next ones. So do the common
// pasts of 64 lists.
//
// Cost: recording is linear in the streams up to 64, then constant, beside each list once. Up to 64 streams rebuilding visits
// at most 256 records a stream. With more it visits each record that precedes and is not covered by a kept stamp. Memory: 12
// bytes a record and 8 bytes an entry of a list, and up to one more for the vectors that are kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <tmon_order/communication.hpp>

namespace tmon_order {

class OrderStamps {
public:
    static constexpr std::uint32_t most_stored = 64;  // streams with vectors
    using Stamp = std::vector<std::uint32_t>;         // by stream; one more than the last number, 0 for none

    // Streams 0 ... streams - 1; at most 65 536.
    explicit OrderStamps(std::uint32_t streams);
    ~OrderStamps();
    OrderStamps(const OrderStamps&) = delete;
    OrderStamps& operator=(const OrderStamps&) = delete;

    // The next record, and all records of other streams that it follows from directly. EXPECTS a stream that exists, a number
    // below 2^32 - 1 and above those that the stream had before, and sources that were recorded. `shared`: a number of this
    // list, if other records have the same one; then records of their own streams may be in it. See SortedRecord::shared.
    void record(RecordId id, std::span<const Cause> sources, std::uint64_t shared = 0);

    // Both EXPECT records that were recorded.
    Stamp stamp(RecordId id) const;
    // True when a is known to precede b; false for a record and itself. False proves nothing where records were lost.
    bool precedes(RecordId a, RecordId b) const;

private:
    std::uint64_t link_of(std::span<const Cause> sources, std::uint64_t shared);
    void take(RecordId id, std::uint64_t link);
    void join(std::uint32_t* into, RecordId source) const;
    const Stamp& common_past(std::uint32_t list) const;
    Stamp rebuild(std::span<const std::uint64_t> starts) const;

    struct Streams;
    struct Lists;
    struct Vectors;
    struct Rebuilt;
    std::unique_ptr<Streams> streams_;
    std::unique_ptr<Lists> lists_;
    std::unique_ptr<Vectors> vectors_;  // up to 64 streams
    std::unique_ptr<Rebuilt> rebuilt_;  // with more
};

}  // namespace tmon_order
