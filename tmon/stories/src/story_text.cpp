#include <algorithm>

#include <fmt/format.h>

#include <tmon_stories/story_report.hpp>

#include "story_words.hpp"

namespace tmon_stories {
namespace {

struct Line {
    std::string label, sent, received, remark;
};

class StoryTable {
public:
    StoryTable(const Stories& stories, const TaskStory& story) : stories_(stories), story_(story) {}

    std::string run() {
        for (std::size_t i = 0; i < story_.parts.size(); ++i)
            if (!story_.parts[i].above) put_part(i, 0);
        std::size_t label = 0, sent = 0, received = 0;
        for (const Line& line : lines_) {
            if (line.sent.empty() && line.received.empty()) continue;
            label = std::max(label, line.label.size());
            sent = std::max(sent, line.sent.size());
            received = std::max(received, line.received.size());
        }
        std::string text;
        for (const Line& line : lines_) {
            std::string row = line.sent.empty() && line.received.empty()
                                  ? line.label
                                  : fmt::format("{:<{}}  {:<{}}  {:<{}}  {}", line.label, label, line.sent, sent, line.received,
                                                received, line.remark);
            row.erase(row.find_last_not_of(' ') + 1);
            text += row + "\n";
        }
        return text;
    }

private:
    void put_part(std::size_t i, std::size_t depth) {
        const Part& part = story_.parts[i];
        for (const Move& move : part.moves)
            if (move.cargo != Cargo::Result) put(move, depth);
        if (part.moves.empty()) note(depth, fmt::format("n{} -> n{}  no record tells of this step", part.parent, part.worker));
        const bool divides = stories_.spec().divides();
        if (!part.below.empty() && divides) note(depth + 1, fmt::format("split on n{}", part.worker));
        for (const std::size_t below : part.below) put_part(below, depth + (divides ? 2 : 1));
        for (const Stop& stop : story_.stops)
            if (stop.part == i && stop.place.where == Where::On) note(depth + 1, "* " + here(stop));
        const bool up = part.has(tmon_detrek::EventGraphs::result_sent);
        if (up && divides) note(depth + 1, fmt::format("{} on n{}", part.below.empty() ? "computed" : "joined", part.worker));
        for (const Move& move : part.moves)
            if (move.cargo == Cargo::Result) put(move, depth);
    }
    std::string here(const Stop& stop) const {
        Place shown;
        shown.node = stop.place.node;
        return fmt::format("{}{}", name_of(stop.subtask), place_text(stories_, shown, stop.kind));
    }
    std::string name_of(SubTaskId subtask) const {
        return stories_.spec().divides() ? tmon_detrek::subtask_text(subtask, stories_.spec()) + " " : "";
    }

    void put(const Move& move, std::size_t depth) {
        Line line;
        line.label = fmt::format("{:{}}n{} -> n{}  {}{}", "", 2 * depth, move.from, move.to, name_of(move.subtask), word(move));
        line.sent = "sent " + end_text(move.sent, move.from);
        line.received = "taken " + end_text(move.received, move.to);
        if (move.guessed) line.remark = "these may be two messages";
        lines_.push_back(std::move(line));
    }
    static const char* word(const Move& move) {
        if (move.cargo == Cargo::GivenBack) return "given back";
        return move.cargo == Cargo::Result ? "result" : move.again ? "task again" : "task";
    }
    std::string end_text(const std::optional<RecordId>& end, std::uint16_t node) const {
        if (end) return fmt::format("{:>9} us  {:<9}", end->time_us, record_text(*end));
        const tmon_streams::Stream& stream = stories_.trace().streams[node];
        if (!stream.losses.empty()) return fmt::format("{:>9}     lost?", "-");
        return fmt::format("{:>9}     {}", "-", stream.state == tmon_streams::StreamState::Open ? "silent" : "none");
    }
    void note(std::size_t depth, const std::string& text) {
        lines_.push_back({std::string(2 * depth, ' ') + text, "", "", ""});
    }

