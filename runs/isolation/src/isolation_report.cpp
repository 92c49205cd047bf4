#include <isolation/isolation_report.hpp>

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <xxhash.h>
#include <nlohmann/json.hpp>

#include <tmon_detrek/fault_list.hpp>

#include "replay.hpp"

namespace isolation {
namespace {

using nlohmann::ordered_json;

bool is_worker(UserProcess process) {
    return process == UserProcess::Compute || process == UserProcess::Split || process == UserProcess::Join;
}

std::string what_text(const Isolated& call, const farm_spec::FarmSpec& spec) {
    if (call.process == UserProcess::Generate) return fmt::format("data_generator() on n0 up to task {}", call.task);
    if (call.process == UserProcess::PostProcess)
        return fmt::format("result_receiver() on n0 up to the result of task {}", call.task);
    return fmt::format("{} of {} on n{}", name_of(call.process), act_text({call.task, call.subtask}, spec), call.node);
}

std::string bytes_text(const std::vector<Bytes>& messages, const char* one, const char* several) {
    if (messages.empty()) return "none";
    std::size_t bytes = 0;
    for (const Bytes& message : messages) bytes += message.size();
    const std::string count = messages.size() == 1 ? one : fmt::format("{} {}", messages.size(), several);
    return fmt::format("{}{}{} bytes, xxh3 {}", count, count.empty() ? "" : ", ", bytes, digest(messages));
}

std::string ended_by(const Isolated& call) {
    for (const auto& diagnosis : call.diagnoses.all())
        if (!diagnosis.outcome.empty()) return user_programs::text_of(diagnosis);
    return "it ended its process";
}

std::string end_text(const Isolated& call) {
    const bool no_result = call.process != UserProcess::PostProcess && call.output.empty();
    switch (call.end) {
        case End::Returned:
            return no_result ? "it returned and made no result" : "it returned";
        case End::MadeTask:
            return "it made the task; the rest of it was left out";
        case End::AsksForMore:
            return fmt::format("it asks for result {}, and the records show no more; the rest of it was left out",
                               call.taken + 1);
        case End::AsksForOther:
            return "it took the result and asks for the next one; the rest of it was left out";
        case End::Stopped:
            return ended_by(call);
        case End::Endless:
            return "it computes without end: given up (--limit)";
        case End::NotMade:
            return "it returned, and did not make the task";
    }
    return {};
}

std::string claim_text(const char* label, const Claim& claim, const char* what) {
    std::string text = fmt::format("  {:<12} {}: {}\n", label, certainty_name(claim.certainty), what);
    for (const std::string& each : claim.contradictions) text += fmt::format("    - {}\n", each);
    for (const std::string& each : claim.depends_on) text += fmt::format("    - {}\n", each);
    return text;
}

std::string hexdump(const Bytes& bytes) {
    constexpr std::size_t width = 16;
    std::string text;
    for (std::size_t at = 0; at < bytes.size(); at += width) {
        std::string hex, letters;
        for (std::size_t i = at; i < std::min(at + width, bytes.size()); ++i) {
            const auto value = static_cast<unsigned char>(bytes[i]);
            hex += fmt::format("{:02x} ", value);
            letters += std::isprint(value) != 0 ? static_cast<char>(value) : '.';
        }
        text += fmt::format("    {:06x}  {:<48} {}\n", at, hex, letters);
    }
    return text;
}

std::string dump_text(const char* label, const std::vector<Bytes>& messages) {
    std::string text;
    for (std::size_t i = 0; i < messages.size(); ++i) {
        text += messages.size() == 1 ? fmt::format("\n{}:\n", label) : fmt::format("\n{} {}:\n", label, i);
        text += hexdump(messages[i]);
    }
    return text;
}

std::string earlier_text(const Isolated& call, const farm_spec::FarmSpec& spec) {
    constexpr std::size_t most = 8;
    if (call.earlier.empty()) return "no call of the same process came before it";
    std::string text = fmt::format("{} {} of the same process {} done first: ", call.earlier.size(),
                                   call.earlier.size() == 1 ? "call" : "calls", call.earlier.size() == 1 ? "was" : "were");
    for (std::size_t i = 0; i < std::min(most, call.earlier.size()); ++i)
        text += (i > 0 ? ", " : "") + act_text(call.earlier[i], spec);
    return text + (call.earlier.size() > most ? ", ..." : "");
}

ordered_json claim_json(const Claim& claim) {
    return {{"certainty", certainty_name(claim.certainty)},
            {"depends_on", claim.depends_on},
            {"contradictions", claim.contradictions}};
}

ordered_json messages_json(const std::vector<Bytes>& messages, bool dump) {
    auto list = ordered_json::array();
    for (const Bytes& message : messages) {
        ordered_json line = {{"bytes", message.size()}, {"xxh3", digest({message})}};
        if (dump) {
            std::string hex;
            for (const std::byte byte : message) hex += fmt::format("{:02x}", static_cast<unsigned>(byte));
            line["content"] = hex;
        }
        list.push_back(std::move(line));
    }
    return list;
}

ordered_json diagnoses_json(const Isolated& call) {
    auto list = ordered_json::array();
    for (const auto& diagnosis : call.diagnoses.all())
        list.push_back({{"problem", user_programs::problem_name(diagnosis.problem)},
                        {"where", diagnosis.where},
                        {"text", user_programs::text_of(diagnosis)}});
    return list;
}

}  // namespace

std::string digest(const std::vector<Bytes>& messages) {
    std::string all;
    for (const Bytes& message : messages) {
        for (unsigned shift = 0; messages.size() > 1 && shift < 32; shift += 8)
            all += static_cast<char>(message.size() >> shift & 0xFFU);
        all.append(reinterpret_cast<const char*>(message.data()), message.size());
    }
    return fmt::format("{:016x}", XXH3_64bits(all.data(), all.size()));
}

std::string outcome_text(const Isolated& call) {
    return end_text(call) + (call.output.empty() ? "" : "; " + bytes_text(call.output, "", "messages"));
}

std::string isolated_text(const Isolated& call, const farm_spec::FarmSpec& spec, const View& view) {
    std::string text = what_text(call, spec) + ", without the machine\n";
    if (view.with_earlier) {
        text += fmt::format("  {:<12} left out; {}\n", "earlier",
                            *view.with_earlier == outcome_text(call) ? "with them the outcome is the same"
                                                                     : "with them the outcome differs: " + *view.with_earlier);
    } else if (is_worker(call.process)) {
        text += fmt::format("  {:<12} {}\n", "earlier", earlier_text(call, spec));
    }
    if (call.process != UserProcess::Generate) {
        text += fmt::format("  {:<12} {}\n", "input",
                            bytes_text(call.input, "", call.process == UserProcess::Join ? "parts" : "results"));
        text += claim_text("of the run", call.input_claim, "the function was given these bytes");
    }
    text += claim_text("process", call.state_claim, "it had the same globals in the run, and reads the same");
    if (call.process == UserProcess::PostProcess) text += fmt::format("  {:<12} {} results\n", "taken", call.taken);
    if (!call.printed.empty()) text += fmt::format("  {:<12} {}", "printed", call.printed);
    if (!call.printed.empty() && call.printed.back() != '\n') text += '\n';
    if (call.process != UserProcess::PostProcess)
        text += fmt::format("  {:<12} {}\n", "output", bytes_text(call.output, "", "parts"));
    for (const auto& diagnosis : call.diagnoses.all())
        if (diagnosis.outcome.empty()) text += fmt::format("  {:<12} {}\n", "program", user_programs::text_of(diagnosis));
    text += fmt::format("  {:<12} {}\n", "end", end_text(call));
    if (view.dump) text += dump_text("input", call.input) + dump_text("output", call.output);
    return text;
}

ordered_json isolated_json(const Isolated& call, const farm_spec::FarmSpec& spec, const View& view) {
    auto earlier = ordered_json::array();
    for (const Act& act : call.earlier)
        earlier.push_back({{"task", act.task}, {"subtask", tmon_detrek::subtask_text(act.subtask, spec)}});
    ordered_json json = {{"schema", "magicwire.isolate/1"},
                         {"process", name_of(call.process)},
                         {"task", call.task},
                         {"subtask", tmon_detrek::subtask_text(call.subtask, spec)},
                         {"node", call.node},
                         {"earlier", std::move(earlier)},
                         {"input", messages_json(call.input, view.dump)},
                         {"input_xxh3", digest(call.input)},
                         {"input_as_in_the_run", claim_json(call.input_claim)},
                         {"state_as_in_the_run", claim_json(call.state_claim)},
                         {"taken", call.taken},
                         {"printed", call.printed},
                         {"output", messages_json(call.output, view.dump)},
                         {"end", end_name(call.end)},
                         {"end_text", end_text(call)},
                         {"diagnoses", diagnoses_json(call)}};
    if (view.with_earlier)
        json["without_earlier"] = {{"same", *view.with_earlier == outcome_text(call)}, {"with_earlier", *view.with_earlier}};
    return json;
}

}  // namespace isolation
