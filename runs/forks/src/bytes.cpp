#include <forks/bytes.hpp>

#include <cstring>

namespace forks {

std::string Bytes::get_text() {
    const std::size_t size = get<std::size_t>();
    EXPECTS(size <= left(), "bytes.get_text");
    at_ += size;
    return bytes_.substr(at_ - size, size);
}

void Bytes::take(void* to, std::size_t bytes) {
    EXPECTS(bytes <= left(), "bytes.get");
    if (bytes > 0) std::memcpy(to, bytes_.data() + at_, bytes);
    at_ += bytes;
}

}  // namespace forks
