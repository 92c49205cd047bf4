// OrderStamps: vector time stamps (Fidge 1988, Mattern 1989) of records that come in causal order, as the sorter reports them.
// The stamp of a record has a count for each stream: the records of that stream, by their numbers, that are known to precede
// it.
//
// Each record stores the link to its source, 8 bytes. Up to 64 streams the vectors of the newest records are at hand: 1 MB of
// them. One vector of each stream in 256 is kept, and an older stamp is rebuilt from there. With more streams a record stores
// the link alone, and a stamp is rebuilt when it is asked for. The newest 4096 rebuilt ones are kept, and help the next ones.
//
// Cost: recording is linear in the streams up to 64, then constant. Up to 64 streams rebuilding visits at most 256 records a
// stream. With more it visits each record that precedes and is not covered by a kept stamp. Memory: 12 bytes a record, and up
// to one more for the vectors that are kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
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

    // The next record, and the record of another stream that it follows from directly. EXPECTS a stream that exists, a number
    // below 2^32 - 1 and above those that the stream had before, and a source that was recorded.
    void record(RecordId id, std::optional<RecordId> source);

    // Both EXPECT records that were recorded.
    Stamp stamp(RecordId id) const;
    // True when a is known to precede b; false for a record and itself. False proves nothing where records were lost, or where
    // a record has further sources, as the end of a collective.
    bool precedes(RecordId a, RecordId b) const;

private:
    void take(RecordId id, std::optional<RecordId> source, std::uint32_t from);
    Stamp rebuild(RecordId id) const;

    struct Streams;
    struct Vectors;
    struct Rebuilt;
    std::unique_ptr<Streams> streams_;
    std::unique_ptr<Vectors> vectors_;  // up to 64 streams
    std::unique_ptr<Rebuilt> rebuilt_;  // with more
};

}  // namespace tmon_order
