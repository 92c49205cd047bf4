// Files of blocks with checksums: records, logs of messages and images (docs/formats/mwr.md). A writer that is killed leaves
// the blocks that are whole. Numbers are little-endian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>

namespace tmon_recovery {

struct FileHead {
    std::uint32_t magic = 0, version = 1;
};
struct FileBlock {
    std::uint32_t type = 0, bytes = 0;  // of what follows
    std::uint64_t checksum = 0;         // of what follows
};
static_assert(sizeof(FileBlock) == 16);

// FNV-1a of Fowler, Noll and Vo over words of eight bytes, and over the bytes of the rest.
std::uint64_t checksum(const void* data, std::size_t bytes);

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

// All calls throw vocabulary::InputError or HostError when the file cannot be written.
class BlockWriter {
public:
    BlockWriter(const std::string& path, std::uint32_t magic);
    void put(std::uint32_t type, const void* data, std::size_t bytes);  // less than 4 GiB
    void flush();
    void close();

private:
    void check(bool written) const;
    std::string path_;
    std::unique_ptr<std::FILE, CloseFile> file_;
};

class BlockReader {
public:
    // Throws vocabulary::InputError: no such file, another version, or `if_another` when it is no such file at all.
    BlockReader(const std::string& path, std::uint32_t magic, const std::string& if_another);
    // The next block that is there in its full length. Empty: the file ends here.
    std::optional<FileBlock> next();
    // Its bytes. False: the file was cut off in it. Throws vocabulary::InputError for one in the middle of the file whose
    // checksum is another one.
    bool read(const FileBlock& block, void* to);
    [[noreturn]] void fail(const std::string& why) const;

private:
    std::string path_;
    std::unique_ptr<std::FILE, CloseFile> file_;
    std::uint64_t size_ = 0;
};

}  // namespace tmon_recovery
