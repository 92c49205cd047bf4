#include "shell_wire.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include <nlohmann/json.hpp>

namespace tmon_cli {
namespace {

bool write_all(int file, const char* at, std::size_t bytes) {
    while (bytes > 0) {
        const ssize_t written = write(file, at, bytes);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        at += written;
        bytes -= static_cast<std::size_t>(written);
    }
    return true;
}

bool read_all(int file, char* at, std::size_t bytes) {
    while (bytes > 0) {
        const ssize_t got = read(file, at, bytes);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        bytes -= static_cast<std::size_t>(got);
    }
    return true;
}

}  // namespace

ShellWire::ShellWire() {
    if (pipe2(commands_.data(), O_CLOEXEC) != 0 || pipe2(answers_.data(), O_CLOEXEC) != 0)
        throw std::runtime_error("the host has no pipe left for the machine's process");
}

void ShellWire::be_reader() {
    close(commands_[0]);
    close(answers_[1]);
    in_ = answers_[0];
    out_ = commands_[1];
}

void ShellWire::be_machine() {
    close(commands_[1]);
    close(answers_[0]);
    in_ = commands_[0];
    out_ = answers_[1];
}

bool ShellWire::put(const std::string& text) {
    const std::uint64_t length = text.size();
    return write_all(out_, reinterpret_cast<const char*>(&length), sizeof length) && write_all(out_, text.data(), text.size());
}

std::optional<std::string> ShellWire::get() {
    std::uint64_t length = 0;
    if (!read_all(in_, reinterpret_cast<char*>(&length), sizeof length)) return std::nullopt;
    std::string text(length, '\0');
    if (!read_all(in_, text.data(), length)) return std::nullopt;
    return text;
}

std::optional<ShellAnswer> ShellWire::ask(const std::string& command) {
    if (!put(command)) return std::nullopt;
    return receive();
}

std::optional<ShellAnswer> ShellWire::receive() {
    const auto text = get();
    if (!text) return std::nullopt;
    const auto json = nlohmann::json::parse(*text);
    return ShellAnswer{json.at("ok"), json.at("over"), json.at("text"), json.at("data"), json.at("now_ps")};
}

std::optional<std::string> ShellWire::next() {
    return get();
}

void ShellWire::answer(const ShellAnswer& answer) {
    const nlohmann::json json = {
        {"ok", answer.ok}, {"over", answer.over}, {"text", answer.text}, {"data", answer.data}, {"now_ps", answer.now_ps}};
    // What a program printed need not be UTF-8.
    if (!put(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace))) _exit(1);
}

}  // namespace tmon_cli
