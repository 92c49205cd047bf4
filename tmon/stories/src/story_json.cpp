#include <nlohmann/json.hpp>

#include <tmon_stories/story_report.hpp>

#include "story_words.hpp"

namespace tmon_stories {
namespace {

using Json = nlohmann::ordered_json;

Json record_json(const std::optional<RecordId>& record) {
    if (!record) return nullptr;
    return {{"record", record_text(*record)}, {"time_us", record->time_us}};
}
Json records_json(const std::vector<RecordId>& records) {
    Json list = Json::array();
    for (const RecordId& record : records) list.push_back(record_text(record));
    return list;
}
std::string subtask(const Stories& stories, SubTaskId number) {
    return tmon_detrek::subtask_text(number, stories.spec());
}

Json place_json(const Place& place) {
    return {{"certainty", certainty_name(place.certainty)},
            {"where", where_name(place.where)},
            {"node", place.node},
            {"from", place.where == Where::OnTheWay ? Json(place.from) : Json(nullptr)},
            {"within", place.within ? Json(*place.within) : Json(nullptr)},
            {"silent", place.silent},
            {"records", records_json(place.rests_on)},
            {"depends_on", place.depends_on}};
}

Json part_json(const Stories& stories, const Part& part) {
    Json moves = Json::array();
    for (const Move& move : part.moves) {
        moves.push_back({{"what", cargo_name(move.cargo)},
                         {"from", move.from},
                         {"to", move.to},
                         {"sent", record_json(move.sent)},
                         {"received", record_json(move.received)},
                         {"again", move.again},
                         {"guessed", move.guessed}});
    }
    return {{"subtask", subtask(stories, part.subtask)},
            {"node", part.worker},
            {"above", part.above ? Json(*part.above) : Json(nullptr)},
            {"moves", std::move(moves)}};
}

Json head_json(const char* schema, const Stories& stories, std::uint32_t task, std::uint32_t last) {
    Json json = {{"schema", schema}, {"task", task}};
    if (stories.spec().granularity > 1) json["last_task"] = last;
    return json;
}

}  // namespace

Json story_json(const Stories& stories, const TaskStory& story) {
    Json json = head_json("magicwire.story/1", stories, story.task, story.last);
    json["finished"] = story.finished;
    json["finished_by"] = record_json(story.finished_by);
    json["certainty"] = certainty_name(story.certainty);
    json["told_in_part"] = story.told_in_part;
    json["parts"] = Json::array();
    for (const Part& part : story.parts) json["parts"].push_back(part_json(stories, part));
    json["now"] = Json::array();
    for (const Stop& stop : story.stops) {
        Json one = {{"part", story.parts.empty() ? Json(nullptr) : Json(stop.part)},
                    {"subtask", subtask(stories, stop.subtask)},
                    {"kind", std::string(tmon_detrek::stop_kind_name(stop.kind))},
                    {"process", std::string(tmon_detrek::process_name(stop.process))}};
        one.update(place_json(stop.place));
        json["now"].push_back(std::move(one));
    }
    json["contradictory"] = records_json(story.contradictory);
    json["doubts"] = story.doubts;
    return json;
}

Json chain_json(const Stories& stories, const WaitChain& chain) {
    Json json = head_json("magicwire.why/1", stories, chain.task, chain.last);
    json["finished"] = chain.finished;
    json["finished_by"] = record_json(chain.finished_by);
    json["certainty"] = certainty_name(chain.certainty);
    json["links"] = Json::array();
    for (const WaitLink& link : chain.links) {
        Json awaits = Json::array();
        for (const Awaited& each : link.awaits)
            awaits.push_back({{"task", each.task}, {"subtask", subtask(stories, each.subtask)}, {"node", each.node}});
        json["links"].push_back({{"task", link.task},
                                 {"subtask", subtask(stories, link.subtask)},
                                 {"node", link.node},
                                 {"kind", std::string(tmon_detrek::stop_kind_name(link.kind))},
                                 {"process", link.process},
                                 {"wait", wait_name(link.wait)},
                                 {"certainty", certainty_name(link.certainty)},
                                 {"place", place_json(link.place)},
                                 {"awaits", std::move(awaits)}});
    }
    json["root_is_the_verdicts"] = chain.root_is_the_verdicts;
    json["verdict"] = chain.verdict;
    return json;
}

}  // namespace tmon_stories
