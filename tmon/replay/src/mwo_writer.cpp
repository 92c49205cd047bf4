#include <tmon_replay/mwo_file.hpp>

#include <cerrno>
#include <cstring>

#include <text/output_file.hpp>
#include <vocabulary/errors.hpp>

#include "mwo_text.hpp"

namespace tmon_replay {

std::string mwo_text(const DeliveryOrder& order) {
    std::string text = header_text(order.run);
    for (std::size_t rank = 0; rank < order.ranks.size(); ++rank) {
        const RankOrder& its = order.ranks[rank];
        for (const CallOutcome& one : in_order(its.outcomes, !order.whole())) text += outcome_text(rank, one);
        if (its.ended) {
            text += counters_text(rank, ended_word, *its.ended);
        } else {
            text += counters_text(rank, known_word, its.known);
        }
    }
    if (order.whole()) text += "end " + order.end + '\n';
    return text;
}

MwoWriter::MwoWriter(const std::string& path, const RunIdentity& run) : path_(path), file_(std::fopen(path.c_str(), "w")) {
    if (!file_) vocabulary::throw_file_error(path_, errno, std::string("it cannot be written: ") + std::strerror(errno));
    put(header_text(run));
}

void MwoWriter::put(const std::string& lines) {
    if (lines.empty()) return;
    if (std::fwrite(lines.data(), 1, lines.size(), file_.get()) != lines.size() || std::fflush(file_.get()) != 0)
        vocabulary::throw_file_error(path_, errno, std::string("it cannot be written: ") + std::strerror(errno));
}

void MwoWriter::add(std::size_t rank, const std::vector<CallOutcome>& outcomes) {
    std::string lines;
    for (const CallOutcome& one : outcomes) lines += outcome_text(rank, one);
    put(lines);
}
void MwoWriter::clock(std::size_t rank, const std::vector<std::int32_t>& clock) {
    put(clock_text(rank, clock));
}
void MwoWriter::known(std::size_t rank, const Counters& counters) {
    put(counters_text(rank, known_word, counters));
}
void MwoWriter::ended(std::size_t rank, const Counters& counters) {
    put(counters_text(rank, ended_word, counters));
}

void MwoWriter::finish(const std::string& end) {
    put("end " + end + '\n');
    text::write_text_file(path_, mwo_text(read_mwo(path_)), text::Replace::Yes);
}

}  // namespace tmon_replay
