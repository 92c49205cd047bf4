// Server: answers the requests of a program on a transputer, as INMOS' iserver does (docs/formats/iserver.md). It has no link
// and no clock: the caller carries packets and says what time it is. So equal requests and equal input give equal replies.
//
// Files lie in one FileStore and nowhere else. A name that is absolute or leads out of the store gets the protocol's error.
// So does one of a device, or of anything else that is no file. System() runs nothing.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <iserver/packet.hpp>
#include <trollius_os/services/file_store.hpp>

namespace iserver {

// The person's side: standard input, output and error.
class Console {
public:
    virtual ~Console() = default;
    virtual void write(std::string_view text) = 0;
    virtual void write_error(std::string_view text) = 0;
    virtual std::optional<char> read() = 0;  // waits for the next byte of the input; nothing at its end
    virtual std::optional<char> poll() = 0;  // as read(), but does not wait for a person
};

struct Settings {
    std::string command_line;                        // the program's arguments, joined by spaces
    std::string whole_command_line;                  // with the name of the image in front
    std::map<std::string, std::string> environment;  // all that GetEnv knows
    std::int32_t epoch = 725'846'400;                // seconds since 1970 at the start of the run: 1 January 1993
};

class Server {
public:
    // All of them must outlive it.
    Server(trollius_os::FileStore& files, Console& console, const Settings& settings);
    ~Server();

    // The reply, with its length in front, to a request without its length. `seconds`: since the start of the run.
    std::vector<std::byte> answer(std::span<const std::byte> request, std::int64_t seconds);
    // The status of Exit(), once it was asked for: 999999999 has become 0, and -999999999 1.
    std::optional<std::int32_t> exit_status() const { return exit_status_; }
    std::uint64_t requests() const { return requests_; }

private:
    struct Stream;

    Reply open(Fields& fields);
    Reply close(Fields& fields);
    Reply read(Fields& fields);
    Reply write(Fields& fields);
    Reply gets(Fields& fields);
    Reply puts(Fields& fields);
    Reply seek(Fields& fields);
    Reply tell(Fields& fields);
    Reply end_of_file(Fields& fields);
    Reply last_error(Fields& fields);
    Reply remove(Fields& fields);
    Reply rename(Fields& fields);
    Reply key(bool waits);
    Reply environment(Fields& fields);
    Reply files(Tag tag, Fields& fields);
    Reply host(Tag tag, Fields& fields, std::int64_t seconds);

    Stream* stream(std::int32_t number);

    trollius_os::FileStore& files_;
    Console& console_;
    const Settings& settings_;
    std::map<std::int32_t, std::unique_ptr<Stream>> streams_;
    std::optional<std::int32_t> exit_status_;
    std::uint64_t requests_ = 0;
};

// A name as the store takes it: words with "/" between them. Nothing for one that is empty, absolute, or leads out by "..".
std::optional<std::string> name_in_store(const std::string& name);

}  // namespace iserver
