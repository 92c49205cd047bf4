#include <trollius_os/error_numbers.hpp>

#include <array>
#include <cstddef>
#include <system_error>

namespace trollius_os {
namespace {

struct KnownError {
    const char *name, *text;
};

constexpr std::array<KnownError, errors::high_water - errors::unknown + 1> known_errors = {{
    {"EUNKNOWN", "undiagnosed error"},
    {"EDEADNODE", "remote node has died"},
    {"ENOEXDESCRIPTORS", "out of exit descriptors"},
    {"EFULL", "out of descriptors"},
    {"ENOTPROCESS", "not a process"},
    {"EBADREQUEST", "invalid request"},
    {"ENOTMALLOCED", "block not allocated"},
    {"ESERVICE", "service unavailable"},
    {"EMAGIC", "bad magic number"},
    {"EBLOWN", "blown stack"},
    {"EIMPOSSIBLE", "impossible, ergo a bug"},
    {"EBADHOST", "unknown host"},
    {"ENOKERNEL", "no running daemon"},
    {"ENOTATTACHED", "not attached to daemon"},
    {"EMSGLEN", "improper message size"},
    {"EEOF", "end of file"},
    {"ECOLLIDE", "cast spanning tree collision"},
    {"EBADLINK", "invalid link index"},
    {"EACK", "bad acknowledgement"},
    {"EUSAGE", "improper command invocation"},
    {"EOPTION", "bad/unknown option"},
    {"EBADNODE", "invalid node"},
    {"EBADIDSPEC", "invalid ID specification"},
    {"ENONODES", "no matching nodes found"},
    {"ENORDESCRIPTORS", "out of route descriptors"},
    {"ENOBFDESCRIPTORS", "out of buffer descriptors"},
    {"ENOBTDESCRIPTORS", "out of boot descriptors"},
    {"ENOFLDESCRIPTORS", "out of flat descriptors"},
    {"ENOPDESCRIPTORS", "out of kenya descriptors"},
    {"ENOKDESCRIPTORS", "out of process descriptors"},
    {"EBADMOSESREQ", "bad moses request"},
    {"EBADTAG", "invalid address tag"},
    {"ENOBOOTSTRAP", "no bootstrap present"},
    {"EHIGHWATER", "booted system is too big"},
}};

const KnownError* known_error(ErrorNumber number) {
    if (number < errors::unknown || number > errors::high_water) return nullptr;
    return &known_errors[static_cast<std::size_t>(number - errors::unknown)];
}

}  // namespace

std::string error_text(ErrorNumber number) {
    const KnownError* own = known_error(number);
    return own != nullptr ? own->text : std::generic_category().message(number);
}

std::string error_name(ErrorNumber number) {
    const KnownError* own = known_error(number);
    return own != nullptr ? own->name : "";
}

}  // namespace trollius_os
