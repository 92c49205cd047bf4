#include "shell/shell_wire.hpp"

#include <unistd.h>

#include <tuple>

#include <nlohmann/json.hpp>

#include <vocabulary/errors.hpp>

namespace cli {

ShellWire::ShellWire() {
    std::tie(reader_, machine_) = forks::make_channel();
}

std::optional<ShellAnswer> ShellWire::ask(const std::string& command) {
    if (!reader_.send(command)) return std::nullopt;
    return receive();
}

std::optional<ShellAnswer> ShellWire::receive() {
    const auto text = reader_.receive();
    if (!text) return std::nullopt;
    const auto json = nlohmann::json::parse(*text);
    return ShellAnswer{.ok = json.at("ok"),
                       .over = json.at("over"),
                       .text = json.at("text"),
                       .data = json.at("data"),
                       .asks = json.at("asks"),
                       .now_ps = json.at("now_ps"),
                       .kind = json.at("kind").get<vocabulary::ErrorKind>()};
}

void ShellWire::answer(const ShellAnswer& answer) {
    const nlohmann::json json = {{"ok", answer.ok},     {"over", answer.over},     {"text", answer.text}, {"data", answer.data},
                                 {"asks", answer.asks}, {"now_ps", answer.now_ps}, {"kind", answer.kind}};
    // The program's output need not be UTF-8.
    if (!machine_.send(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace))) _exit(1);
}

}  // namespace cli
