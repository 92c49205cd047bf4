#include <trollius_os/services/rfiles.hpp>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include <trollius_os/api.hpp>

#include "body_text.hpp"

namespace trollius_os {
namespace {

using services::FileOrder;
using services::FileOrderCall;
using services::FileReply;
using services::FileRow;

RemoteFiles& files_of(Api& api) {
    auto& files = api.process().files();
    if (files == nullptr) {
        files = std::make_shared<RemoteFiles>();
        for (std::int32_t i = 0; i < 3; ++i)
            files->all[static_cast<std::size_t>(i)] = {true, api.kernel().host(), i,
                                                       i == 0 ? open_flags::read_only : open_flags::write_only};
    }
    return *files;
}

RemoteFile* file_at(Api& api, std::int32_t descriptor) {
    RemoteFiles& files = files_of(api);
    if (descriptor < 0 || descriptor >= static_cast<std::int32_t>(files.all.size())) return nullptr;
    RemoteFile& file = files.all[static_cast<std::size_t>(descriptor)];
    return file.open ? &file : nullptr;
}

// The lowest free descriptor, or -1.
std::int32_t free_descriptor(Api& api) {
    const auto& all = files_of(api).all;
    const auto free = std::find_if(all.begin(), all.end(), [](const RemoteFile& file) { return !file.open; });
    return free == all.end() ? -1 : static_cast<std::int32_t>(free - all.begin());
}

// "15:foo": node and name. Without a number and a colon the node is the host.
struct PlacedName {
    NodeId node;
    std::string name;
    ErrorNumber error = 0;
};
PlacedName placed(Api& api, const std::string& given) {
    const std::size_t colon = given.find(':');
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    PlacedName place{api.kernel().host(), given};
    if (colon != std::string::npos && colon > 0 &&
        std::all_of(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(colon), is_digit)) {
        NodeId::value_type number = 0;
        if (std::from_chars(given.data(), given.data() + colon, number).ec != std::errc()) place.error = errors::bad_node;
        place.node = NodeId(number);
        place.name = given.substr(colon + 1);
    }
    if (place.name.size() > most_file_name) place.error = ENAMETOOLONG;
    return place;
}

// A node that no route leads to would keep the caller waiting for ever, and so would one without a file server.
ErrorNumber why_unserved(Api& api, NodeId node) {
    if (api.route(node) == nowhere) return errors::bad_node;
    return node == api.kernel().host() ? 0 : errors::service;
}

struct Answered {
    FileReply reply;
    std::uint32_t length = 0;  // of the body in the room
    std::int32_t result() const { return reply.error != 0 ? -reply.error : reply.value; }
};

Answered request_file(Api& api, NodeId node, FileOrder order, std::span<std::byte> body = {}, std::span<std::byte> room = {}) {
    if (const ErrorNumber error = why_unserved(api, node); error != 0) return {.reply = {.value = -1, .error = error}};
    order.caller = services::caller(api);
    const Conversation undisturbed(api.calls());
    Message message = services::request_to(node, events::filed, order, body);
    api.nsend(message);
    const Message answer = services::await_answer(api, room);
    return {decode<FileReply>(answer), answer.length};
}

Answered request_name(Api& api, const std::string& given, FileOrder order) {
    const PlacedName place = placed(api, given);
    if (place.error != 0) return {.reply = {.value = -1, .error = place.error}};
    std::vector<std::byte> body = services::bytes_of(place.name);
    return request_file(api, place.node, order, body);
}

// A request about a descriptor of the caller.
Answered request_open(Api& api, std::int32_t descriptor, FileOrder order) {
    const RemoteFile* file = file_at(api, descriptor);
    if (file == nullptr) return {.reply = {.value = -1, .error = EBADF}};
    order.descriptor = file->descriptor;
    return request_file(api, file->node, order);
}

std::int32_t take_facts(const Answered& answered, FileFacts& facts) {
    if (answered.reply.error != 0) return -answered.reply.error;
    facts = {static_cast<FileKind>(answered.reply.kind), static_cast<std::uint32_t>(answered.reply.mode),
             static_cast<std::uint64_t>(answered.reply.bytes)};
    return 0;
}

}  // namespace

std::int32_t rfopen(Api& api, const std::string& name, std::int32_t flags, std::int32_t mode) {
    const std::int32_t own = free_descriptor(api);
    if (own < 0) return -ENFILE;
    const std::int32_t got = request_name(api, name, {.call = FileOrderCall::Open, .number = flags, .other = mode}).result();
    if (got < 0) return got;
    files_of(api).all[static_cast<std::size_t>(own)] = {true, placed(api, name).node, got, flags};
    return own;
}

std::int32_t rfclose(Api& api, std::int32_t descriptor) {
    RemoteFile* file = file_at(api, descriptor);
    if (file == nullptr) return -EBADF;
    const RemoteFile old = std::exchange(*file, {});
    const std::int32_t users =
        request_file(api, old.node, {.call = FileOrderCall::Close, .descriptor = old.descriptor}).result();
    return std::min(users, 0);
}

std::int32_t rfread(Api& api, std::int32_t descriptor, std::span<std::byte> room) {
    const RemoteFile* file = file_at(api, descriptor);
    if (file == nullptr) return -EBADF;
    if (room.size() > INT32_MAX) return -EINVAL;
    const std::size_t most = api.kernel().costs().most_packet;
    std::size_t got = 0;
    do {
        const std::span<std::byte> part = room.subspan(got, std::min(most, room.size() - got));
        const Answered answered = request_file(
            api, file->node,
            {.call = FileOrderCall::Read, .descriptor = file->descriptor, .number = static_cast<std::int32_t>(part.size())}, {},
            part);
        if (answered.reply.error != 0) return got > 0 ? static_cast<std::int32_t>(got) : -answered.reply.error;
        got += answered.length;
        if (answered.length < part.size() || file->descriptor == 0) break;
    } while (got < room.size());
    return static_cast<std::int32_t>(got);
}

std::int32_t rfwrite(Api& api, std::int32_t descriptor, std::span<const std::byte> bytes) {
    const RemoteFile* file = file_at(api, descriptor);
    if (file == nullptr) return -EBADF;
    if (bytes.size() > INT32_MAX) return -EINVAL;
    const bool answered = (file->flags & open_flags::one_way) == 0;
    const std::size_t most = api.kernel().costs().most_packet;
    std::size_t put = 0;
    do {
        const auto part = bytes.subspan(put, std::min(most, bytes.size() - put));
        std::vector<std::byte> body(part.begin(), part.end());
        FileOrder order{.call = FileOrderCall::Write, .descriptor = file->descriptor, .number = answered ? 0 : 1};
        if (answered) {
            const std::int32_t result = request_file(api, file->node, order, body).result();
            if (result < 0) return put > 0 ? static_cast<std::int32_t>(put) : result;
            put += static_cast<std::size_t>(result);
            if (static_cast<std::size_t>(result) < part.size()) break;
        } else {
            if (const ErrorNumber error = why_unserved(api, file->node); error != 0) return -error;
            order.caller = services::caller(api);
            Message message = services::request_to(file->node, events::filed, order, body);
            api.nsend(message);
            put += part.size();
        }
    } while (put < bytes.size());
    return static_cast<std::int32_t>(put);
}

std::int32_t rflseek(Api& api, std::int32_t descriptor, std::int32_t offset, std::int32_t whence) {
    return request_open(api, descriptor, {.call = FileOrderCall::Lseek, .number = offset, .other = whence}).result();
}

std::int32_t rfdup(Api& api, std::int32_t descriptor) {
    const RemoteFile* file = file_at(api, descriptor);
    if (file == nullptr) return -EBADF;
    const std::int32_t own = free_descriptor(api);
    if (own < 0) return -ENFILE;
    const std::int32_t got = request_open(api, descriptor, {.call = FileOrderCall::Dup}).result();
    if (got < 0) return got;
    files_of(api).all[static_cast<std::size_t>(own)] = *file;
    return own;
}

std::int32_t rfdup2(Api& api, std::int32_t descriptor, std::int32_t target) {
    const RemoteFile* file = file_at(api, descriptor);
    RemoteFiles& files = files_of(api);
    if (file == nullptr || target < 0 || target >= static_cast<std::int32_t>(files.all.size())) return -EBADF;
    if (target == descriptor) return target;
    RemoteFile& room = files.all[static_cast<std::size_t>(target)];
    const std::int32_t gives_up = room.open && room.node == file->node ? room.descriptor : -1;
    const std::int32_t got = request_open(api, descriptor, {.call = FileOrderCall::Dup2, .number = gives_up}).result();
    if (got < 0) return got;
    room = *file;
    return target;
}

std::int32_t rfftruncate(Api& api, std::int32_t descriptor, std::int32_t bytes) {
    return request_open(api, descriptor, {.call = FileOrderCall::Ftrunc, .number = bytes}).result();
}

std::int32_t rffstat(Api& api, std::int32_t descriptor, FileFacts& facts) {
    return take_facts(request_open(api, descriptor, {.call = FileOrderCall::Fstat}), facts);
}

void rfclose_all(Api& api) {
    if (api.process().files() == nullptr) return;
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(files_of(api).all.size()); ++i) {
        const RemoteFile* file = file_at(api, i);
        if (file != nullptr && file->descriptor > 2) rfclose(api, i);
    }
}

