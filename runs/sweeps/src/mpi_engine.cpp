#include <sweeps/mpi_engine.hpp>

#include <algorithm>

#include <sweeps/point_lists.hpp>

namespace sweeps {
namespace {

// A text is a word, a space, and what belongs to it.
constexpr const char* begin_word = "begin";    // the study's fingerprint; to the others
constexpr const char* points_word = "points";  // a list of points
constexpr const char* over_word = "over";      // no more points
constexpr const char* more_word = "more";      // the number of points that have ended since the last one; to rank 0
constexpr const char* closed_word = "closed";  // likewise; the part is complete

std::pair<std::string, std::string> split(const std::string& text) {
    const std::size_t space = std::min(text.find(' '), text.size());
    return {text.substr(0, space), text.substr(std::min(space + 1, text.size()))};
}

}  // namespace

void HandOut::nothing(Ranks& ranks) {
    for (std::size_t rank = 1; rank < ranks.size(); ++rank) ranks.send(rank, over_word);
}

void HandOut::run(Ranks& ranks, const std::string& fingerprint, const std::vector<std::size_t>& points) const {
    constexpr int look_ms = 100;
    const std::size_t workers = ranks.size() - 1;
    for (std::size_t rank = 1; rank <= workers; ++rank) ranks.send(rank, std::string(begin_word) + ' ' + fingerprint);
    std::size_t next = 0, ended = 0;
    for (std::size_t closed = 0; closed < workers;) {
        const bool more = go_on(ended);
        const auto got = ranks.receive(look_ms);
        if (!more && !got) return;  // interrupted: the others hear of it, too, and what they have is in their files
        if (!got) continue;
        const auto [word, rest] = split(got->second);
        ended += std::stoul(rest);
        if (word == closed_word) ++closed;
        if (word != more_word) continue;
        const std::size_t left = more ? points.size() - next : 0;
        const std::size_t count = std::min({left, most, left / (2 * workers) + 1});
        if (count == 0) {
            ranks.send(got->first, over_word);
            continue;
        }
        const auto first = points.begin() + static_cast<std::ptrdiff_t>(next);
        ranks.send(got->first, std::string(points_word) + ' ' +
                                   list_text(std::vector<std::size_t>(first, first + static_cast<std::ptrdiff_t>(count))));
        next += count;
    }
}

std::optional<std::string> RankSource::begin() {
    const auto [word, rest] = split(ranks_.receive(-1)->second);
    over_ = word == over_word;
    return over_ ? std::nullopt : std::optional(rest);
}

std::optional<std::size_t> RankSource::next() {
    listen(0);
    if (!over_ && !asked_ && points_.size() <= at_once_) ask();
    if (points_.empty()) return std::nullopt;
    const std::size_t point = points_.front();
    points_.pop_front();
    return point;
}

void RankSource::listen(int most_ms) {
    while (const auto got = ranks_.receive(most_ms)) {
        const auto [word, rest] = split(got->second);
        asked_ = false;
        if (word == over_word) over_ = true;
        if (word == points_word)
            for (const std::size_t point : points_of_list(rest)) points_.push_back(point);
    }
}

void RankSource::ask() {
    ranks_.send(0, std::string(more_word) + ' ' + std::to_string(ended_));
    ended_ = 0;
    asked_ = true;
}

void RankSource::close() {
    ranks_.send(0, std::string(closed_word) + ' ' + std::to_string(ended_));
}

}  // namespace sweeps
