#include "checked_trace.hpp"

#include <cstring>

#include <trace_format.hpp>

namespace fuzz {

namespace format = trace_record::format;

std::string with_checksums(std::string file) {
    format::FileHeader head;
    if (file.size() < sizeof head) return file;
    std::memcpy(&head, file.data(), sizeof head);
    if (head.manifest_bytes > file.size() - sizeof head) return file;
    head.manifest_hash = XXH64(file.data() + sizeof head, head.manifest_bytes, 0);
    std::memcpy(file.data(), &head, sizeof head);
    std::size_t at = sizeof head + format::padded(head.manifest_bytes);
    format::BlockHeader block;
    while (at < file.size() && file.size() - at >= sizeof block) {
        std::memcpy(&block, file.data() + at, sizeof block);
        if (block.stored_bytes > file.size() - at - sizeof block) break;
        block.checksum = format::checksum(block, file.data() + at + sizeof block);
        std::memcpy(file.data() + at, &block, sizeof block);
        at += sizeof block + format::padded(block.stored_bytes);
    }
    return file;
}

}  // namespace fuzz
