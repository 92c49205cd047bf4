// Text files with a line for each record, or for some of them. Private.
#pragma once

#include <string>

#include <fmt/format.h>

#include <text/output_file.hpp>
#include <tmon_streams/trace.hpp>

namespace tmon_streams {

// Gives line(fmt::memory_buffer&, const Event&) every record, node by node, and writes some records at a time.
template <class Line>
void write_record_lines(const std::string& path, const Trace& trace, text::Replace replace, Line&& line) {
    constexpr std::size_t enough = 1 << 18;
    const auto lines = [&](const text::PieceWriter& write) {
        fmt::memory_buffer out;
        const auto flush = [&] {
            write({out.data(), out.size()});
            out.clear();
        };
        for (const Stream& stream : trace.streams) {
            for (const auto part : stream.in_passing()) {
                for (const Event& event : part) line(out, event);
                if (out.size() >= enough) flush();
            }
        }
        flush();
    };
    text::write_text_file(path, lines, replace);
}

}  // namespace tmon_streams
