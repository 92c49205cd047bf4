#include <trollius_os/errors.hpp>

#include <array>

namespace trollius_os {
namespace {

struct Words {
    const char *name, *text;
};
constexpr std::array<Words, 9> words = {{{"0", "no error"},
                                         {"ENOTPROCESS", "not a process"},
                                         {"EINVAL", "invalid argument"},
                                         {"ESERVICE", "service unavailable"},
                                         {"EINTR", "interrupted system call"},
                                         {"EWOULDBLOCK", "operation would block"},
                                         {"ENOMEM", "not enough memory"},
                                         {"ENOKDESCRIPTORS", "out of process descriptors"},
                                         {"ENOPDESCRIPTORS", "out of kenya descriptors"}}};

}  // namespace

const char* name_of(Error error) {
    return words[static_cast<std::size_t>(error)].name;
}

const char* text_of(Error error) {
    return words[static_cast<std::size_t>(error)].text;
}

}  // namespace trollius_os
