#include "otf2_reading.hpp"

#ifdef MAGICWIRE_OTF2

#include <fmt/format.h>

#include <vocabulary/source_position.hpp>

namespace tmon_foreign::otf2 {
namespace {

constexpr std::uint64_t most_streams = 1U << 20;

Reading& of_definitions(void* data) {
    return *static_cast<Reading*>(data);
}

OTF2_CallbackCode on_clock(void* data, std::uint64_t resolution, std::uint64_t offset, std::uint64_t, std::uint64_t) {
    of_definitions(data).resolution = resolution > 0 ? resolution : 1;
    of_definitions(data).offset = offset;
    return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_string(void* data, OTF2_StringRef self, const char* text) {
    of_definitions(data).strings[self] = text;
    return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_location(void* data, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType, std::uint64_t events,
                              OTF2_LocationGroupRef) {
    Reading& reading = of_definitions(data);
    if (reading.locations.size() >= most_streams) return OTF2_CALLBACK_INTERRUPT;
    if (!reading.streams.emplace(self, static_cast<std::uint32_t>(reading.locations.size())).second)
        return OTF2_CALLBACK_SUCCESS;
    reading.locations.push_back(self);
    reading.told += events;
    const auto known = reading.strings.find(name);
    reading.trace.streams.push_back({known != reading.strings.end() ? known->second : fmt::format("location {}", self),
                                     tmon_order::StreamEnding::Finished});
    return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_region(void* data, OTF2_RegionRef self, OTF2_StringRef name, OTF2_StringRef, OTF2_StringRef,
                            OTF2_RegionRole, OTF2_Paradigm, OTF2_RegionFlag, OTF2_StringRef, std::uint32_t, std::uint32_t) {
    Reading& reading = of_definitions(data);
    const auto known = reading.strings.find(name);
    reading.region_names[self] = reading.name(known != reading.strings.end() ? known->second : fmt::format("region {}", self));
    return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_group(void* data, OTF2_GroupRef self, OTF2_StringRef, OTF2_GroupType type, OTF2_Paradigm paradigm,
                           OTF2_GroupFlag, std::uint32_t count, const std::uint64_t* members) {
    Reading::Group group{type, paradigm, {members, members + count}};
    // Some writers give another group the number of this one, so it is kept apart.
    if (type == OTF2_GROUP_TYPE_COMM_LOCATIONS) of_definitions(data).worlds[paradigm] = group.members;
    of_definitions(data).groups[self] = std::move(group);
    return OTF2_CALLBACK_SUCCESS;
}
OTF2_CallbackCode on_communicator(void* data, OTF2_CommRef self, OTF2_StringRef, OTF2_GroupRef group, OTF2_CommRef,
                                  OTF2_CommFlag) {
    of_definitions(data).communicators.emplace_back(self, group);
    return OTF2_CALLBACK_SUCCESS;
}

// Ranks of a group are places in the list of its paradigm's locations.
void resolve_communicators(Reading& reading) {
    for (const auto& [self, group_id] : reading.communicators) {
        const auto group = reading.groups.find(group_id);
        if (group == reading.groups.end()) continue;
        const auto ranks = reading.worlds.find(group->second.paradigm);
        const std::vector<std::uint64_t>* world = ranks != reading.worlds.end() ? &ranks->second : nullptr;
        std::vector<std::uint32_t> members;
        for (const std::uint64_t member : group->second.members) {
            const bool indirect = group->second.type == OTF2_GROUP_TYPE_COMM_GROUP;
            const bool known = !indirect || (world != nullptr && member < world->size());
            const auto stream = known ? reading.streams.find(indirect ? (*world)[member] : member) : reading.streams.end();
            members.push_back(stream != reading.streams.end() ? stream->second : none);
        }
        reading.ends.communicator(self, std::move(members));
    }
}

}  // namespace

void refuse(const std::string& file, const Reading& reading, const std::string& what) {
    throw vocabulary::InputError({file, 0, 0}, what + (reading.why.empty() ? "" : " (" + reading.why + ")") +
                                                   "; give the anchor file of a whole OTF2 archive");
}

void read_definitions(OTF2_Reader* reader, Reading& reading, const std::string& file) {
    OTF2_GlobalDefReader* definitions = OTF2_Reader_GetGlobalDefReader(reader);
    if (definitions == nullptr) refuse(file, reading, "its definitions cannot be read");
    OTF2_GlobalDefReaderCallbacks* calls = OTF2_GlobalDefReaderCallbacks_New();
    OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(
        calls, [](void* data, std::uint64_t resolution, std::uint64_t offset, std::uint64_t length, std::uint64_t real) {
            return on_clock(data, resolution, offset, length, real);
        });
    OTF2_GlobalDefReaderCallbacks_SetStringCallback(calls, on_string);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(calls, on_location);
    OTF2_GlobalDefReaderCallbacks_SetRegionCallback(calls, on_region);
    OTF2_GlobalDefReaderCallbacks_SetGroupCallback(calls, on_group);
    OTF2_GlobalDefReaderCallbacks_SetCommCallback(calls, on_communicator);
    OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, calls, &reading);
    OTF2_GlobalDefReaderCallbacks_Delete(calls);
    std::uint64_t read = 0;
    if (OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &read) != OTF2_SUCCESS)
        refuse(file, reading, "its definitions are damaged");
    OTF2_Reader_CloseGlobalDefReader(reader, definitions);
    if (reading.locations.empty()) refuse(file, reading, "it defines no location");
    resolve_communicators(reading);
}

}  // namespace tmon_foreign::otf2

#endif
