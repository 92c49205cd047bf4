// Three kinds of errors end a command. A request or its input is at fault (exit code 3), or the host lacks something (71).
// Everything else is a defect of Magicwire (70), and so is a broken contract (contract.hpp).
#pragma once

#include <cerrno>
#include <cstdint>
#include <exception>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include <vocabulary/errors.hpp>
#include <vocabulary/source_position.hpp>

namespace vocabulary {

// The host has no memory, disk, process or program for the work. what() names it and gives the remedy.
class HostError : public std::runtime_error {
public:
    explicit HostError(const std::string& message) : std::runtime_error(message), message_(message) {}
    HostError(SourcePosition where, const std::string& message)
        : std::runtime_error(where.text() + ": " + message), where_(std::move(where)), message_(message) {}
    const std::optional<SourcePosition>& where() const { return where_; }  // a file that cannot be created or written
    const std::string& message() const { return message_; }

private:
    std::optional<SourcePosition> where_;
    std::string message_;  // what() without the place
};

enum class ErrorKind : std::uint8_t { Request, Host, Defect };

inline ErrorKind kind_of(const std::exception& error) {
    if (dynamic_cast<const RequestError*>(&error) != nullptr) return ErrorKind::Request;
    const bool host = dynamic_cast<const HostError*>(&error) != nullptr ||
                      dynamic_cast<const std::bad_alloc*>(&error) != nullptr ||
                      dynamic_cast<const std::system_error*>(&error) != nullptr;
    return host ? ErrorKind::Host : ErrorKind::Defect;
}

// Reports an error of that kind from another process.
[[noreturn]] inline void throw_as(ErrorKind kind, const std::string& message) {
    if (kind == ErrorKind::Request) throw RequestError(message);
    if (kind == ErrorKind::Host) throw HostError(message);
    throw std::logic_error(message);
}

// True when a host call failed for lack of a resource, so another file name would not help.
inline bool is_want_of_room(int error) {
    return error == ENOSPC || error == EDQUOT || error == EFBIG || error == EIO || error == ENOMEM || error == EMFILE ||
           error == ENFILE || error == EAGAIN;
}

// Reports a file that cannot be created or written: HostError if the host lacks a resource, else InputError. `error`: errno of
// the call.
[[noreturn]] inline void throw_file_error(const std::string& file, int error, const std::string& message) {
    if (is_want_of_room(error)) throw HostError({file, 0, 0}, message);
    throw InputError({file, 0, 0}, message);
}

}  // namespace vocabulary
