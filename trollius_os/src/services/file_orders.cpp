#include "file_orders.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <trollius_os/services/rfiles.hpp>

#include "body_text.hpp"
#include "file_names.hpp"

namespace trollius_os::services {
namespace {

constexpr std::int64_t most_bytes = INT32_MAX;  // of a file
constexpr std::int32_t most_users = 1'000'000;

FileReply failed(ErrorNumber error) {
    return {.value = -1, .error = error};
}
FileReply done_or(ErrorNumber error) {
    return error == 0 ? FileReply{} : failed(error);
}
FileReply reply_with(const FileFacts& facts) {
    if (facts.bytes > static_cast<std::uint64_t>(most_bytes)) return failed(EOVERFLOW);
    return {.kind = static_cast<std::int32_t>(facts.kind),
            .mode = static_cast<std::int32_t>(facts.mode),
            .bytes = static_cast<std::int32_t>(facts.bytes)};
}

bool is_console(std::int32_t descriptor) {
    return descriptor >= 0 && descriptor < FileDescriptors::first;
}

FileRow row_of(std::int32_t number, const FileDescriptor& file) {
    FileRow row{.descriptor = number,
                .users = file.users,
                .flags = (file.readable() ? 1 : 0) | (file.writable() ? 2 : 0) | (file.real != nullptr ? 4 : 0) |
                         (file.locked() ? 8 : 0),
                .flow = file.flow,
                .client = file.client};
    file.name.copy(row.name.data(), row.name.size());
    return row;
}

FileRow console_row(std::int32_t number) {
    FileRow row{.descriptor = number, .users = 1, .flags = (number == 0 ? 1 : 2) | 4 | 8};
    std::memcpy(row.name.data(), "console", 7);
    return row;
}

}  // namespace

FileReply FileOrders::obey(const FileOrder& order, std::span<const std::byte> body, std::vector<std::byte>& answer) {
    using Call = FileOrderCall;
    switch (order.call) {
        case Call::System:
            return failed(errors::service);
        case Call::State:
            return rows(order.number, answer);
        case Call::Rmfd:
            return forget(order.descriptor);
        case Call::Incr:
            return add_users(order.descriptor, order.number);
        default:
            break;
    }
    if (is_console(order.descriptor)) return console(order, body, answer);
    if (services_.files == nullptr) return failed(EACCES);
    switch (order.call) {
        case Call::Getwd:
            answer = bytes_of("/" + folder_);
            return {};
        case Call::Rename:
            return rename(text_in(body));
        case Call::Close:
            return add_users(order.descriptor, -1);
        case Call::Dup:
            return add_users(order.descriptor, 1);
        case Call::Dup2:
            return duplicate_to(order);
        case Call::Read:
        case Call::Write:
        case Call::Lseek:
        case Call::Fstat:
        case Call::Ftrunc:
            return with_descriptor(order, body, answer);
        default:
            return with_name(order, text_in(body));
    }
}

FileReply FileOrders::with_descriptor(const FileOrder& order, std::span<const std::byte> body, std::vector<std::byte>& answer) {
    FileDescriptor* file = descriptors_.find(order.descriptor);
    if (file == nullptr) return failed(EBADF);
    file->client = order.caller;
    if (order.call == FileOrderCall::Read) return read(*file, order, answer);
    if (order.call == FileOrderCall::Write) return write(*file, body);
    if (order.call == FileOrderCall::Lseek) return seek(*file, order);
    return order.call == FileOrderCall::Fstat ? look(*file) : resize(*file, order.number);
}

FileReply FileOrders::with_name(const FileOrder& order, const std::string& given) {
    const auto [name, error] = plain_name(folder_, given, most_file_name);
    if (error != 0) return failed(error);
    switch (order.call) {
        case FileOrderCall::Open:
            return open(order, name);
        case FileOrderCall::Access:
            return access(name, order.number);
        case FileOrderCall::Mkdir:
            return done_or(services_.files->make_folder(name, static_cast<std::uint32_t>(order.other) & 0777));
        case FileOrderCall::Chdir:
            return change_folder(name);
        case FileOrderCall::Trunc:
            return resize(name, order.number);
        case FileOrderCall::Stat: {
            FileFacts facts;
            const ErrorNumber refused = services_.files->look(name, facts);
            return refused == 0 ? reply_with(facts) : failed(refused);
        }
        default:
            return remove(order.call, name);
    }
}

// Descriptors 0, 1 and 2 need no store of files and are never closed.
FileReply FileOrders::console(const FileOrder& order, std::span<const std::byte> body, std::vector<std::byte>& answer) {
    switch (order.call) {
        case FileOrderCall::Close:
            return {};
        case FileOrderCall::Dup:
            return {.value = order.descriptor};
        case FileOrderCall::Dup2:
            return duplicate_to(order);
        case FileOrderCall::Read: {
            if (order.descriptor != 0) return failed(EBADF);
            answer.resize(std::min(most_packet_, static_cast<std::size_t>(std::max(order.number, 0))));
            answer.resize(services_.read ? services_.read(answer) : 0);
            return {.value = static_cast<std::int32_t>(answer.size())};
        }
        case FileOrderCall::Write:
            if (order.descriptor == 0) return failed(EBADF);
            if (order.descriptor == 2 && services_.print_error)
                services_.print_error(order.caller.node.id(), text_in(body));
            else if (services_.print)
                services_.print(order.caller.node.id(), text_in(body));
            return {.value = static_cast<std::int32_t>(body.size())};
        case FileOrderCall::Fstat:
            return reply_with({.kind = FileKind::Console, .mode = 0620});
        case FileOrderCall::Lseek:
            return failed(ESPIPE);
        default:
            return failed(EINVAL);
    }
}

FileReply FileOrders::read(FileDescriptor& file, const FileOrder& order, std::vector<std::byte>& answer) {
    if (!file.readable()) return failed(EBADF);
    if (order.number < 0) return failed(EINVAL);
    ErrorNumber error = 0;
    StoredFile* real = descriptors_.file(*services_.files, file, error);
    if (real == nullptr) return failed(error);
    const auto rest = static_cast<std::size_t>(most_bytes - file.offset);
    answer.resize(std::min({most_packet_, static_cast<std::size_t>(order.number), rest}));
    const FileTransfer got = real->read(static_cast<std::uint64_t>(file.offset), answer);
    answer.resize(got.bytes);
    if (got.error != 0) return failed(got.error);
    file.offset += static_cast<std::int64_t>(got.bytes);
    file.flow += static_cast<std::uint32_t>(got.bytes);
    return {.value = static_cast<std::int32_t>(got.bytes)};
}

FileReply FileOrders::write(FileDescriptor& file, std::span<const std::byte> body) {
    if (!file.writable()) return failed(EBADF);
    ErrorNumber error = 0;
    StoredFile* real = descriptors_.file(*services_.files, file, error);
    if (real == nullptr) return failed(error);
    std::int64_t at = file.offset;
    if ((file.flags & open_flags::append) != 0) {
        FileFacts facts;
        if (const ErrorNumber refused = real->look(facts); refused != 0) return failed(refused);
        if (facts.bytes > static_cast<std::uint64_t>(most_bytes)) return failed(EFBIG);
        at = static_cast<std::int64_t>(facts.bytes);
    }
    if (at + static_cast<std::int64_t>(body.size()) > most_bytes) return failed(EFBIG);
    const FileTransfer put = body.empty() ? FileTransfer{} : real->write(static_cast<std::uint64_t>(at), body);
    if (put.error != 0) return failed(put.error);
    file.offset = at + static_cast<std::int64_t>(put.bytes);
    file.flow += static_cast<std::uint32_t>(put.bytes);
    return {.value = static_cast<std::int32_t>(put.bytes)};
}

FileReply FileOrders::seek(FileDescriptor& file, const FileOrder& order) {
    std::int64_t from = 0;
    if (order.other == 1) from = file.offset;
    if (order.other == 2) {
        const FileReply end = look(file);
        if (end.error != 0) return end;
        from = end.bytes;
    }
    const std::int64_t offset = from + order.number;
    if (order.other < 0 || order.other > 2 || offset < 0) return failed(EINVAL);
    if (offset > most_bytes) return failed(EOVERFLOW);
    file.offset = offset;
    return {.value = static_cast<std::int32_t>(offset)};
}

FileReply FileOrders::look(FileDescriptor& file) {
    ErrorNumber error = 0;
    StoredFile* real = descriptors_.file(*services_.files, file, error);
    FileFacts facts;
    if (real != nullptr) error = real->look(facts);
    return error == 0 ? reply_with(facts) : failed(error);
}

FileReply FileOrders::resize(FileDescriptor& file, std::int32_t bytes) {
    if (!file.writable() || bytes < 0) return failed(EINVAL);
    ErrorNumber error = 0;
    StoredFile* real = descriptors_.file(*services_.files, file, error);
    return done_or(real != nullptr ? real->resize(static_cast<std::uint64_t>(bytes)) : error);
}

FileReply FileOrders::add_users(std::int32_t descriptor, std::int32_t by) {
    if (is_console(descriptor)) return {.value = 1};
    FileDescriptor* file = descriptors_.find(descriptor);
    if (file == nullptr) return failed(EBADF);
    const std::int64_t users = std::int64_t{file->users} + by;
    if (users < 0 || users > most_users) return failed(EINVAL);
    file->users = static_cast<std::int32_t>(users);
    if (users == 0) descriptors_.close(descriptor);
    return {.value = static_cast<std::int32_t>(users)};
}

// `number` is the descriptor that the client gives up for it.
FileReply FileOrders::duplicate_to(const FileOrder& order) {
    const FileReply added = add_users(order.descriptor, 1);
    if (added.error != 0) return added;
    if (order.number >= 0) add_users(order.number, -1);
    return {.value = order.descriptor};
}

FileReply FileOrders::open(const FileOrder& order, const std::string& name) {
    const std::int32_t number =
        descriptors_.open(*services_.files, name, order.number, static_cast<std::uint32_t>(order.other) & 0777);
    if (number < 0) return failed(-number);
    descriptors_.find(number)->client = order.caller;
    return {.value = number};
}

FileReply FileOrders::access(const std::string& name, std::int32_t wanted) {
    if (wanted < 0 || wanted > 7) return failed(EINVAL);
    FileFacts facts;
    if (const ErrorNumber refused = services_.files->look(name, facts); refused != 0) return failed(refused);
    const auto owner = static_cast<std::int32_t>(facts.mode >> 6);
    return (owner & wanted) == wanted ? FileReply{} : failed(EACCES);
}

FileReply FileOrders::change_folder(const std::string& name) {
    FileFacts facts;
    if (const ErrorNumber refused = services_.files->look(name, facts); refused != 0) return failed(refused);
    if (facts.kind != FileKind::Folder) return failed(ENOTDIR);
    folder_ = name;
    return {};
}

// A file that a descriptor has open stays, and so does the working directory. Otherwise a file that is closed for now could not
// be opened again.
FileReply FileOrders::remove(FileOrderCall call, const std::string& name) {
    if (call == FileOrderCall::Rmdir)
        return is_at_or_below(folder_, name) ? failed(EBUSY) : done_or(services_.files->remove_folder(name));
    if (descriptors_.is_open(name)) return failed(EBUSY);
    return done_or(services_.files->remove_file(name));
}

FileReply FileOrders::resize(const std::string& name, std::int32_t bytes) {
    if (bytes < 0) return failed(EINVAL);
    descriptors_.make_room();
    const FileOpened opened = services_.files->open(name, {.write = true});
    return done_or(opened.file != nullptr ? opened.file->resize(static_cast<std::uint64_t>(bytes)) : opened.error);
}

FileReply FileOrders::rename(const std::string& names) {
    const std::size_t zero = names.find('\0');
    if (zero == std::string::npos) return failed(EINVAL);
    const auto [from, bad_from] = plain_name(folder_, names.substr(0, zero), most_file_name);
    if (bad_from != 0) return failed(bad_from);
    const auto [to, bad_to] = plain_name(folder_, names.substr(zero + 1), most_file_name);
    if (bad_to != 0) return failed(bad_to);
    if (is_at_or_below(folder_, from) || (to != from && descriptors_.is_open(to))) return failed(EBUSY);
    const auto& open = descriptors_.all();
    const bool too_long = std::any_of(open.begin(), open.end(), [&, &old = from, &fresh = to](const auto& one) {
        return is_at_or_below(one.second.name, old) && one.second.name.size() - old.size() + fresh.size() > most_file_name;
    });
    if (too_long) return failed(ENAMETOOLONG);
    const ErrorNumber error = services_.files->rename(from, to);
    if (error == 0) descriptors_.renamed(from, to);
    return done_or(error);
}

FileReply FileOrders::rows(std::int32_t from, std::vector<std::byte>& answer) const {
    if (from < 0) return failed(EINVAL);
    std::vector<FileRow> all;
    for (std::int32_t number = 0; number < FileDescriptors::first; ++number) all.push_back(console_row(number));
    for (const auto& [number, file] : descriptors_.all()) all.push_back(row_of(number, file));
    const std::size_t begin = std::min(all.size(), static_cast<std::size_t>(from));
    const std::size_t count = std::min(all.size() - begin, most_packet_ / sizeof(FileRow));
    const auto bytes = std::as_bytes(std::span(all).subspan(begin, count));
    answer.assign(bytes.begin(), bytes.end());
    return {.value = static_cast<std::int32_t>(all.size())};
}

FileReply FileOrders::forget(std::int32_t descriptor) {
    if (descriptor == -1) return {.value = static_cast<std::int32_t>(descriptors_.close_all())};
    if (is_console(descriptor)) return failed(EINVAL);
    if (descriptors_.find(descriptor) == nullptr) return failed(EBADF);
    descriptors_.close(descriptor);
    return {.value = 1};
}

}  // namespace trollius_os::services