std::int32_t rfaccess(Api& api, const std::string& name, std::int32_t mode) {
    return request_name(api, name, {.call = FileOrderCall::Access, .number = mode}).result();
}
std::int32_t rfmkdir(Api& api, const std::string& name, std::int32_t mode) {
    return request_name(api, name, {.call = FileOrderCall::Mkdir, .other = mode}).result();
}
std::int32_t rfrmdir(Api& api, const std::string& name) {
    return request_name(api, name, {.call = FileOrderCall::Rmdir}).result();
}
std::int32_t rfunlink(Api& api, const std::string& name) {
    return request_name(api, name, {.call = FileOrderCall::Unlink}).result();
}
std::int32_t rfchdir(Api& api, const std::string& name) {
    return request_name(api, name, {.call = FileOrderCall::Chdir}).result();
}
std::int32_t rftruncate(Api& api, const std::string& name, std::int32_t bytes) {
    return request_name(api, name, {.call = FileOrderCall::Trunc, .number = bytes}).result();
}
std::int32_t rfstat(Api& api, const std::string& name, FileFacts& facts) {
    return take_facts(request_name(api, name, {.call = FileOrderCall::Stat}), facts);
}

std::int32_t rfgetwd(Api& api, std::string& name, std::optional<NodeId> node) {
    std::vector<std::byte> room(most_file_name + 1);
    const Answered answered = request_file(api, node.value_or(api.kernel().host()), {.call = FileOrderCall::Getwd}, {}, room);
    if (answered.reply.error != 0) return -answered.reply.error;
    name = services::text_in(std::span(room).first(answered.length));
    return 0;
}

