#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include <topologies/shapes.hpp>
#include <vocabulary/nearest_name.hpp>
#include <vocabulary/source_position.hpp>

namespace topologies {
namespace {

using Numbers = std::vector<std::size_t>;
using Options = NetworkOptions;

constexpr std::size_t usual_seed = 1;

}  // namespace

// The rows of a table, which clang-format would take apart.
// clang-format off
const std::vector<Shape>& shapes() {
    static const std::vector<Shape> all{
        {.name = "chain", .parameters = "NODES", .example = "chain:6", .what = "each node wired to the next",
         .make = [](const Numbers& n, const Options& o) { return k_ary_tree(1, n[0], o); }},
        {.name = "ring", .parameters = "NODES", .example = "ring:32", .what = "a chain whose ends are joined",
         .make = [](const Numbers& n, const Options& o) { return ring(n[0], o); }},
        {.name = "tree", .parameters = "CHILDREN:NODES", .example = "tree:2:63",
         .what = "a manager and a tree of workers with 1 to 3 children each", .least_numbers = 2, .most_numbers = 2,
         .make = [](const Numbers& n, const Options& o) { return k_ary_tree(n[0], n[1], o); }},
        {.name = "mesh", .parameters = "ROWSxCOLUMNS", .example = "mesh:6x8", .what = "a grid", .least_numbers = 2,
         .most_numbers = 2, .separator = 'x',
         .make = [](const Numbers& n, const Options& o) { return mesh(n[0], n[1], o); }},
        {.name = "torus", .parameters = "ROWSxCOLUMNS", .example = "torus:4x5",
         .what = "a grid whose rows and columns are rings; all links in use", .least_numbers = 2, .most_numbers = 2,
         .separator = 'x', .make = [](const Numbers& n, const Options& o) { return torus(n[0], n[1], o); }},
        {.name = "hypercube", .parameters = "NODES", .example = "hypercube:16",
         .what = "1, 2, 4, 8 or 16 nodes, wired where their numbers differ in one bit; 16 use all links",
         .make = [](const Numbers& n, const Options& o) { return hypercube(n[0], o); }},
        {.name = "star", .parameters = "NODES", .example = "star:4", .what = "n0 wired to up to 4 others",
         .make = [](const Numbers& n, const Options& o) { return star(n[0], o); }},
        {.name = "complete", .parameters = "NODES", .example = "complete:5",
         .what = "up to 5 nodes, each wired to every other; 5 use all links",
         .make = [](const Numbers& n, const Options& o) { return complete(n[0], o); }},
        {.name = "debruijn", .parameters = "NODES", .example = "debruijn:16",
         .what = "a power of two of nodes, i wired to 2i and 2i+1, without self-wires and duplicate wires",
         .make = [](const Numbers& n, const Options& o) { return de_bruijn(n[0], o); }},
        {.name = "random", .parameters = "NODES[:SEED]", .example = "random:24:7",
         .what = "four neighbours for each node, drawn at random; all links in use", .least_numbers = 1, .most_numbers = 2,
         .make = [](const Numbers& n, const Options& o) { return random_regular(n[0], n.size() > 1 ? n[1] : usual_seed, o); }},
    };
    return all;
}
// clang-format on

namespace {

[[noreturn]] void fail(const std::string& text, const std::string& message) {
    throw vocabulary::InputError({"shape '" + text + "'", 0, 0}, message);
}

const Shape& shape_named(const std::string& text, const std::string& name) {
    std::vector<std::string> names;
    for (const Shape& shape : shapes()) {
        if (shape.name == name) return shape;
        names.push_back(shape.name);
    }
    const std::string hint = vocabulary::did_you_mean(name, names);
    fail(text, fmt::format("there is no shape '{}'{}", name,
                           hint.empty() ? fmt::format("; name one of {}", fmt::join(names, ", ")) : hint));
}

std::size_t number(const std::string& text, const std::string& word, const Shape& shape) {
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error == std::errc() && end == word.data() + word.size()) return value;
    fail(text,
         fmt::format("'{}' is no whole number; write {}:{}, as in '{}'", word, shape.name, shape.parameters, shape.example));
}

}  // namespace

MachineDescription make_shape(const std::string& text, const NetworkOptions& options) {
    const std::size_t colon = std::min(text.find(':'), text.size());
    const Shape& shape = shape_named(text, text.substr(0, colon));
    Numbers numbers;
    for (std::size_t begin = colon + 1; begin <= text.size();) {
        const std::size_t end = std::min(text.find(shape.separator, begin), text.size());
        numbers.push_back(number(text, text.substr(begin, end - begin), shape));
        begin = end + 1;
    }
    if (numbers.size() < shape.least_numbers || numbers.size() > shape.most_numbers) {
        fail(text, fmt::format("{} number{} given, which a {} does not take; write {}:{}, as in '{}'", numbers.size(),
                               numbers.size() == 1 ? "" : "s", shape.name, shape.name, shape.parameters, shape.example));
    }
    return shape.make(numbers, options);
}

}  // namespace topologies
