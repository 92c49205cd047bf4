#include <iserver/server.hpp>

#include <utility>

#include "stream.hpp"

namespace iserver {
Server::Server(trollius_os::FileStore& files, Console& console, const Settings& settings)
    : files_(files), console_(console), settings_(settings) {
    using Kind = Stream::Kind;
    streams_[0] = std::make_unique<Stream>(Stream{.kind = Kind::Input, .writes = false});
    streams_[1] = std::make_unique<Stream>(Stream{.kind = Kind::Output, .reads = false});
    streams_[2] = std::make_unique<Stream>(Stream{.kind = Kind::Error, .reads = false});
}

Server::~Server() = default;

std::vector<std::byte> Server::answer(std::span<const std::byte> request, std::int64_t seconds) {
    ++requests_;
    Fields fields(request);
    const auto tag = static_cast<Tag>(fields.byte());
    const bool of_files = tag >= Tag::Open && tag <= Tag::Rename;
    const Reply reply = of_files ? files(tag, fields) : host(tag, fields, seconds);
    return (fields.whole() ? reply : Reply::error()).packet();
}

Reply Server::files(Tag tag, Fields& fields) {
    switch (tag) {
        case Tag::Open:
            return open(fields);
        case Tag::Close:
            return close(fields);
        case Tag::Read:
            return read(fields);
        case Tag::Write:
            return write(fields);
        case Tag::Gets:
            return gets(fields);
        case Tag::Puts:
            return puts(fields);
        case Tag::Flush:  // nothing is held back
            return stream(fields.int32()) != nullptr ? Reply::success() : Reply::error();
        case Tag::Seek:
            return seek(fields);
        case Tag::Tell:
            return tell(fields);
        case Tag::Eof:
            return end_of_file(fields);
        case Tag::Ferror:
            return last_error(fields);
        case Tag::Remove:
            return remove(fields);
        case Tag::Rename:
            return rename(fields);
        default:
            return Reply(Result::Unimplemented);
    }
}

Reply Server::host(Tag tag, Fields& fields, std::int64_t seconds) {
    switch (tag) {
        case Tag::GetKey:
            return key(true);
        case Tag::PollKey:
            return key(false);
        case Tag::GetEnv:
            return environment(fields);
        case Tag::Time: {
            const auto now = static_cast<std::int32_t>(settings_.epoch + seconds);
            return Reply::success().int32(now).int32(now);  // local time and universal time
        }
        case Tag::Exit: {
            const std::int32_t status = fields.int32();
            if (!fields.whole()) return Reply::error();
            exit_status_ = status == 999'999'999 ? 0 : status == -999'999'999 ? 1 : status;
            return Reply::success();
        }
        case Tag::CommandLine:
            return Reply::success().block(fields.byte() != 0 ? settings_.whole_command_line : settings_.command_line);
        case Tag::Core:  // the machine was not analysed, so nothing was peeked
            return Reply::error();
        case Tag::Version:  // 1.0 on a Sun 4 with SunOS 4 and a B008, as programs of the last toolsets expect
            return Reply::success().byte(10).byte(5).byte(4).byte(2);
        default:  // System is one: it runs nothing
            return Reply(Result::Unimplemented);
    }
}

Reply Server::key(bool waits) {
    const auto got = waits ? console_.read() : console_.poll();
    return got ? Reply::success().byte(static_cast<std::uint8_t>(*got)) : Reply::error();
}

Reply Server::environment(Fields& fields) {
    const auto found = settings_.environment.find(fields.text());
    return found == settings_.environment.end() ? Reply::error() : Reply::success().block(found->second);
}

}  // namespace iserver
