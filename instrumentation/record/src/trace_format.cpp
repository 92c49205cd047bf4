#include "trace_format.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>

#include <vocabulary/source_position.hpp>

namespace trace_record::format {

void fail(const std::string& path, const std::string& message) {
    throw vocabulary::InputError({path, 0, 0}, message);
}

void fail_to_open(const std::string& path, int error) {
    const std::string unfinished = path + ".incomplete";
    const bool there = ::access(unfinished.c_str(), F_OK) == 0;
    fail(path, std::string("cannot open: ") + std::strerror(error) +
                   (there ? "; its writer did not finish, open " + unfinished : "; check the name"));
}

FileHeader checked_header(const std::string& path, const char* bytes, std::size_t seen, std::uint64_t file_size) {
    FileHeader header;
    if (std::memcmp(bytes, file_magic.data(), std::min(seen, file_magic.size())) != 0) {
        fail(path,
             "is not a Magicwire trace (its first bytes differ); the text files of the thesis are read by detrek -p PREFIX");
    }
    if (seen < sizeof header) fail(path, "ends within its header; nothing of the trace can be read");
    std::memcpy(&header, bytes, sizeof header);
    const auto known = [](std::uint32_t number, std::uint32_t newest) { return number >= oldest_version && number <= newest; };
    if (!known(header.version, file_version) || !known(header.event_version, trace_version)) {
        fail(path, "has trace version " + std::to_string(header.version) + "." + std::to_string(header.event_version) +
                       ", this program reads versions 1.1 to " + std::to_string(file_version) + "." +
                       std::to_string(trace_version) + "; use the program that wrote it to convert it");
    }
    if (header.manifest_bytes > file_size - sizeof header)
        fail(path, "ends within its manifest; nothing of the trace can be read");
    return header;
}

void check_manifest(const std::string& path, const FileHeader& header, std::string_view manifest) {
    if (XXH64(manifest.data(), manifest.size(), 0) == header.manifest_hash) return;
    fail(path, "has a damaged manifest (checksum differs); copy the file again from where it was written");
}

bool sizes_fit(const BlockHeader& header, std::uint32_t version) {
    const std::uint64_t stored = header.stored_bytes, raw = header.raw_bytes;
    switch (header.kind) {
        case BlockKind::Events:
            if (header.count == 0 || header.count > most_events_in_block || raw != header.count * sizeof(Event)) return false;
            if ((header.flags & flag_zstd) == 0) return stored == raw;
            return stored <= raw && raw <= stored * most_shrunk;  // before memory is taken for it
        case BlockKind::Loss:
            return stored == raw && stored == (version == 1 ? 0 : sizeof(LossTimes));
        case BlockKind::StreamEnd:
        case BlockKind::FileEnd:
            return stored == 0 && raw == 0;
        case BlockKind::Closing:
            return stored == raw && stored <= most_closing_bytes;
    }
    return false;  // a kind unknown to this version
}

std::uint64_t unloaded_us(const BlockHeader& header, std::uint32_t version) {
    return version == 1 || header.detail > most_time_us ? 0 : header.detail;
}

std::optional<LossRange> loss_of(const BlockHeader& header, const char* payload, std::uint32_t version) {
    const auto cause = static_cast<std::uint32_t>(header.detail);
    const auto classes = static_cast<std::uint32_t>(header.detail >> 32);
    const bool classes_fit = version == 1 || (classes > 0 && classes <= ClassSet::all().bits());
    if (header.count == 0 || cause >= loss_causes || !classes_fit) return {};
    if (header.count - 1 > ~std::uint32_t{0} - header.first_seq) return {};  // numbers have 32 bits and do not begin anew
    LossRange range{header.node, header.first_seq, header.first_seq + header.count - 1, static_cast<LossCause>(cause)};
    if (version > 1) {
        LossTimes times;
        std::memcpy(&times, payload, sizeof times);
        range.classes = ClassSet::from_bits(static_cast<std::uint8_t>(classes));
        if (times.from_us > most_time_us || times.until_us > most_time_us) return range;  // not known
        range.from_us = times.from_us;
        range.until_us = times.until_us;
    }
    return range;
}

std::string status(TraceEnd end, std::size_t whole_blocks, std::uint64_t end_byte) {
    if (end == TraceEnd::Complete) return "complete";
    const std::string block = " after block " + std::to_string(whole_blocks);
    return end == TraceEnd::Incomplete ? "incomplete" + block : "damaged" + block + " at byte " + std::to_string(end_byte);
}

}  // namespace trace_record::format
