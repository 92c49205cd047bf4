#include <tmon_export/export.hpp>

#include <sys/stat.h>

#include <memory>
#include <utility>

#include <tmon_order/causal_merge.hpp>
#include <tmon_order/channel_matcher.hpp>
#include <tmon_order/message_matcher.hpp>
#include <tmon_streams/trace_merge.hpp>
#include <tmon_streams/trace_store.hpp>
#include <vocabulary/source_position.hpp>

#include "byte_output.hpp"
#include "exporter.hpp"

namespace tmon_export {

using trace_record::BlockPlace;
using vocabulary::InputError;

namespace {

constexpr std::uint64_t records_between_looks = 1U << 16;

std::unique_ptr<Exporter> make(const ExportOptions& options) {
    switch (options.format) {
        case Format::Perfetto:
            return make_perfetto(options.out, options.force);
        case Format::Sqlite:
            return make_sqlite(options.out, options.force);
        case Format::Csv:
            return make_csv(options.out, options.force);
        case Format::Picl:
            return make_picl(options.out, options.force);
        case Format::PiclOld:
            return make_picl_old(options.out, options.force);
        case Format::Ctf:
            return make_ctf(options.out, options.force);
        case Format::Vcd:
            break;
    }
    return make_vcd(options.out, options.force);
}

bool is_same_file(const std::string& one, const std::string& other) {
    struct stat of_one {
    }, of_other{};
    return ::stat(one.c_str(), &of_one) == 0 && ::stat(other.c_str(), &of_other) == 0 && of_one.st_dev == of_other.st_dev &&
           of_one.st_ino == of_other.st_ino;
}

// An input must not be replaced, whatever its name is.
void check_out(const ExportOptions& options) {
    if (options.out == "-" && !is_text(options.format))
        throw InputError({"-o -", 0, 0}, "this format is no text and does not go to standard output; name a file");
    if (options.out == "-") return;
    const std::string growing = GrowingFile::path_of(options.out);
    std::vector<std::pair<std::string, std::string>> inputs{{options.trace, "the trace"}};
    inputs.insert(inputs.end(), options.inputs.begin(), options.inputs.end());
    for (const auto& [file, what] : inputs) {
        const std::string itself = "is " + what + " itself; name another file with -o";
        if (is_same_file(options.out, file)) throw InputError({options.out, 0, 0}, itself);
        if (is_same_file(growing, file))
            throw InputError({options.out, 0, 0}, "would be written as " + growing + " first, which " + itself);
    }
}

// Results of the first pass.
struct FirstPass {
    std::array<std::uint64_t, event_kinds> of_kind{};
    bool unload_times = false;
    std::vector<Event> interrupts;
    void look(const BlockPlace& block, std::span<const Event> records) {
        unload_times = unload_times || block.unloaded_us > 0;
        for (const Event& event : records) {
            ++of_kind[trace_record::kind_number(event.kind)];
            if (event.kind != EventKind::Synchronise) continue;
            interrupts.push_back(event);
            interrupts.back().node = block.node;
        }
    }
};

// The items of a trace in the order of the export.
class ItemSource {
public:
    virtual ~ItemSource() = default;
    virtual const TraceItem* next() = 0;
    virtual std::uint64_t left_out() const = 0;
    virtual std::int64_t first_ns() const = 0;
};

class ByTime final : public ItemSource {
public:
    ByTime(const tmon_streams::TraceIndex& index, std::uint16_t nodes, const tmon_streams::MainClock& clock)
        : merge_(index, nodes, clock) {}
    const TraceItem* next() override { return merge_.next(); }
    std::uint64_t left_out() const override { return merge_.left_out(); }
    std::int64_t first_ns() const override { return merge_.first_ns(); }

private:
    tmon_streams::TraceMerge merge_;
};

class ByCause final : public ItemSource {
public:
    ByCause(const tmon_streams::TraceIndex& index, std::uint16_t nodes, const tmon_streams::MainClock& clock)
        : ByCause(index, nodes, clock, tmon_order::first_pass(index, nodes, clock)) {}

private:
    ByCause(const tmon_streams::TraceIndex& index, std::uint16_t nodes, const tmon_streams::MainClock& clock,
            tmon_order::FirstPass pass)
        : left_out_(pass.left_out), merge_(index, nodes, std::move(pass.released), {.clock = clock}), first_(merge_.next()) {
        if (first_ != nullptr) first_ns_ = first_->item->main_ns;
    }

public:
    const TraceItem* next() override {
        const tmon_order::CausalMerge::Item* item = std::exchange(began_, true) ? merge_.next() : first_;
        return item != nullptr ? item->item : nullptr;
    }
    std::uint64_t left_out() const override { return left_out_; }
    std::int64_t first_ns() const override { return first_ns_; }

private:
    std::uint64_t left_out_ = 0;
    tmon_order::CausalMerge merge_;
    const tmon_order::CausalMerge::Item* first_;
    std::int64_t first_ns_ = 0;
    bool began_ = false;
};

// Messages that wait for their other end, of two neighbours, one direction and one kind.
constexpr std::size_t most_waiting = 1U << 16;

class Pass {
public:
    Pass(const ExportOptions& options, std::uint16_t nodes, ItemSource& source, Exporter& exporter, ExportResult& result)
        : options_(options),
          source_(source),
          exporter_(exporter),
          result_(result),
          tasks_(nodes, most_waiting),
          messages_(nodes, most_waiting) {}

