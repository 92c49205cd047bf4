#include <text/shell_words.hpp>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>
#include <utility>

namespace text {

std::string shell_word(const std::string& text) {
    const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 || std::string_view("@%+=:,./_-").find(static_cast<char>(c)) != std::string_view::npos;
    });
    if (plain) return text;
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
}

ShellWords shell_words(const std::string& text) {
    ShellWords words;
    std::optional<std::string> word;
    char& quote = words.open_quote;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const bool is_kept =
            c == '\\' && quote != '\'' && i + 1 < text.size() && (quote == '\0' || text[i + 1] == '"' || text[i + 1] == '\\');
        if (is_kept) {
            word = word.value_or("") + text[++i];
        } else if (quote != '\0' ? c == quote : c == '\'' || c == '"') {
            quote = quote == '\0' ? c : '\0';
            word = word.value_or("");
        } else if (quote == '\0' && (c == ' ' || c == '\t' || c == '\n')) {
            if (word) words.all.push_back(*std::exchange(word, std::nullopt));
        } else {
            word = word.value_or("") + c;
        }
    }
    if (word) words.all.push_back(*word);
    return words;
}

}  // namespace text