std::int32_t rfrename(Api& api, const std::string& from, const std::string& to) {
    const PlacedName old = placed(api, from), fresh = placed(api, to);
    if (old.error != 0 || fresh.error != 0) return -(old.error != 0 ? old.error : fresh.error);
    if (old.node != fresh.node) return -EXDEV;
    if (old.name.find('\0') != std::string::npos) return -EINVAL;
    std::vector<std::byte> body = services::bytes_of(old.name + '\0' + fresh.name);
    return request_file(api, old.node, {.call = FileOrderCall::Rename}, body).result();
}

std::int32_t rfsystem(Api& api, const std::string& command) {
    std::vector<std::byte> body = services::bytes_of(command.substr(0, api.kernel().costs().most_packet));
    return request_file(api, api.kernel().host(), {.call = FileOrderCall::System}, body).result();
}

std::int32_t rfstate(Api& api, NodeId node, std::vector<FileLine>& lines) {
    lines.clear();
    std::vector<std::byte> room(api.kernel().costs().most_packet);
    while (true) {
        const Answered answered = request_file(
            api, node, {.call = FileOrderCall::State, .number = static_cast<std::int32_t>(lines.size())}, {}, room);
        if (answered.reply.error != 0) return -answered.reply.error;
        const std::size_t count = answered.length / sizeof(FileRow);
        for (std::size_t i = 0; i < count; ++i) {
            FileRow row;
            std::memcpy(&row, room.data() + i * sizeof row, sizeof row);
            lines.push_back({row.descriptor, row.users, (row.flags & 1) != 0, (row.flags & 2) != 0, (row.flags & 4) != 0,
                             (row.flags & 8) != 0, row.flow, row.client,
                             std::string(row.name.begin(), std::find(row.name.begin(), row.name.end(), '\0'))});
        }
        if (count == 0 || static_cast<std::int32_t>(lines.size()) >= answered.reply.value) break;
    }
    return static_cast<std::int32_t>(lines.size());
}

std::int32_t rfrmfd(Api& api, NodeId node, std::optional<std::int32_t> descriptor) {
    if (descriptor && *descriptor < 0) return -EBADF;
    return request_file(api, node, {.call = FileOrderCall::Rmfd, .descriptor = descriptor.value_or(-1)}).result();
}

std::int32_t rfincr(Api& api, NodeId node, std::int32_t descriptor, std::int32_t by) {
    return request_file(api, node, {.call = FileOrderCall::Incr, .descriptor = descriptor, .number = by}).result();
}

}  // namespace trollius_os
