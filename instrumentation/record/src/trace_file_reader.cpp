#include <algorithm>

#include <trace_record/trace_file.hpp>
#include <trace_record/trace_scan.hpp>

namespace trace_record {

struct TraceFileReader::State {
    std::vector<EventBlock> blocks;
    std::vector<std::unique_ptr<Event[]>> unpacked;
    const TraceScan scan;

    explicit State(const std::string& path)
        : scan(
              path, [this](const BlockPlace& block, std::span<const Event> records) { keep(block, records); },
              TraceScan::Access::Mapped) {}

    void keep(const BlockPlace& block, std::span<const Event> records) {
        if (block.packed) {
            unpacked.push_back(std::make_unique_for_overwrite<Event[]>(records.size()));
            std::copy(records.begin(), records.end(), unpacked.back().get());
            records = {unpacked.back().get(), records.size()};
        }
        blocks.push_back({block.node, block.first_seq, records, block.unloaded_us});
    }
};

TraceFileReader::TraceFileReader(const std::string& path) : state_(std::make_unique<State>(path)) {}

TraceFileReader::~TraceFileReader() = default;

const std::string& TraceFileReader::manifest() const {
    return state_->scan.manifest();
}
const std::string& TraceFileReader::closing() const {
    return state_->scan.closing();
}
TraceEnd TraceFileReader::end() const {
    return state_->scan.end();
}
std::string TraceFileReader::status() const {
    return state_->scan.status();
}
std::size_t TraceFileReader::whole_blocks() const {
    return state_->scan.whole_blocks();
}
const std::vector<EventBlock>& TraceFileReader::blocks() const {
    return state_->blocks;
}
const std::vector<LossRange>& TraceFileReader::losses() const {
    return state_->scan.losses();
}
const std::vector<StreamEnd>& TraceFileReader::stream_ends() const {
    return state_->scan.stream_ends();
}

}  // namespace trace_record
