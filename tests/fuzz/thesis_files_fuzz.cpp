// The text files of the thesis. What is read is written, and read again.
#include <optional>

#include <tmon_streams/thesis_files.hpp>

#include "fuzz_target.hpp"
#include "same_trace.hpp"

namespace {

using namespace tmon_streams;

constexpr auto yes = text::Replace::Yes;

farm_spec::FarmSpec spf(std::string_view text) {
    farm_spec::FarmSpec spec = read_spf(fuzz::put("a.spf", text));
    write_spf(fuzz::file("b.spf"), spec, yes);
    fuzz::reads_again([&] { fuzz::require(read_spf(fuzz::file("b.spf")) == spec, "the .spf read again is another"); });
    return spec;
}

ConfigFile config(std::string_view text) {
    ConfigFile file = read_config(fuzz::put("a.config", text));
    write_config(fuzz::file("b.config"), file, yes);
    fuzz::reads_again([&] { fuzz::require(read_config(fuzz::file("b.config")) == file, "the .config read again is another"); });
    return file;
}

void bug(std::string_view text) {
    const std::vector<BugLine> lines = read_bug(fuzz::put("a.bug", text));
    write_bug(fuzz::file("b.bug"), lines, yes);
    fuzz::reads_again([&] { fuzz::require(read_bug(fuzz::file("b.bug")) == lines, "the .bug read again is another"); });
}

// A .spf, "---", a .config or nothing, "---", a .tvm.
void tvm(std::string_view text) {
    const farm_spec::FarmSpec spec = spf(fuzz::part(text));
    const std::string_view known = fuzz::part(text);
    const std::optional<ConfigFile> file = known.empty() ? std::nullopt : std::optional(config(known));
    const Trace trace = read_tvm(fuzz::put("a.tvm", text), spec, file);
    write_tvm(fuzz::file("b.tvm"), trace, yes);
    fuzz::reads_again([&] { fuzz::require_same(trace, read_tvm(fuzz::file("b.tvm"), spec, file)); });
}

// A .config, "---", a .all. The configuration of the trace read must describe it.
void every_event(std::string_view text) {
    const ConfigFile file = config(fuzz::part(text));
    const Trace trace = read_all(fuzz::put("a.all", text), file);
    const ConfigFile own = config_of(trace);
    write_config(fuzz::file("c.config"), own, yes);
    write_all(fuzz::file("c.all"), trace, yes);
    fuzz::reads_again([&] {
        fuzz::require(read_config(fuzz::file("c.config")) == own, "the .config of a trace read again is another");
        fuzz::require_same(trace, read_all(fuzz::file("c.all"), own));
        tvmfilter(fuzz::file("c"), yes);
    });
}

}  // namespace

FUZZ_TARGET(thesis_files, input) {
    switch (fuzz::choose(input, 5)) {
        case 0:
            spf(input);
            return;
        case 1:
            config(input);
            return;
        case 2:
            return bug(input);
        case 3:
            return tvm(input);
        default:
            return every_event(input);
    }
}
