// fstate and tfile: filed's descriptors and its working directory.
#include <cerrno>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <trollius_commands/command_words.hpp>
#include <trollius_os/services.hpp>
#include <trollius_os/services/rfiles.hpp>

#include "commands.hpp"

namespace trollius_commands {
namespace {

using trollius_os::FileLine;

// "h: service unavailable", and success only without an error.
bool says_file_error(std::int32_t result, const std::string& node, std::string& text) {
    if (result >= 0) return false;
    text += fmt::format("{}: {}\n", node, trollius_os::error_text(-result));
    return true;
}

class Fstate final : public NodesCommand {
public:
    Fstate(const Words& words, const Site& site) : site_(site) {
        CommandWords given(words, site, "a", "F", fstate_usage);
        active_ = given.has('a');
        most_ = given.number('F', UINT32_MAX, 1, UINT32_MAX);
        nodes_ = given.take_nodes(false);
        given.end();
    }
    const char* name() const override { return "fstate"; }
    std::string head() const override {
        return fmt::format("{:<6} {:<9} {:<6} {:>10} {:<18} {}\n", "NODE", "FD/COUNT", "FLAGS", "FLOW", "CLIENT", "NAME");
    }
    bool step(std::size_t number, trollius_os::Api& api, std::string& text) override {
        const std::string node = node_text(asks(number), site_);
        std::vector<FileLine> lines;
        if (says_file_error(trollius_os::rfstate(api, asks(number), lines), node, text)) return false;
        std::uint32_t printed = 0;
        for (const FileLine& line : lines) {
            if (active_ && !line.active) continue;
            if (++printed > most_) {
                text += fmt::format("{:<6} ...and more descriptors...\n", node);
                break;
            }
            text += fmt::format("{:<6} {:<9} {:<6} {:>10} {:<18} {}\n", node, fmt::format("{}/{}", line.descriptor, line.users),
                                flags_text(line), line.flow, client_text(line, asks(number)), line.name);
        }
        return true;
    }

private:
    static std::string flags_text(const FileLine& line) {
        const auto letter = [](bool is, char which) { return is ? which : '-'; };
        return {letter(line.readable, 'R'), letter(line.writable, 'W'), letter(line.active, 'A'), letter(line.locked, 'L')};
    }
    // A process of another node by its number, which is minus its reply event.
    std::string client_text(const FileLine& line, NodeId server) const {
        const std::int32_t event = line.client.reply.value();
        if (event == 0) return "none";
        const NodeId node = line.client.node.id();
        if (node == server) return fmt::format("local/{}", event);
        return fmt::format("{}/p{}", node_text(node, site_), -std::int64_t{event});
    }
    const Site site_;
    bool active_ = false;
    std::uint32_t most_ = 0;
};

class Tfile final : public NodesCommand {
public:
    Tfile(const Words& words, const Site& site) : site_(site) {
        CommandWords given(words, site, "S", "s", tfile_usage);
        all_ = given.has('S');
        if (given.has('s')) descriptor_ = static_cast<std::int32_t>(given.number('s', 0, 3, INT32_MAX));
        nodes_ = given.take_nodes(false);
        const auto rest = given.take_rest();
        if (rest.size() > 1) given.fail("more than one directory is named");
        if (!rest.empty()) folder_ = rest[0];
        given.end();
    }
    const char* name() const override { return "tfile"; }
    bool step(std::size_t number, trollius_os::Api& api, std::string& text) override {
        const NodeId node = asks(number);
        const std::string called = node_text(node, site_);
        if (all_ && says_file_error(trollius_os::rfrmfd(api, node, std::nullopt), called, text)) return false;
        if (descriptor_ && says_file_error(trollius_os::rfrmfd(api, node, descriptor_), called, text)) return false;
        if (!folder_ && (all_ || descriptor_)) return true;
        std::string now;
        if (const std::int32_t got = trollius_os::rfgetwd(api, now, node); got == -EACCES) {
            text += fmt::format("{}: {}\n", called, trollius_os::no_files_text);
            return false;
        } else if (says_file_error(got, called, text)) {
            return false;
        }
        if (!folder_) {
            text += fmt::format("{}: {}\n", called, now);
            return true;
        }
        return !says_file_error(trollius_os::rfchdir(api, fmt::format("{}:{}", node.value(), *folder_)), called, text);
    }

private:
    const Site site_;
    bool all_ = false;
    std::optional<std::int32_t> descriptor_;
    std::optional<std::string> folder_;
};

}  // namespace

std::unique_ptr<Command> make_fstate(const Words& words, const Site& site) {
    return std::make_unique<Fstate>(words, site);
}
std::unique_ptr<Command> make_tfile(const Words& words, const Site& site) {
    return std::make_unique<Tfile>(words, site);
}

}  // namespace trollius_commands
