#include <scenario/spec_conversion.hpp>

namespace scenario {

static_assert(static_cast<int>(farm_spec::TreeShape::Given) == static_cast<int>(trek_kernel::TreeKind::Given));
static_assert(static_cast<int>(farm_spec::Distribution::RoundRobin) == static_cast<int>(trek_kernel::Policy::RoundRobin));
static_assert(static_cast<int>(farm_spec::Distribution::WorkStealing) == static_cast<int>(trek_kernel::Policy::WorkStealing));
static_assert(static_cast<int>(farm_spec::Distribution::Priorities) == static_cast<int>(trek_kernel::Policy::Priorities));

farm_spec::FarmSpec farm_spec(const trek_kernel::FarmConfig& farm) {
    farm_spec::FarmSpec spec{.processors = farm.nodes,
                             .topology = static_cast<farm_spec::TreeShape>(farm.tree),
                             .tasks = farm.tasks,
                             .degree = farm.degree,
                             .depth = farm.depth,
                             .granularity = farm.granularity,
                             .distribution = static_cast<farm_spec::Distribution>(farm.policy),
                             .survives = farm.survives};
    if (farm.tree != trek_kernel::TreeKind::Given) return spec;
    spec.parents.resize(farm.nodes);
    for (std::uint32_t i = 1; i < farm.nodes; ++i) {
        if (const auto parent = farm.parent(vocabulary::NodeId(static_cast<vocabulary::NodeId::value_type>(i))))
            spec.parents[i] = parent->value();
    }
    return spec;
}

void take_spec(trek_kernel::FarmConfig& farm, const farm_spec::FarmSpec& spec) {
    farm.nodes = spec.processors;
    farm.tree = static_cast<trek_kernel::TreeKind>(spec.topology);
    farm.tasks = spec.tasks;
    farm.degree = spec.degree;
    farm.depth = spec.depth;
    if (spec.granularity != 1) farm.granularity = spec.granularity;
    if (spec.distribution != farm_spec::Distribution::FloodFilling)
        farm.policy = static_cast<trek_kernel::Policy>(spec.distribution);
    if (spec.survives) farm.survives = true;
    farm.parents.clear();
    for (const auto& parent : spec.parents)
        farm.parents.push_back(parent ? std::optional(vocabulary::NodeId(*parent)) : std::nullopt);
}

}  // namespace scenario
