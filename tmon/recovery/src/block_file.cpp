#include <tmon_recovery/block_file.hpp>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include <vocabulary/errors.hpp>

namespace tmon_recovery {

std::uint64_t checksum(const void* data, std::size_t bytes) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    const auto* const from = static_cast<const unsigned char*>(data);
    std::size_t at = 0;
    for (; at + 8 <= bytes; at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, from + at, 8);
        hash = (hash ^ word) * 0x100000001b3U;
        hash ^= hash >> 32U;
    }
    for (; at < bytes; ++at) hash = (hash ^ from[at]) * 0x100000001b3U;
    return hash;
}

BlockWriter::BlockWriter(const std::string& path, std::uint32_t magic) : path_(path), file_(std::fopen(path.c_str(), "wb")) {
    const FileHead head{.magic = magic};
    check(file_ != nullptr && std::fwrite(&head, sizeof head, 1, file_.get()) == 1);
}

void BlockWriter::check(bool written) const {
    if (!written) vocabulary::throw_file_error(path_, errno, std::string("it cannot be written: ") + std::strerror(errno));
}

void BlockWriter::put(std::uint32_t type, const void* data, std::size_t bytes) {
    const FileBlock block{type, static_cast<std::uint32_t>(bytes), checksum(data, bytes)};
    check(std::fwrite(&block, sizeof block, 1, file_.get()) == 1 &&
          (bytes == 0 || std::fwrite(data, bytes, 1, file_.get()) == 1));
}

void BlockWriter::flush() {
    check(std::fflush(file_.get()) == 0);
}

void BlockWriter::close() {
    check(std::fclose(file_.release()) == 0);
}

BlockReader::BlockReader(const std::string& path, std::uint32_t magic, const std::string& if_another)
    : path_(path), file_(std::fopen(path.c_str(), "rb")) {
    if (file_ == nullptr) fail(std::string("it cannot be read: ") + std::strerror(errno));
    FileHead head;
    if (std::fread(&head, sizeof head, 1, file_.get()) != 1 || head.magic != magic) fail(if_another);
    if (head.version != FileHead{}.version)
        fail(fmt::format("it has version {}, and this program reads {}; use the program that wrote it", head.version,
                         FileHead{}.version));
    std::error_code none;
    size_ = std::filesystem::file_size(path_, none);
}

void BlockReader::fail(const std::string& why) const {
    throw vocabulary::InputError({path_, 0, 0}, why);
}

std::optional<FileBlock> BlockReader::next() {
    FileBlock block;
    if (std::fread(&block, sizeof block, 1, file_.get()) != 1) return std::nullopt;
    if (static_cast<std::uint64_t>(std::ftell(file_.get())) + block.bytes > size_) return std::nullopt;
    return block;
}

bool BlockReader::read(const FileBlock& block, void* to) {
    if (block.bytes == 0) return true;
    if (std::fread(to, 1, block.bytes, file_.get()) != block.bytes) return false;
    if (checksum(to, block.bytes) == block.checksum) return true;
    // The last block may be half written in any way; one with others behind it is damaged.
    if (std::fgetc(file_.get()) != EOF) fail("a block in its middle is damaged: its checksum is another one");
    return false;
}

}  // namespace tmon_recovery
