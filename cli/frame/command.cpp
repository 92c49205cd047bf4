#include "frame/command.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <vocabulary/errors.hpp>

namespace cli {

namespace {
bool results_are_on_standard_error = false;
}

void put(const std::string& text) {
    std::FILE* const stream = results_are_on_standard_error ? stderr : stdout;
    std::fwrite(text.data(), 1, text.size(), stream);
    if (text.empty() || text.back() != '\n') std::fputc('\n', stream);
}

void results_to_standard_error() {
    results_are_on_standard_error = true;
}

namespace {

bool errors_as_json = false;

void tell(int exit_code, const std::string& message, const vocabulary::SourcePosition* where, const std::string& what) {
    if (!errors_as_json) {
        std::fprintf(stderr, "magicwire: %s\n", message.c_str());
        return;
    }
    const auto number = [](int count) { return count > 0 ? nlohmann::ordered_json(count) : nullptr; };
    nlohmann::ordered_json json = {
        {"schema", "magicwire.error/1"}, {"exit_code", exit_code}, {"message", message}, {"what", what}, {"where", nullptr}};
    if (where != nullptr)
        json["where"] = {{"name", where->file}, {"line", number(where->line)}, {"column", number(where->column)}};
    std::fprintf(stderr, "%s\n", json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
}

}  // namespace

void tell_errors_as_json() {
    errors_as_json = true;
}

void tell_error(int exit_code, const std::string& message) {
    tell(exit_code, message, nullptr, message);
}

int exit_code::of(vocabulary::ErrorKind kind) {
    if (kind == vocabulary::ErrorKind::Request) return bad_input;
    return kind == vocabulary::ErrorKind::Host ? host : defect;
}

int tell_error(const std::exception& error) {
    if (const auto* input = dynamic_cast<const vocabulary::InputError*>(&error)) {
        tell(exit_code::bad_input, input->what(), &input->where(), input->message());
        return exit_code::bad_input;
    }
    const int code = exit_code::of(vocabulary::kind_of(error));
    if (const auto* host = dynamic_cast<const vocabulary::HostError*>(&error); host != nullptr && host->where()) {
        tell(code, host->what(), &*host->where(), host->message());
        return code;
    }
    std::string message = error.what();
    if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr)
        message = "the host has no memory left; end other programs, or choose a smaller machine or farm";
    if (code == exit_code::defect && message.find("Please report") == std::string::npos)
        message = "internal error: " + message + ". Please report it with the command line.";
    tell_error(code, message);
    return code;
}

namespace {

// Lines of at most `width` columns, parted at spaces; a longer word has a line of its own.
std::vector<std::string> lines_of(std::string_view text, std::size_t width) {
    std::vector<std::string> lines(1);
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        const std::string word(text.substr(at, end - at));
        if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width) lines.emplace_back();
        lines.back() += (lines.back().empty() ? "" : " ") + word;
        at = end + 1;
    }
    return lines;
}

}  // namespace

std::string folded(std::string_view text) {
    constexpr std::size_t indent = 4;
    std::string result;
    for (const std::string& line : lines_of(text, text_width - indent))
        result += (result.empty() ? "" : "\n") + std::string(indent, ' ') + line;
    return result;
}

std::string HelpFormatter::described(const std::string& text) const {
    std::string result;
    for (const std::string& line : lines_of(text, text_width - column_width_)) result += (result.empty() ? "" : "\n") + line;
    return result;
}

std::string HelpFormatter::make_option_desc(const CLI::Option* option) const {
    return described(option->get_description());
}

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
    std::stringstream out;
    CLI::detail::format_help(out, command->get_display_name(true), described(command->get_description()), column_width_);
    return out.str();
}

CLI::Validator file_name(const std::string& instead) {
    return {[instead](const std::string& name) -> std::string {
                if (name.empty()) return "the name is empty; " + instead;
                return name == "-" ? "'-' is no standard stream here; " + instead + ", or ./- for a file of that name" : "";
            },
            ""};
}

std::uint64_t whole_number(const char* option, const std::string& text) {
    constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
    std::uint64_t number = 0;
    const char* end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || stopped != end || number > most)
        throw CLI::ValidationError(option, fmt::format("'{}' is no whole number from 0 to {}", text, most));
    return number;
}

double positive_number(const char* option, const std::string& text) {
    double number = 0;
    const char* end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || stopped != end || !std::isfinite(number) || number <= 0)
        throw CLI::ValidationError(option, fmt::format("'{}' is no number greater than 0", text));
    return number;
}

}  // namespace cli
