// A YAML document as a tree of plain values with their places, read through the events of yaml-cpp. Unlike yaml-cpp's own tree,
// the events show anchors, aliases, tags and keys written twice, so that strict_yaml.hpp can refuse them.
#pragma once

#include <string>
#include <vector>

#include <vocabulary/source_position.hpp>

namespace topologies {

struct YamlEntry;

struct YamlNode {
    enum class Kind { Empty, Text, List, Map };
    Kind kind = Kind::Empty;
    int line = 0;         // from 1
    int column = 0;       // from 1
    bool quoted = false;  // the text begins one column further right
    std::string text;
    std::vector<YamlNode> items;     // List
    std::vector<YamlEntry> entries;  // Map: in file order, each key once
};

struct YamlEntry {
    YamlNode key;  // Text
    YamlNode value;
};

struct YamlDocument {
    std::string file;
    YamlNode root;
};

// Throws vocabulary::InputError for text that is not exactly one document of the accepted subset.
YamlDocument parse_yaml_tree(const std::string& text, const std::string& file_name);

}  // namespace topologies
