// The requests of the iserver that are about files.
#include <iserver/server.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <utility>

#include "stream.hpp"

namespace iserver {
namespace {

constexpr std::int32_t first_file = 3, most_files = 256;
constexpr std::uint8_t binary = 1, text = 2;
constexpr std::size_t most_count = 0x7FFF;  // the int16 of the protocol has a sign

enum class Mode : std::uint8_t { Input = 1, Output = 2, Append = 3, ExistingUpdate = 4, NewUpdate = 5, AppendUpdate = 6 };

trollius_os::FileWish wish_of(Mode mode) {
    const bool updates = mode >= Mode::ExistingUpdate;
    const bool makes = mode != Mode::Input && mode != Mode::ExistingUpdate;
    return {.read = updates || mode == Mode::Input,
            .write = mode != Mode::Input,
            .create = makes,
            .truncate = mode == Mode::Output || mode == Mode::NewUpdate,
            .mode = 0644};
}

// A name that can only be a folder's, as "a/" and "a/.".
bool names_folder(const std::string& name) {
    const std::string last = name.substr(name.rfind('/') + 1);
    return last.empty() || last == "." || last == "..";
}

}  // namespace

std::optional<std::string> name_in_store(const std::string& name) {
    if (name.empty() || name.front() == '/' || name.find('\0') != std::string::npos) return std::nullopt;
    std::vector<std::string> words;
    for (std::size_t at = 0; at <= name.size();) {
        const std::size_t end = std::min(name.find('/', at), name.size());
        const std::string word = name.substr(at, end - at);
        at = end + 1;
        if (word.empty() || word == ".") continue;
        if (word != "..") {
            words.push_back(word);
        } else if (words.empty()) {
            return std::nullopt;
        } else {
            words.pop_back();
        }
    }
    std::string plain;
    for (const std::string& word : words) plain += (plain.empty() ? "" : "/") + word;
    return plain;
}

Server::Stream* Server::stream(std::int32_t number) {
    const auto found = streams_.find(number);
    return found == streams_.end() ? nullptr : found->second.get();
}

Reply Server::open(Fields& fields) {
    const std::string wanted = fields.text();
    const auto name = name_in_store(wanted);
    const std::uint8_t type = fields.byte(), mode = fields.byte();
    if (!fields.whole() || !name || names_folder(wanted) || (type != binary && type != text) || mode < 1 || mode > 6)
        return Reply::error();
    std::int32_t number = first_file;
    while (streams_.contains(number)) ++number;
    if (number >= first_file + most_files) return Reply::error();
    const trollius_os::FileWish wish = wish_of(static_cast<Mode>(mode));
    trollius_os::FileOpened opened = files_.open(*name, wish);
    if (opened.file == nullptr) return Reply::error();
    const bool appends = static_cast<Mode>(mode) == Mode::Append || static_cast<Mode>(mode) == Mode::AppendUpdate;
    streams_[number] = std::make_unique<Stream>(
        Stream{.file = std::move(opened.file), .reads = wish.read, .writes = wish.write, .appends = appends});
    return Reply::success().int32(number);
}

Reply Server::close(Fields& fields) {
    const std::int32_t number = fields.int32();
    return fields.whole() && streams_.erase(number) > 0 ? Reply::success() : Reply::error();
}

Reply Server::read(Fields& fields) {
    Stream* const from = stream(fields.int32());
    const std::size_t count = fields.int16();
    if (!fields.whole() || from == nullptr || count > most_count) return Reply::error();
    return Reply::success().block(from->read(console_, std::min(count, Reply::most_block), false));
}

Reply Server::write(Fields& fields) {
    Stream* const to = stream(fields.int32());
    const std::string bytes = fields.text();
    if (!fields.whole() || to == nullptr) return Reply::error();
    return Reply::success().int16(static_cast<std::uint16_t>(to->write(console_, bytes)));
}

// A line without its line feed, or the first bytes of one that is longer.
Reply Server::gets(Fields& fields) {
    Stream* const from = stream(fields.int32());
    const std::size_t count = fields.int16();
    if (!fields.whole() || from == nullptr || count > most_count) return Reply::error();
    std::string line = from->read(console_, std::min(count, Reply::most_block), true);
    if (line.empty()) return Reply::error();
    if (line.back() == '\n') line.pop_back();
    return Reply::success().block(line);
}

Reply Server::puts(Fields& fields) {
    Stream* const to = stream(fields.int32());
    const std::string line = fields.text() + "\n";
    if (!fields.whole() || to == nullptr) return Reply::error();
    return to->write(console_, line) == line.size() ? Reply::success() : Reply::error();
}

Reply Server::seek(Fields& fields) {
    Stream* const of = stream(fields.int32());
    const std::int64_t offset = fields.int32(), origin = fields.int32();
    if (!fields.whole() || of == nullptr || of->file == nullptr || origin < 1 || origin > 3) return Reply::error();
    trollius_os::FileFacts facts;
    if (origin == 3 && of->file->look(facts) != 0) return Reply::error();
    const std::int64_t from = origin == 1   ? 0
                              : origin == 2 ? static_cast<std::int64_t>(of->position)
                                            : static_cast<std::int64_t>(facts.bytes);
    if (from + offset < 0) return Reply::error();
    of->position = static_cast<std::uint64_t>(from + offset);
    of->at_end = false;
    return Reply::success();
}

Reply Server::tell(Fields& fields) {
    const Stream* const of = stream(fields.int32());
    if (!fields.whole() || of == nullptr || of->file == nullptr) return Reply::error();
    if (of->position > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max())) return Reply::error();
    return Reply::success().int32(static_cast<std::int32_t>(of->position));
}

// Success: the end was met.
Reply Server::end_of_file(Fields& fields) {
    const Stream* const of = stream(fields.int32());
    return fields.whole() && of != nullptr && of->at_end ? Reply::success() : Reply::error();
}

// Success: there was an error.
Reply Server::last_error(Fields& fields) {
    const Stream* const of = stream(fields.int32());
    if (!fields.whole() || of == nullptr || of->error == 0) return Reply::error();
    return Reply::success().int32(of->error).block(std::strerror(of->error));
}

Reply Server::remove(Fields& fields) {
    const std::string wanted = fields.text();
    const auto name = name_in_store(wanted);
    if (!fields.whole() || !name) return Reply::error();
    const auto failed = names_folder(wanted) ? EISDIR : files_.remove_file(*name);
    if (failed != EISDIR) return failed == 0 ? Reply::success() : Reply::error();
    return files_.remove_folder(*name) == 0 ? Reply::success() : Reply::error();
}

Reply Server::rename(Fields& fields) {
    const auto from = name_in_store(fields.text()), to = name_in_store(fields.text());
    if (!fields.whole() || !from || !to) return Reply::error();
    return files_.rename(*from, *to) == 0 ? Reply::success() : Reply::error();
}

}  // namespace iserver
