#include <mpi_runs/mpi_tables.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include <lam_mpi/lam_start.h>
#include <user_programs/program_process.hpp>

#include "table_reader.hpp"

namespace mpi_runs {
namespace {

using user_programs::ProgramProcess;
using Row = std::vector<std::string>;

std::string name_at(const ProgramProcess& process, const char* name) {
    std::array<char, LAM_NAME_ROOM> room{};
    if (name == nullptr || !process.copy_out(name, room.data(), room.size())) return {};
    return {room.data(), strnlen(room.data(), room.size())};
}
// "MPI_COMM_WORLD": "WORLD"
std::string without(const std::string& text, const std::string& beginning) {
    return text.starts_with(beginning) ? text.substr(beginning.size()) : text;
}

template <class Value>
bool part_of(const ProgramProcess& process, const void* message, std::int32_t at, Value& value) {
    return process.copy_out(static_cast<const std::byte*>(message) + at, &value, sizeof value);
}

std::string table(const std::vector<Row>& rows) {
    std::vector<std::size_t> widths(rows.front().size());
    for (const Row& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::string text;
    for (const Row& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            line += row[i];
            if (i + 1 < row.size()) line.append(widths[i] - row[i].size() + 2, ' ');
        }
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

std::string both(std::size_t global, const std::optional<std::int32_t>& local) {
    return std::to_string(global) + "/" + (local ? std::to_string(*local) : "-");
}

}  // namespace

Task task_of(std::size_t rank, const ProgramProcess& process) {
    Task task{
        .rank = rank, .local = {}, .state = "running", .peer = {}, .tag = {}, .communicator = {}, .count = {}, .datatype = {}};
    const auto* in = static_cast<const lam_waits*>(process.program().variable("lam_waits_in"));
    if (in == nullptr || in->function == nullptr) return task;
    task.state = without(in->function, "MPI_");
    if (in->local_rank >= 0) task.local = in->local_rank;
    const bool collective = in->communicator != nullptr && in->collective != 0;
    if (collective) {
        task.state += "*";
        if (in->local_peer >= 0) task.peer = std::to_string(in->local_peer);
    } else if (in->peer >= 0) {
        task.peer =
            both(static_cast<std::size_t>(in->peer), in->local_peer >= 0 ? std::optional(in->local_peer) : std::nullopt);
    } else if (in->peer == -1) {
        task.peer = "ANY";
    }
    if (!collective && in->peer >= -1) task.tag = in->tag == -1 ? "ANY" : std::to_string(in->tag);
    if (in->communicator != nullptr) {
        task.communicator = without(name_at(process, in->communicator), "MPI_COMM_");
        if (task.communicator.empty()) task.communicator = "unnamed";
    }
    if (in->type == nullptr) return task;
    task.count = std::to_string(in->count);
    task.datatype = without(name_at(process, in->type), "MPI_");
    if (task.datatype.empty()) task.datatype = "derived";
    return task;
}

void add_messages(std::size_t rank, const ProgramProcess& process, std::vector<BufferedMessage>& messages) {
    const auto* where = static_cast<const lam_tables*>(process.program().variable("lam_tables"));
    if (where == nullptr) return;
    const void* at = nullptr;
    std::memcpy(&at, where->first_message, sizeof at);
    for (std::size_t number = 0; at != nullptr; ++number) {
        std::int32_t sender = 0, bytes = 0;
        std::uint32_t context = 0, signature = 0;
        BufferedMessage message{.to = rank, .datatype = "BYTE", .node = process.node(), .number = number};
        const void* next = nullptr;
        if (!part_of(process, at, where->sender, sender) || !part_of(process, at, where->tag, message.tag) ||
            !part_of(process, at, where->context, context) || !part_of(process, at, where->bytes, bytes) ||
            !part_of(process, at, where->signature, signature) || !part_of(process, at, where->next, next))
            return;  // the program has destroyed it
        const auto contexts = static_cast<std::uint32_t>(where->contexts);
        message.from = static_cast<std::size_t>(sender);
        message.communicator = context / contexts;
        message.collective = context % contexts != 0;
        message.count = bytes;
        constexpr std::uint32_t first_type = 0x3f;
        // lam_signature(): the first basic type below, a bit for each basic type above.
        const std::uint32_t type = signature & first_type;
        if (type != 0 && std::popcount(signature & ~first_type) <= 1 && type < static_cast<std::uint32_t>(where->basic_count)) {
            const lam_basic& basic = where->basics[type];
            if (basic.name != nullptr && basic.bytes > 0) {
                message.datatype = without(basic.name, "MPI_");
                message.count = bytes / basic.bytes;
            }
        }
        messages.push_back(std::move(message));
        at = next;
    }
}

std::string text_of(const std::vector<Task>& tasks) {
    std::vector<Row> rows = {{"TASK (G/L)", "FUNCTION", "PEER|ROOT", "TAG", "COMM", "COUNT", "DATATYPE"}};
    for (const Task& task : tasks)
        rows.push_back(
            {both(task.rank, task.local), task.state, task.peer, task.tag, task.communicator, task.count, task.datatype});
    return table(rows);
}

std::string text_of(const std::vector<BufferedMessage>& messages) {
    std::vector<Row> rows = {{"SRC (G/L)", "DEST (G/L)", "TAG", "COMM", "COUNT", "DATATYPE", "MSG"}};
    for (const BufferedMessage& its : messages) {
        const bool world = its.communicator == 0;
        const auto rank = [&](std::size_t global) {
            return both(global, world ? std::optional(static_cast<std::int32_t>(global)) : std::nullopt);
        };
        rows.push_back({rank(its.from), rank(its.to), its.collective ? "*" : std::to_string(its.tag),
                        world ? "WORLD" : "#" + std::to_string(its.communicator), std::to_string(its.count), its.datatype,
                        "n" + std::to_string(its.node.value()) + ",#" + std::to_string(its.number)});
    }
    return table(rows);
}

namespace {

nlohmann::ordered_json text_or_null(const std::string& text) {
    return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
}

}  // namespace

nlohmann::ordered_json json_of(const std::vector<Task>& tasks) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const Task& task : tasks)
        rows.push_back({{"rank", task.rank},
                        {"local", task.local ? nlohmann::ordered_json(*task.local) : nlohmann::ordered_json(nullptr)},
                        {"function", task.state},
                        {"peer", text_or_null(task.peer)},
                        {"tag", text_or_null(task.tag)},
                        {"communicator", text_or_null(task.communicator)},
                        {"count", text_or_null(task.count)},
                        {"datatype", text_or_null(task.datatype)}});
    return rows;
}

nlohmann::ordered_json json_of(const std::vector<BufferedMessage>& messages) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const BufferedMessage& its : messages)
        rows.push_back({{"from", its.from},
                        {"to", its.to},
                        {"tag", its.collective ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(its.tag)},
                        {"communicator", its.communicator},
                        {"count", its.count},
                        {"datatype", its.datatype},
                        {"node", "n" + std::to_string(its.node.value())},
                        {"number", its.number}});
    return rows;
}

}  // namespace mpi_runs
