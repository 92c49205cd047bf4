// sort, for traces of other programs.
#include <functional>
#include <string>

#include <tmon_foreign/foreign_sort.hpp>

#include "frame/command.hpp"
#include "traces/sort_options.hpp"

namespace cli {
namespace {

using tmon_foreign::ForeignItem;
using tmon_foreign::ForeignTrace;
using ForeignLine = std::function<std::string(const ForeignItem&)>;

class ForeignLines : public tmon_foreign::ForeignItems {
public:
    ForeignLines(ForeignLine line, const std::function<void(std::string_view)>& write)
        : line_(std::move(line)), write_(write) {}
    void item(const ForeignItem& item) override { write_(line_(item)); }

private:
    ForeignLine line_;
    const std::function<void(std::string_view)>& write_;
};

struct NoForeignLines : tmon_foreign::ForeignItems {
    void item(const ForeignItem&) override {}
};

// The text before the lines, and the lines.
std::pair<std::string, ForeignLine> foreign_text(const SortCommand& options, const ForeignTrace& trace) {
    if (options.to == "jsonl") return {"", [&](const ForeignItem& item) { return json_line(trace, item); }};
    if (options.to == "csv") return {tmon_foreign::csv_head(), [&](const ForeignItem& item) { return csv_line(trace, item); }};
    if (options.to == "picl" || options.to == "picl-old") {
        const auto to = options.to == "picl" ? tmon_foreign::Format::Picl : tmon_foreign::Format::PiclOld;
        return {picl_head(trace, to), [&trace, to](const ForeignItem& item) { return picl_line(trace, item, to); }};
    }
    return {"", [&](const ForeignItem& item) { return text_line(trace, item); }};
}

}  // namespace

tmon_sorted::SortResult sort_foreign_trace(const SortCommand& options, const std::string& file,
                                           const tmon_sorted::SortOptions& wanted) {
    if (options.to == "mwt")
        throw CLI::ValidationError("--to", "mwt has records of Magicwire only; give jsonl, csv or picl for this trace");
    const ForeignTrace trace = tmon_foreign::read_foreign(file);
    tmon_foreign::ForeignSortOptions sort;
    sort.by = wanted.by;
    sort.least_latency_ns = wanted.least_latency_ns;
    sort.progress = wanted.progress;
    const auto [head, line] = foreign_text(options, trace);
    if (options.out.empty() && !options.lines_to_stream()) {
        NoForeignLines nothing;
        return tmon_foreign::sort_foreign(trace, sort, nothing);
    }
    return into_output(options, [&, &first = head, &each = line](const std::function<void(std::string_view)>& write) {
        write(first);
        ForeignLines lines(each, write);
        return tmon_foreign::sort_foreign(trace, sort, lines);
    });
}

}  // namespace cli
