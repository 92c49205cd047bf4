#include <fcntl.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include <trace_record/trace_file.hpp>
#include <vocabulary/contract.hpp>
#include <vocabulary/errors.hpp>
#include "trace_format.hpp"

namespace trace_record {

using format::BlockHeader;
using format::BlockKind;
using format::fail;

namespace {

constexpr int zstd_level = 1;

[[noreturn]] void cannot_write(const std::string& path) {
    vocabulary::throw_file_error(path, errno,
                                 std::string("cannot write: ") + std::strerror(errno) + "; make room or choose another folder");
}

}  // namespace

struct TraceFileWriter::State {
    std::string path;
    std::string temporary;
    TraceFileOptions options;
    std::FILE* file = nullptr;
    pid_t owner = ::getpid();
    std::uint64_t blocks = 0, written = 0;
    std::vector<char> packed;
    std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> packer{ZSTD_createCCtx(), &ZSTD_freeCCtx};

    bool of_a_parent() const { return ::getpid() != owner; }
    void expect_open() const { EXPECTS(file != nullptr, "trace_file.write.open"); }

    void put(const void* bytes, std::size_t count) {
        if (count > 0 && std::fwrite(bytes, 1, count, file) != count) cannot_write(temporary);
        written += count;
    }
    void pad(std::size_t count) {
        constexpr char zeros[8] = {};
        put(zeros, format::padded(count) - count);
    }
    void block(BlockHeader header, const void* payload) {
        if (of_a_parent()) return;
        header.checksum = format::checksum(header, payload);
        put(&header, sizeof header);
        put(payload, header.stored_bytes);
        pad(header.stored_bytes);
        if (header.kind != BlockKind::FileEnd) ++blocks;
    }
    void open(const std::string& manifest);
    void create();
};

// Readable too, for a fork that copies it.
void TraceFileWriter::State::create() {
    file = std::fopen(temporary.c_str(), "w+b");
    if (file == nullptr) vocabulary::throw_file_error(temporary, errno, std::string("cannot create: ") + std::strerror(errno));
    std::setvbuf(file, nullptr, _IOFBF, std::size_t{1} << 18);
}

void TraceFileWriter::State::open(const std::string& manifest) {
    if (!options.force && ::access(path.c_str(), F_OK) == 0) {
        fail(path, "exists already; choose another name or allow it to be replaced");
    }
    create();
    format::FileHeader header;
    header.event_version = trace_version;
    header.manifest_bytes = manifest.size();
    header.manifest_hash = XXH64(manifest.data(), manifest.size(), 0);
    put(&header, sizeof header);
    put(manifest.data(), manifest.size());
    pad(manifest.size());
}

TraceFileWriter::TraceFileWriter(std::string path, const std::string& manifest, TraceFileOptions options)
    : state_(std::make_unique<State>()) {
    state_->temporary = path + ".incomplete";
    state_->path = std::move(path);
    state_->options = options;
    try {
        state_->open(manifest);
    } catch (...) {
        if (state_->file != nullptr) std::fclose(state_->file);
        throw;
    }
}

TraceFileWriter::~TraceFileWriter() {
    if (state_->file != nullptr && !state_->of_a_parent()) std::fclose(state_->file);
}

void TraceFileWriter::events(std::uint16_t node, std::uint32_t first_seq, std::span<const Event> records,
                             std::uint64_t unloaded_us) {
    state_->expect_open();
    EXPECTS(records.size() <= format::most_events_in_block, "trace_file.write.block_size");
    if (records.empty()) return;
    EXPECTS(records.front().seq == first_seq && records.back().seq == first_seq + records.size() - 1,
            "trace_file.write.sequence");
    BlockHeader header;
    header.node = node;
    header.first_seq = first_seq;
    header.count = static_cast<std::uint32_t>(records.size());
    header.detail = unloaded_us;
    header.raw_bytes = header.stored_bytes = records.size_bytes();
    const void* payload = records.data();
    if (state_->options.compress) {
        state_->packed.resize(ZSTD_compressBound(records.size_bytes()));
        const std::size_t bytes = ZSTD_compressCCtx(state_->packer.get(), state_->packed.data(), state_->packed.size(),
                                                    records.data(), records.size_bytes(), zstd_level);
        if (ZSTD_isError(bytes) == 0 && bytes < records.size_bytes()) {
            header.flags = format::flag_zstd;
            header.stored_bytes = bytes;
            payload = state_->packed.data();
        }
    }
    state_->block(header, payload);
}

void TraceFileWriter::loss(const LossRange& range) {
    state_->expect_open();
    EXPECTS(range.first_seq <= range.last_seq, "trace_file.write.loss_range");
    BlockHeader header;
    header.kind = BlockKind::Loss;
    header.node = range.node;
    header.first_seq = range.first_seq;
    header.count = range.last_seq - range.first_seq + 1;
    header.detail = static_cast<std::uint64_t>(range.cause) | std::uint64_t{range.classes.bits()} << 32;
    const format::LossTimes times{range.from_us, range.until_us};
    header.raw_bytes = header.stored_bytes = sizeof times;
    state_->block(header, &times);
}

void TraceFileWriter::stream_end(std::uint16_t node, std::uint32_t total_records) {
    state_->expect_open();
    BlockHeader header;
    header.kind = BlockKind::StreamEnd;
    header.node = node;
    header.first_seq = total_records;
    state_->block(header, "");
}

void TraceFileWriter::closing(const std::string& json) {
    state_->expect_open();
    EXPECTS(json.size() <= format::most_closing_bytes, "trace_file.write.closing_size");
    BlockHeader header;
    header.kind = BlockKind::Closing;
    header.raw_bytes = header.stored_bytes = json.size();
    state_->block(header, json.data());
}

std::uint64_t TraceFileWriter::blocks_written() const {
    return state_->blocks;
}

const std::string& TraceFileWriter::growing_path() const {
    return state_->temporary;
}

void TraceFileWriter::go_on_in(const std::string& path) {
    state_->expect_open();
    EXPECTS(state_->of_a_parent(), "trace_file.write.forked");
    std::FILE* const of_parent = state_->file;
    const std::uint64_t before = std::exchange(state_->written, 0);
    state_->path = path;
    state_->temporary = path + ".incomplete";
    state_->create();
    state_->owner = ::getpid();
    // The parent owns the file: it may have written more since, and renamed it.
    std::vector<char> piece(std::size_t{1} << 18);
    while (state_->written < before) {
        const std::size_t wanted = std::min<std::uint64_t>(piece.size(), before - state_->written);
        const ssize_t got = ::pread(::fileno(of_parent), piece.data(), wanted, static_cast<off_t>(state_->written));
        if (got <= 0) fail(state_->temporary, "cannot start with the part written before the fork");
        state_->put(piece.data(), static_cast<std::size_t>(got));
    }
    ::close(::fileno(of_parent));  // not fclose(), which could move the place at which the parent writes
}

void TraceFileWriter::flush() {
    state_->expect_open();
    if (state_->of_a_parent()) return;
    if (std::fflush(state_->file) != 0) cannot_write(state_->temporary);
}

void TraceFileWriter::close() {
    state_->expect_open();
    if (state_->of_a_parent()) return;
    state_->block(format::end_mark(), "");
    flush();
    const int closed = std::fclose(state_->file);
    state_->file = nullptr;
    if (closed != 0) cannot_write(state_->temporary);
    if (!state_->options.force) {  // link() refuses to replace a file that appeared meanwhile
        if (::link(state_->temporary.c_str(), state_->path.c_str()) == 0) {
            ::unlink(state_->temporary.c_str());
            return;
        }
        if (errno == EEXIST) fail(state_->path, "exists already; the trace is in " + state_->temporary);
    }
    if (std::rename(state_->temporary.c_str(), state_->path.c_str()) != 0) {
        vocabulary::throw_file_error(
            state_->path, errno,
            std::string("cannot rename the finished trace: ") + std::strerror(errno) + "; it is in " + state_->temporary);
    }
}

}  // namespace trace_record
