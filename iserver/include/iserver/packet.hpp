// The packets of the iserver protocol (docs/formats/iserver.md). A packet is a length of 16 bits and so many bytes, the first
// of which is a tag or a result. All numbers are little endian. A text or block is a length of 16 bits and its bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace iserver {

enum class Tag : std::uint8_t {
    Open = 10,
    Close = 11,
    Read = 12,
    Write = 13,
    Gets = 14,
    Puts = 15,
    Flush = 16,
    Seek = 17,
    Tell = 18,
    Eof = 19,
    Ferror = 20,
    Remove = 21,
    Rename = 22,
    GetKey = 30,
    PollKey = 31,
    GetEnv = 32,
    Time = 33,
    System = 34,
    Exit = 35,
    CommandLine = 40,
    Core = 41,
    Version = 42,
};

enum class Result : std::uint8_t { Success = 0, Unimplemented = 1, Error = 129 };

// The original takes 6 to 510 bytes; later libraries send blocks of 1024.
inline constexpr std::size_t least_request = 6, most_request = 1040;

// Reads the fields of a request behind its tag. After a field that is not whole, whole() is false and all values are 0 or
// empty.
class Fields {
public:
    explicit Fields(std::span<const std::byte> bytes) : rest_(bytes) {}

    std::uint8_t byte();
    std::uint16_t int16();
    std::int32_t int32();
    std::string text();
    bool whole() const { return whole_; }

private:
    std::span<const std::byte> take(std::size_t count);

    std::span<const std::byte> rest_;
    bool whole_ = true;
};

// Builds a reply.
class Reply {
public:
    explicit Reply(Result result) { byte(static_cast<std::uint8_t>(result)); }
    static Reply success() { return Reply(Result::Success); }
    static Reply error() { return Reply(Result::Error); }

    Reply& byte(std::uint8_t value);
    Reply& int16(std::uint16_t value);
    Reply& int32(std::int32_t value);
    Reply& block(std::string_view bytes);  // at most most_block bytes

    // With its length in front, and with an even number of bytes behind it.
    std::vector<std::byte> packet() const;

    static constexpr std::size_t most_block = 65'530;

private:
    std::vector<std::byte> bytes_;
};

// Takes the bytes that a program sends and cuts them into packets.
class PacketReader {
public:
    // So many bytes are missing: 2 for the next length, then what it says.
    std::size_t wants() const;
    // At most wants() bytes. A whole packet without its length, once the last byte has come. Throws vocabulary::RequestError
    // when a length is none of the protocol.
    std::optional<std::vector<std::byte>> take(std::span<const std::byte> bytes);

private:
    std::vector<std::byte> bytes_;
};

}  // namespace iserver
