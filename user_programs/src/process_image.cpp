#include <user_programs/process_image.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <optional>
#include <type_traits>

#include <xxhash.h>

#include <user_programs/loaded_program.hpp>
#include <user_programs/program_process.hpp>
#include <vocabulary/errors.hpp>

namespace user_programs {
namespace {

class Writer {
public:
    template <class T>
    void put(const T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        text_.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    template <class List>
    void put_bytes(const List& all) {
        put(std::uint64_t{all.size()});
        text_.append(reinterpret_cast<const char*>(all.data()), all.size());
    }
    std::string take() { return std::move(text_); }

private:
    std::string text_;
};

class Reader {
public:
    explicit Reader(const std::string& text) : text_(text) {}
    template <class T>
    T get() {
        static_assert(std::is_trivially_copyable_v<T>);
        T value{};
        take(&value, sizeof value);
        return value;
    }
    // The size of a list whose entries have `each` bytes at least.
    std::size_t count(std::size_t each) {
        const auto its = get<std::uint64_t>();
        if (its > (text_.size() - at_) / each) fail();
        return static_cast<std::size_t>(its);
    }
    template <class List>
    List get_bytes() {
        List all(count(1), typename List::value_type{});
        take(all.data(), all.size());
        return all;
    }
    bool at_end() const { return at_ == text_.size(); }
    [[noreturn]] static void fail() { throw vocabulary::InputError({}, "it is no image of a process"); }

private:
    void take(void* to, std::size_t bytes) {
        if (bytes > text_.size() - at_) fail();
        if (bytes > 0) std::memcpy(to, text_.data() + at_, bytes);
        at_ += bytes;
    }
    const std::string& text_;
    std::size_t at_ = 0;
};

// glibc on x86-64 keeps it at fs:0x30.
std::uint64_t jump_guard() {
    std::uint64_t word = 0;
    asm volatile("movq %%fs:0x30, %0" : "=r"(word));
    return word;
}

void put_pieces(Writer& writer, const std::vector<std::pair<std::uint64_t, ProcessImage::Bytes>>& pieces) {
    writer.put(std::uint64_t{pieces.size()});
    for (const auto& [at, bytes] : pieces) {
        writer.put(at);
        writer.put_bytes(bytes);
    }
}
void get_pieces(Reader& reader, std::vector<std::pair<std::uint64_t, ProcessImage::Bytes>>& pieces) {
    pieces.resize(reader.count(2 * sizeof(std::uint64_t)));
    for (auto& [at, bytes] : pieces) {
        at = reader.get<std::uint64_t>();
        bytes = reader.get_bytes<ProcessImage::Bytes>();
    }
}

}  // namespace

// glibc on x86-64 keeps it at fs:0x28.
std::uint64_t ProcessImage::frame_guard() {
    std::uint64_t word = 0;
    asm volatile("movq %%fs:0x28, %0" : "=r"(word));
    return word;
}

ProcessImage::Addresses ProcessImage::addresses_of(const LoadedProgram& program) {
    const LoadedProgram::Addresses its = program.addresses();
    return {.module = its.load,
            .c_library = reinterpret_cast<std::uintptr_t>(&std::qsort),
            .cpp_library = reinterpret_cast<std::uintptr_t>(&std::get_terminate),
            .magicwire = reinterpret_cast<std::uintptr_t>(&ProgramProcess::current),
            .error = reinterpret_cast<std::uintptr_t>(&errno),
            .variables = its.thread,
            .jumps = program.calls_setjmp() ? jump_guard() : 0};
}

bool ProcessImage::Addresses::fit(const Addresses& now) const {
    Addresses wanted = now;
    if (variables == 0) wanted.variables = 0;
    return *this == wanted;
}

bool ProcessImage::may_point_to(std::uint64_t begin, std::uint64_t end) const {
    const auto found_in = [begin, end](const Bytes& bytes) {
        for (std::size_t at = 0; at + sizeof begin <= bytes.size(); at += sizeof begin) {
            std::uint64_t word = 0;
            std::memcpy(&word, &bytes[at], sizeof word);
            if (word >= begin && word < end) return true;
        }
        return false;
    };
    for (const Bytes* part : {&data, &startup, &thread, &stack})
        if (found_in(*part)) return true;
    for (const auto* pieces : {&zeroed, &words})
        for (const auto& [at, bytes] : *pieces)
            if (found_in(bytes)) return true;
    return std::any_of(blocks.begin(), blocks.end(), [&](const Block& block) { return found_in(block.content); });
}

std::uint64_t ProcessImage::memory_hash() const {
    std::uint64_t hash = 0;
    const auto add = [&hash](std::uint64_t at, const Bytes& bytes) {
        const std::uint64_t four[] = {hash, at, bytes.size(), XXH3_64bits(bytes.data(), bytes.size())};
        hash = XXH3_64bits(four, sizeof four);
    };
    for (const Bytes* part : {&data, &startup, &thread}) add(0, *part);
    for (const auto* pieces : {&zeroed, &words})
        for (const auto& [at, bytes] : *pieces) add(at, bytes);
    for (const Block& block : blocks) add(block.at, block.content);
    return hash;
}

std::string ProcessImage::first_difference(const ProcessImage& other) const {
    const auto differs_at = [](const Bytes& one, const Bytes& two) -> std::optional<std::size_t> {
        if (one == two) return std::nullopt;
        const std::size_t common = std::min(one.size(), two.size());
        return static_cast<std::size_t>(
            std::mismatch(one.begin(), one.begin() + static_cast<std::ptrdiff_t>(common), two.begin()).first - one.begin());
    };
    const auto text = [](const char* part, std::uint64_t at) {
        std::array<char, 80> room{};
        std::snprintf(room.data(), room.size(), "%s at 0x%llx", part, static_cast<unsigned long long>(at));
        return std::string(room.data());
    };
    if (const auto at = differs_at(data, other.data)) return text("globals", data_at + *at) + " of the module";
    if (const auto at = differs_at(startup, other.startup)) return text("memory of static objects", *at);
    if (const auto at = differs_at(thread, other.thread)) return text("thread-local variables", *at);
    if (zeroed != other.zeroed) return "static arrays";
    if (words != other.words) return "words of the command or the environment";
    for (std::size_t i = 0; i < std::min(blocks.size(), other.blocks.size()); ++i) {
        if (blocks[i].at != other.blocks[i].at) return text("blocks of the heap", std::min(blocks[i].at, other.blocks[i].at));
        if (const auto at = differs_at(blocks[i].content, other.blocks[i].content)) return text("the heap", blocks[i].at + *at);
    }
    return blocks.size() == other.blocks.size() ? "" : "the number of blocks of the heap";
}

std::size_t ProcessImage::size() const {
    std::size_t bytes = data.size() + startup.size() + thread.size() + stack.size();
    for (const auto* pieces : {&zeroed, &gaps, &words})
        for (const auto& [at, piece] : *pieces) bytes += piece.size();
    for (const Block& block : blocks) bytes += block.content.size();
    return bytes;
}

std::string ProcessImage::serialize() const {
    Writer writer;
    writer.put(addresses);
    writer.put(guard);
    writer.put(registers);
    writer.put(data_at);
    for (const Bytes* part : {&data, &startup, &thread, &stack}) writer.put_bytes(*part);
    for (const auto* pieces : {&zeroed, &gaps, &words}) put_pieces(writer, *pieces);
    writer.put(std::uint64_t{blocks.size()});
    for (const Block& block : blocks) {
        writer.put(block.at);
        writer.put(block.bytes);
        writer.put_bytes(block.content);
    }
    writer.put_bytes(unfinished_line);
    writer.put(error);
    return writer.take();
}

ProcessImage ProcessImage::parse(const std::string& bytes) {
    Reader reader(bytes);
    ProcessImage its;
    its.addresses = reader.get<Addresses>();
    its.guard = reader.get<std::uint64_t>();
    its.registers = reader.get<Registers>();
    its.data_at = reader.get<std::uint64_t>();
    for (Bytes* part : {&its.data, &its.startup, &its.thread, &its.stack}) *part = reader.get_bytes<Bytes>();
    for (auto* pieces : {&its.zeroed, &its.gaps, &its.words}) get_pieces(reader, *pieces);
    its.blocks.resize(reader.count(3 * sizeof(std::uint64_t)));
    for (Block& block : its.blocks) {
        block.at = reader.get<std::uint64_t>();
        block.bytes = reader.get<std::uint64_t>();
        block.content = reader.get_bytes<Bytes>();
        if (block.content.size() < block.bytes) Reader::fail();
    }
    its.unfinished_line = reader.get_bytes<std::string>();
    its.error = reader.get<std::int32_t>();
    if (!reader.at_end()) Reader::fail();
    return its;
}

}  // namespace user_programs
