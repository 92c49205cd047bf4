#include <tmon_sorted/sorted_file.hpp>

#include <trace_record/trace_scan.hpp>

namespace tmon_sorted {
namespace {

using trace_record::TraceScan;
using Kind = tmon_order::SortedRecord::Kind;

constexpr std::size_t most_in_block = 4096;

}  // namespace

SortedFile::SortedFile(const std::string& trace, const std::string& path, bool force)
    : closing_(TraceScan(trace).closing()), writer_(path, TraceScan(trace).manifest(), {.compress = false, .force = force}) {}

void SortedFile::item(const tmon_order::SortedItem& item) {
    const auto node = static_cast<std::uint16_t>(item.order.id.stream);
    if (item.order.kind == Kind::Record) {
        const bool goes_on = !run_.empty() && run_.back().node == node && run_.back().seq + 1 == item.event->seq;
        if (!goes_on || run_.size() == most_in_block) put_run();
        run_.push_back(*item.event);
        return;
    }
    put_run();
    if (item.order.kind == Kind::Lost) {
        writer_.loss(*item.loss);
    } else if (item.order.ending == tmon_order::StreamEnding::Finished) {
        writer_.stream_end(node, static_cast<std::uint32_t>(item.order.id.number));
    }
}

void SortedFile::put_run() {
    if (!run_.empty()) writer_.events(run_.front().node, run_.front().seq, run_);
    run_.clear();
}

void SortedFile::close() {
    put_run();
    if (!closing_.empty()) writer_.closing(closing_);
    writer_.close();
}

}  // namespace tmon_sorted