    // False: the user wants no more.
    bool go(std::uint64_t of) {
        const bool all = take_all(of);
        result_.messages = tasks_.matched() + messages_.matched();
        result_.unmatched = tasks_.unmatched() + messages_.unmatched();
        result_.left_out = source_.left_out();
        return all;
    }

private:
    bool take_all(std::uint64_t of) {
        while (const TraceItem* item = source_.next()) {
            take(*item);
            if (result_.records % records_between_looks == 0 && options_.progress && !options_.progress(result_.records, of))
                return false;
        }
        return true;
    }
    void take(const TraceItem& item) {
        if (item.kind == TraceItem::Kind::Record) {
            ++result_.records;
            return take_record(item);
        }
        if (item.kind == TraceItem::Kind::Lost) {
            tasks_.lost(item.node);
            ++result_.losses;
            result_.lost_records += item.loss.last_seq - item.loss.first_seq + 1ULL;
        } else if (item.kind == TraceItem::Kind::End) {
            tasks_.ended(item.node);
            messages_.ended(item.node);
            result_.open_streams += item.finished ? 0 : 1;
        }
        exporter_.item(item, {});
    }
    // Bit 63 keeps 0 free for "none"; bit 62 says that the receive gave the number.
    static std::uint64_t flow_of(const Event& event, bool send) {
        return std::uint64_t{1} << 63 | std::uint64_t{send ? 0U : 1U} << 62 | std::uint64_t{event.node} << 32 | event.seq;
    }
    static Match match_with(std::uint64_t other) {
        return {.flow = other,
                .second = true,
                .node = static_cast<std::uint16_t>(other >> 32 & 0xFFFF),
                .seq = static_cast<std::uint32_t>(other)};
    }
    void take_record(const TraceItem& item) {
        const Event& event = item.event;
        if (event.kind == EventKind::Send || event.kind == EventKind::Receive) {
            const std::uint64_t own = flow_of(event, event.kind == EventKind::Send);
            const auto other = tasks_.match(event, own);
            return exporter_.item(item, other ? match_with(*other) : Match{.flow = own});
        }
        const bool call = event.kind == EventKind::SendCall;
        const std::uint64_t own = flow_of(event, call);
        const auto others = messages_.match(event, own);
        const bool may_join = call || event.kind == EventKind::MessageReceive;
        exporter_.item(item, !others.empty() ? match_with(others.front()) : Match{.flow = may_join ? own : 0});
        for (std::size_t i = 1; i < others.size(); ++i) exporter_.also_joined(item, match_with(others[i]));
    }
    const ExportOptions& options_;
    ItemSource& source_;
    Exporter& exporter_;
    ExportResult& result_;
    tmon_order::MessageMatcher tasks_;
    tmon_order::ChannelMatcher messages_;
};

}  // namespace

ExportResult export_trace(const ExportOptions& options) {
    check_out(options);
    FirstPass first;
    const tmon_streams::TraceIndex index(
        options.trace, [&](const BlockPlace& block, std::span<const Event> records) { first.look(block, records); });
    const trace_record::TraceScan& scan = index.scan();
    ExportHead head;
    head.manifest = tmon_streams::whole_manifest(scan.manifest(), scan.closing());
    const tmon_streams::Manifest manifest = tmon_streams::read_manifest(options.trace, head.manifest);
    head.nodes = manifest.expected_nodes;
    head.status = scan.status();
    head.of_kind = first.of_kind;
    head.unload_times = first.unload_times && !options.causal;
    const NamedClock chosen =
        options.clock ? options.clock(head.nodes)
                      : tmon_clocks::common_clock(std::move(first.interrupts), head.nodes, manifest.interrupt_master);
    head.clock = options.causal ? "final times of the causal sort, on " + chosen.name : chosen.name;
    std::unique_ptr<ItemSource> source;
    if (options.causal) {
        source = std::make_unique<ByCause>(index, head.nodes, chosen.clock);
    } else {
        source = std::make_unique<ByTime>(index, head.nodes, chosen.clock);
    }
    head.first_ns = source->first_ns();
    const auto exporter = make(options);
    ExportResult result{.status = head.status, .clock = head.clock};
    exporter->begin(head);
    result.interrupted = !Pass(options, head.nodes, *source, *exporter, result).go(scan.records());
    if (result.interrupted) return result;  // so that no end of the trace is written
    exporter->end(result);
    exporter->close();
    return result;
}

}  // namespace tmon_export
