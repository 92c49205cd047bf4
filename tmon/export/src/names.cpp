#include <algorithm>
#include <cstdint>
#include <map>

#include <vocabulary/nearest_name.hpp>
#include <vocabulary/source_position.hpp>

#include "exporter.hpp"

namespace tmon_export {

const std::vector<std::string>& format_names() {
    static const std::vector<std::string> names = {"perfetto", "sqlite", "csv", "picl", "picl-old", "vcd", "ctf"};
    return names;
}

Format format_of(const std::string& name) {
    const auto& names = format_names();
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) return static_cast<Format>(found - names.begin());
    std::string all;
    for (const std::string& each : names) all += (all.empty() ? "" : ", ") + each;
    throw vocabulary::InputError({"--to " + name, 0, 0},
                                 "no such format" + vocabulary::did_you_mean(name, names) + "; there are " + all);
}

bool is_text(Format format) {
    return format != Format::Perfetto && format != Format::Sqlite && format != Format::Ctf;
}

std::string event_name(std::int32_t number) {
    constexpr std::int32_t system = INT32_MIN, links = 4, first_link = system + 19, first_worker = first_link + 100;
    static const std::map<std::int32_t, const char*> names = {
        {system + 3, "router"},  {system + 4, "boot"},   {system + 7, "filed"},    {system + 8, "loadd"},
        {system + 10, "kenyad"}, {system + 12, "echod"}, {system + 13, "bufferd"}, {system + 14, "flatd"},
        {-91009, "nodemon"},     {-91010, "hostmon"},    {-91011, "monmaster"}};
    if (number >= first_link && number < first_link + links) return "link " + std::to_string(number - first_link);
    if (number >= first_worker && number < first_worker + links)
        return "buffers of link " + std::to_string(number - first_worker);
    const auto found = names.find(number);
    if (found != names.end()) return found->second;
    const bool is_reply = number < 0 && number >= -UINT16_MAX;  // to the process whose number it is
    return is_reply ? "reply to process " + std::to_string(-number) : "event " + std::to_string(number);
}

std::string alone_text(const ExportResult& result) {
    return std::to_string(result.unmatched) + " sends and receives were not joined";
}

}  // namespace tmon_export
