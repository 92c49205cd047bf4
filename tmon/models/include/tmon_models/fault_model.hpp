// FaultModel: a virtual machine as the analyser sees it, read from a strict YAML file (docs/formats/fault_model.md). It says
// which messages there are, which places of the machine send and receive them, in which order, and in whose charge each step
// is. A place is one unit of work on one node. It is complete when all its steps are done (thesis, Lin 1993, sections 4.2
// and 4.3). Three models are built in: pfvm, dcvm and halo.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <farm_spec/farm_spec.hpp>

namespace tmon_models {

// Over a link of the tree. Both: a message of this name goes up and another goes down.
enum class Way : std::uint8_t { Down, Up, Both };

struct Message {
    std::string name;
    Way way = Way::Down;
    bool synchronous = false;  // a send ends only when the message has been received
    std::string label;         // what is blamed when it was sent and not received

    friend bool operator==(const Message&, const Message&) = default;
};

// The other end of a transfer, as seen from the node of the place.
enum class Peer : std::uint8_t { Parent, OneChild, ThatChild, EachChild, EachNeighbour };

struct Step {
    enum class What : std::uint8_t { Send, Receive, Compute, Either };
    What what = What::Compute;
    std::string by;           // the process in charge; empty: none, so the message itself is blamed
    std::size_t message = 0;  // index; of a send or receive
    Peer peer = Peer::Parent;
    bool each_part = false;                 // one transfer for each part of a divided unit
    std::vector<std::vector<Step>> either;  // one of these
};

enum class At : std::uint8_t { Root, Worker, Inner, Leaf, EveryNode };
enum class For : std::uint8_t { First, Last, Each };  // which units of work

struct Place {
    At at = At::EveryNode;
    For units = For::Each;
    std::vector<Step> steps;
};

struct FaultModel {
    std::string name;
    std::string unit = "task";  // word for what a record's task number counts
    bool one_by_one = false;    // a node completes one place before it begins the next
    std::vector<Message> messages;
    std::vector<Place> places;         // the first that fits counts
    std::vector<std::string> assumes;  // sentences that every verdict rests on

    // True when the specification alone says who sends what to whom: no choice of a child, no alternative.
    bool is_fixed() const;
};

// All throw vocabulary::InputError with file, line and column.
FaultModel parse_fault_model(const std::string& text, const std::string& file_name);
FaultModel read_fault_model(const std::string& path);

std::vector<std::string> built_in_names();
// Throws vocabulary::RequestError for a name that is not built in.
const FaultModel& built_in(const std::string& name);
// The built-in model of a specification: the one that it names, else pfvm or dcvm by its degree.
const FaultModel& model_of(const farm_spec::FarmSpec& spec);

}  // namespace tmon_models
