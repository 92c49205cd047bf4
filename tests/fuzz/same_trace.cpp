#include "same_trace.hpp"

#include <algorithm>
#include <vector>

#include "fuzz_target.hpp"

namespace fuzz {
namespace {

std::vector<tmon_streams::Event> records_of(const tmon_streams::Stream& stream) {
    std::vector<tmon_streams::Event> all;
    for (const auto part : stream.parts) all.insert(all.end(), part.begin(), part.end());
    return all;
}

}  // namespace

void require_same(const tmon_streams::Trace& before, const tmon_streams::Trace& after) {
    require(before.streams.size() == after.streams.size(), "the trace read again has other nodes");
    for (std::size_t node = 0; node < before.streams.size(); ++node) {
        const auto &one = before.streams[node], &other = after.streams[node];
        require(one.node == other.node && one.state == other.state, "a stream read again ends otherwise");
        require(records_of(one) == records_of(other), "a stream read again has other records");
        require(one.losses == other.losses, "a stream read again has other losses");
    }
}

}  // namespace fuzz