    const Stories& stories_;
    const TaskStory& story_;
    std::vector<Line> lines_;
};

std::string head(const Stories& stories, const TaskStory& story) {
    std::string what = what_text(stories, story.task, 0, 0);
    what[0] = 'T';
    if (story.finished && story.finished_by)
        return fmt::format("{}: finished. n0 took the result at {} us ({}).", what, story.finished_by->time_us,
                           record_text(*story.finished_by));
    if (story.finished) return what + ": finished. The final report counts every result.";
    if (story.parts.empty()) return what + ": no record tells of it.";
    return what + ": not finished.";
}

std::string now_text(const Stories& stories, const TaskStory& story) {
    if (story.stops.empty()) return "";
    std::string text = story.certainty == Certainty::Certain ? "\nNow:\n" : "\nNow, as far as the records reach:\n";
    for (const Stop& stop : story.stops) {
        std::string line = fmt::format("  {:<8} ", certainty_name(stop.place.certainty));
        if (stories.spec().divides()) line += tmon_detrek::subtask_text(stop.subtask, stories.spec()) + " ";
        line += place_text(stories, stop.place, stop.kind);
        if (stop.place.within && stop.place.certainty != Certainty::Certain)
            line += *stop.place.within == 0
                        ? "; certainly in the farm"
                        : fmt::format("; certainly on n{}, on its link upwards, or below", *stop.place.within);
        if (!stop.place.rests_on.empty()) line += fmt::format(" [{}]", records_text(stop.place.rests_on));
        text += folded(line, 13);
        for (const std::string& doubt : stop.place.depends_on)
            if (std::find(story.doubts.begin(), story.doubts.end(), doubt) == story.doubts.end())
                text += folded(std::string(11, ' ') + "- " + doubt, 13);
    }
    for (const std::string& doubt : story.doubts) text += folded("  - " + doubt, 4);
    return text;
}

std::string awaits_text(const Stories& stories, const WaitLink& link) {
    constexpr std::size_t most = 4;
    std::vector<std::string> list;
    for (std::size_t i = 0; i < std::min(most, link.awaits.size()); ++i) {
        const Awaited& each = link.awaits[i];
        const bool part = link.wait == Wait::ForParts;
        list.push_back(part ? fmt::format("{} with n{}", tmon_detrek::subtask_text(each.subtask, stories.spec()), each.node)
                            : fmt::format("n{} has {}", each.node, what_text(stories, each.task, each.subtask, each.node)));
    }
    if (link.awaits.size() > most) list.push_back(fmt::format("and {} more", link.awaits.size() - most));
    return joined(list, ", ");
}

std::string root_text(const WaitChain& chain, const WaitLink& link, const std::string& what, const std::string& place) {
    if (chain.root_is_the_verdicts && link.process == tmon_detrek::process_name(Process::ResultReceiver))
        return "result_receiver() on n0 ended, or does not go on";
    if (chain.root_is_the_verdicts)
        return fmt::format("{} is {}. It stopped there{} {}{}", what, place, chain.root_in_process ? " in" : ":", link.process,
                           chain.root_in_process ? "" : ", or before or behind that");
    return fmt::format("{} is {}, and no record tells what it waits for", what, place);
}

std::string link_text(const Stories& stories, const WaitChain& chain, const WaitLink& link) {
    const std::string what = what_text(stories, link.task, link.subtask, link.node);
    const std::string place = place_text(stories, link.place, link.kind);
    const std::string awaits = awaits_text(stories, link);
    switch (link.wait) {
        case Wait::ForParts:
            return fmt::format("{} is {} and waits for its parts: {}", what, place, awaits);
        case Wait::ForRoom:
            return fmt::format("{} is {}, which has others: {}", what, place, awaits);
        case Wait::ForChild:
            return fmt::format("{} is {}; it waits until a node below can take it: {}", what, place, awaits);
        case Wait::ForComputation:
            return fmt::format("{} is {}, and waits behind others: {}", what, place, awaits);
        case Wait::ForParent:
            return fmt::format("{} is {}, behind other results: {}", what, place, awaits);
        case Wait::ForSending: {
            const bool behind = !link.awaits.empty() && link.awaits.front().node == 0;
            return behind ? fmt::format("{} is {}; {} comes first", what, place,
                                        what_text(stories, link.awaits.front().task, 0, 0))
                          : fmt::format("{} is {}; it waits until a node below has room: {}", what, place, awaits);
        }
        case Wait::ForReceiver:
            return fmt::format("{} is {}, and result_receiver() takes no more results", what, place);
        case Wait::Root:
            break;
    }
    return root_text(chain, link, what, place);
}

}  // namespace

std::string story_text(const Stories& stories, const TaskStory& story) {
    std::string text = head(stories, story) + "\n";
    if (!story.parts.empty())
        text += "Each time is by the clock of the node that recorded it.\n\n" + StoryTable(stories, story).run();
    if (text.find("lost?") != std::string::npos)
        text += "\nlost?: the record is missing, and a known loss of that node may be the reason.\n";
    if (text.find(" silent\n") != std::string::npos)
        text += "\nsilent: the node gave no end mark, so its last records may be missing.\n";
    if (!story.contradictory.empty())
        text += folded(fmt::format("\nRecords that fit no part of it: {}", records_text(story.contradictory)), 2);
    return text + now_text(stories, story);
}

std::string chain_text(const Stories& stories, const WaitChain& chain) {
    std::string what = what_text(stories, chain.task, 0, 0);
    what[0] = 'T';
    if (chain.finished) {
        return chain.finished_by ? fmt::format("{}: finished. n0 took the result at {} us ({}). It waits for nothing.\n", what,
                                               chain.finished_by->time_us, record_text(*chain.finished_by))
                                 : what + ": finished. The final report counts every result. It waits for nothing.\n";
    }
    std::string text =
        fmt::format("{} waits{}:\n", what, chain.certainty == Certainty::Certain ? "" : ", as far as the records reach");
    std::size_t number = 0;
    for (const WaitLink& link : chain.links) {
        std::string line =
            fmt::format("{:>3}  {:<8} {}", ++number, certainty_name(link.certainty), link_text(stories, chain, link));
        if (!link.place.rests_on.empty()) line += fmt::format(" [{}]", records_text(link.place.rests_on));
        text += folded(line, 14);
        for (const std::string& doubt : link.place.depends_on) text += folded(std::string(14, ' ') + "- " + doubt, 16);
    }
    return text + "\n" + folded(chain.verdict, 0);
}

}  // namespace tmon_stories
