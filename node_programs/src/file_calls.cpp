// The calls of remote files, and through them the program's stdio: requests to filed (trollius_os/services/rfiles.hpp).
#include <fcntl.h>

#include <array>

#include "node_process.hpp"

namespace node_programs {

namespace flags = trollius_os::open_flags;
using trollius_os::Api;

namespace {

// In the order of trollius_file_call.
constexpr std::array names = {"rfopen",     "rfaccess",    "rfmkdir",  "rfrmdir", "rfunlink", "rfchdir",
                              "rftruncate", "rfrename",    "rfsystem", "rfclose", "rflseek",  "rfdup",
                              "rfdup2",     "rfftruncate", "rfread",   "rfwrite", "rfrmfd",   "rfincr"};
static_assert(names.size() == TROLLIUS_RFINCR + 1);

struct FlagPair {
    int of_program;
    std::int32_t of_filed;
};
constexpr std::array flag_pairs = {FlagPair{O_APPEND, flags::append},  FlagPair{O_CREAT, flags::create},
                                   FlagPair{O_TRUNC, flags::truncate}, FlagPair{O_EXCL, flags::exclusive},
                                   FlagPair{O_LOCK, flags::lock},      FlagPair{O_REUSE, flags::reuse},
                                   FlagPair{O_1WAY, flags::one_way}};

// The flags of <fcntl.h> as filed has them. Those that mean nothing on a node are left out. Empty: a flag that filed lacks.
std::optional<std::int32_t> flags_of(int given) {
    constexpr int meaningless = O_CLOEXEC | O_NOCTTY | O_LARGEFILE;
    std::int32_t made = given & flags::access_mask;
    int rest = given & ~(O_ACCMODE | meaningless);
    for (const FlagPair& pair : flag_pairs) {
        if ((rest & pair.of_program) != 0) made |= pair.of_filed;
        rest &= ~pair.of_program;
    }
    if (rest != 0) return std::nullopt;
    return made;
}
static_assert(O_RDONLY == flags::read_only && O_WRONLY == flags::write_only && O_RDWR == flags::read_write);

}  // namespace

int NodeProcess::file_by_name(int which, const char* name, const char* other, int number, int mode) {
    const char* const call = names[static_cast<std::size_t>(which)];
    call_.name = text_at(call, "a name", name);
    call_.second_name = which == TROLLIUS_RFRENAME ? text_at(call, "the second name", other) : std::string();
    if (which == TROLLIUS_RFOPEN) {
        const auto wanted = flags_of(number);
        if (!wanted) return -EINVAL;
        number = *wanted;
    }
    talk([this, which, number, mode](Api& api) { call_.result = ask_by_name(api, which, number, mode); });
    if (which == TROLLIUS_RFOPEN && call_.result >= 0) ++open_files_;
    if (which == TROLLIUS_RFCHDIR && call_.result >= 0) changed_folder_ = true;
    return call_.result;
}

// On the caller's stack.
std::int32_t NodeProcess::ask_by_name(Api& api, int which, int number, int mode) {
    switch (which) {
        case TROLLIUS_RFOPEN:
            return trollius_os::rfopen(api, call_.name, number, mode);
        case TROLLIUS_RFACCESS:
            return trollius_os::rfaccess(api, call_.name, number);
        case TROLLIUS_RFMKDIR:
            return trollius_os::rfmkdir(api, call_.name, number);
        case TROLLIUS_RFRMDIR:
            return trollius_os::rfrmdir(api, call_.name);
        case TROLLIUS_RFUNLINK:
            return trollius_os::rfunlink(api, call_.name);
        case TROLLIUS_RFCHDIR:
            return trollius_os::rfchdir(api, call_.name);
        case TROLLIUS_RFTRUNCATE:
            return trollius_os::rftruncate(api, call_.name, number);
        case TROLLIUS_RFRENAME:
            return trollius_os::rfrename(api, call_.name, call_.second_name);
        default:
            return trollius_os::rfsystem(api, call_.name);
    }
}

int NodeProcess::file_by_descriptor(int which, int descriptor, int number, int other) {
    talk([this, which, descriptor, number, other](Api& api) {
        switch (which) {
            case TROLLIUS_RFCLOSE:
                call_.result = trollius_os::rfclose(api, descriptor);
                break;
            case TROLLIUS_RFLSEEK:
                call_.result = trollius_os::rflseek(api, descriptor, number, other);
                break;
            case TROLLIUS_RFDUP:
                call_.result = trollius_os::rfdup(api, descriptor);
                break;
            case TROLLIUS_RFDUP2:
                call_.result = trollius_os::rfdup2(api, descriptor, number);
                break;
            default:
                call_.result = trollius_os::rfftruncate(api, descriptor, number);
        }
    });
    if (which == TROLLIUS_RFCLOSE && call_.result >= 0) --open_files_;
    if ((which == TROLLIUS_RFDUP || which == TROLLIUS_RFDUP2) && call_.result >= 0) ++open_files_;
    return call_.result;
}

int NodeProcess::transfer(int which, int descriptor, void* data, int bytes) {
    const bool reads = which == TROLLIUS_RFREAD;
    take_body(names[static_cast<std::size_t>(which)], "a buffer", "a length", data, bytes, reads, false);
    talk([this, reads, descriptor](Api& api) {
        call_.result =
            reads ? trollius_os::rfread(api, descriptor, call_.body) : trollius_os::rfwrite(api, descriptor, call_.body);
    });
    if (reads && call_.result > 0) std::memcpy(data, call_.body.data(), static_cast<std::size_t>(call_.result));
    const int result = call_.result;
    finish_call(trollius_os::Outcome::Done);
    return result;
}

int NodeProcess::look_at_file(const char* name, int descriptor, trollius_facts* facts) {
    call_.name = name == nullptr ? std::string() : text_at("rfstat", "a name", name);
    const bool by_name = name != nullptr;
    talk([this, by_name, descriptor](Api& api) {
        call_.result =
            by_name ? trollius_os::rfstat(api, call_.name, call_.facts) : trollius_os::rffstat(api, descriptor, call_.facts);
    });
    if (call_.result < 0) return call_.result;
    *facts = {.kind = static_cast<int>(call_.facts.kind),
              .mode = static_cast<int>(call_.facts.mode),
              .bytes = static_cast<int>(call_.facts.bytes)};
    return 0;
}

int NodeProcess::working_folder(char* room, int bytes) {
    const std::size_t most = require_length("rfgetwd", "a length", bytes);
    require("rfgetwd", "a buffer", room, most, true);
    talk([this](Api& api) { call_.result = trollius_os::rfgetwd(api, call_.name); });
    if (call_.result < 0) return call_.result;
    if (call_.name.size() >= most) return -ERANGE;
    std::memcpy(room, call_.name.c_str(), call_.name.size() + 1);
    return 0;
}

int NodeProcess::descriptors_of(int where, fstate* table, int most) {
    const auto at = node_at(where);
    if (!at) return -EBADNODE;
    require("rfstate", "a table", table, require_length("rfstate", "a size", most) * sizeof *table, true);
    call_.to = *at;
    talk([this](Api& api) { call_.result = trollius_os::rfstate(api, call_.to, call_.files); });
    if (call_.result < 0) return call_.result;
    std::vector<fstate> all;
    for (const trollius_os::FileLine& line : call_.files) {
        fstate& record = all.emplace_back();
        record.fs_descriptor = line.descriptor;
        record.fs_users = line.users;
        record.fs_flow = line.flow;
        record.fs_client_node = line.client.node.word;
        record.fs_client_event = line.client.reply.value();
        line.name.copy(record.fs_name, sizeof record.fs_name - 1);
    }
    return give_table(table, most, all);
}

int NodeProcess::change_descriptor(int which, int where, int descriptor, int by) {
    const auto at = node_at(where);
    if (!at) return -EBADNODE;
    call_.to = *at;
    talk([this, which, descriptor, by](Api& api) {
        call_.result = which == TROLLIUS_RFRMFD ? trollius_os::rfrmfd(api, call_.to, descriptor)
                                                : trollius_os::rfincr(api, call_.to, descriptor, by);
    });
    return call_.result;
}

int NodeProcess::text_of_error(int number, char* room, int bytes) {
    const std::string text = trollius_os::error_text(number);
    const std::size_t count = text.copy(room, static_cast<std::size_t>(bytes) - 1);
    room[count] = '\0';
    return static_cast<int>(count);
}

}  // namespace node_programs
