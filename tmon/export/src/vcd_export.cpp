// VCD (IEEE 1364): how full the trace buffers of each node were, what was lost, and where a stream ends open.
// docs/formats/exports.md.
#include <algorithm>
#include <bitset>

#include <fmt/format.h>

#include "byte_output.hpp"
#include "exporter.hpp"

namespace tmon_export {
namespace {

// Short names of printable characters, as the format wants them.
std::string code(std::uint64_t number) {
    std::string text;
    do {
        text += static_cast<char>('!' + number % 94);
        number /= 94;
    } while (number > 0);
    return text;
}

std::string binary(std::uint64_t value) {
    const std::string digits = std::bitset<32>(value).to_string();
    return digits.substr(std::min(digits.find('1'), digits.size() - 1));
}

class Vcd final : public Exporter {
public:
    Vcd(const std::string& out, bool force) : out_(out, force) {}

    void begin(const ExportHead& head) override {
        fill_known_ = head.unload_times;
        shift_ns_ = std::min<std::int64_t>(0, head.first_ns);
        in_buffers_.resize(head.nodes);
        lost_.resize(head.nodes);
        out_.put(fmt::format(
            "$date $end\n$version magicwire $end\n$comment trace {}; time: {}; fill: {} $end\n$timescale 1 ns $end\n",
            head.status, head.clock,
            fill_known_ ? "records received that were in the buffers"
                        : "unknown, the trace does not tell when they were unloaded"));
        for (std::uint16_t node = 0; node < head.nodes; ++node) {
            out_.put(
                fmt::format("$scope module n{} $end\n$var wire 32 {} fill $end\n$var wire 32 {} lost $end\n$var wire 1 {} "
                            "recording $end\n$upscope $end\n",
                            node, code(3ULL * node), code(3ULL * node + 1), code(3ULL * node + 2)));
        }
        out_.put("$enddefinitions $end\n#0\n$dumpvars\n");
        for (std::uint16_t node = 0; node < head.nodes; ++node) {
            out_.put(fmt::format("b{} {}\nb0 {}\n1{}\n", fill_known_ ? "0" : "x", code(3ULL * node), code(3ULL * node + 1),
                                 code(3ULL * node + 2)));
        }
        out_.put("$end\n");
    }

    void item(const TraceItem& item, const Match&) override {
        const std::uint64_t first = 3ULL * item.node;
        switch (item.kind) {
            case TraceItem::Kind::Record:
                if (!fill_known_) return;
                return change(item.main_ns, fmt::format("b{} {}\n", binary(++in_buffers_[item.node]), code(first)));
            case TraceItem::Kind::Unloaded:
                in_buffers_[item.node] -= std::min<std::uint64_t>(in_buffers_[item.node], item.count);
                return change(item.main_ns, fmt::format("b{} {}\n", binary(in_buffers_[item.node]), code(first)));
            case TraceItem::Kind::Lost:
                lost_[item.node] += item.loss.last_seq - item.loss.first_seq + 1ULL;
                return change(
                    item.main_ns,
                    fmt::format("b{} {}\n", binary(std::min<std::uint64_t>(lost_[item.node], 0xFFFF'FFFF)), code(first + 1)));
            case TraceItem::Kind::End:
                // Behind an open end the fill of the buffers is unknown.
                return change(item.main_ns, item.finished ? fmt::format("0{}\n", code(first + 2))
                                                          : fmt::format("bx {}\nx{}\n", code(first), code(first + 2)));
        }
    }

    void end(const ExportResult&) override {}
    void close() override { out_.close(); }

private:
    void change(std::int64_t main_ns, const std::string& what) {
        const std::int64_t now = main_ns - shift_ns_;
        if (now != now_) out_.put(fmt::format("#{}\n", now));
        now_ = now;
        out_.put(what);
    }
    ByteOutput out_;
    bool fill_known_ = false;
    std::int64_t shift_ns_ = 0, now_ = 0;
    std::vector<std::uint64_t> in_buffers_, lost_;
};

}  // namespace

std::unique_ptr<Exporter> make_vcd(const std::string& out, bool force) {
    return std::make_unique<Vcd>(out, force);
}

}  // namespace tmon_export
