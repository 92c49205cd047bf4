#include <tmon_foreign/foreign_trace.hpp>

#include <array>
#include <filesystem>
#include <fstream>

#include <vocabulary/source_position.hpp>

#include "otf2_reader.hpp"
#include "picl_reader.hpp"

namespace tmon_foreign {
namespace {

constexpr std::size_t most_head = 4096;

bool is_archive(const std::string& file) {
    return std::filesystem::path(file).extension() == ".otf2";
}

// The first line, or as much of it as counts.
std::string first_line(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    std::string head(most_head, '\0');
    in.read(head.data(), static_cast<std::streamsize>(head.size()));
    head.resize(static_cast<std::size_t>(in.gcount()));
    return head.substr(0, head.find('\n'));
}

}  // namespace

std::string_view kind_name(Kind kind) {
    constexpr std::array<std::string_view, 9> names{"other", "send", "receive", "collective-begin", "collective-end", "enter",
                                                    "leave", "lost", "end"};
    return names[static_cast<std::size_t>(kind)];
}

bool is_foreign(const std::string& file) {
    Format format{};
    return is_archive(file) || looks_like_picl(first_line(file), format);
}

ForeignTrace read_foreign(const std::string& file) {
    if (is_archive(file)) return read_otf2(file);
    Format format{};
    if (!looks_like_picl(first_line(file), format))
        throw vocabulary::InputError({file, 1, 0}, "is no record of PICL; give a file of PICL records");
    return read_picl(file, format);
}

}  // namespace tmon_foreign
