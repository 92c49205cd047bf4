#include <instrumentation/monitor_state.hpp>

#include <instrumentation/buffer_policy.hpp>
#include <instrumentation/unloading.hpp>

namespace instrumentation {

MonitorState::MonitorState(const MonitorCosts& its_costs, const MonitorSettings& its_settings, vocabulary::NodeId its_node,
                           vocabulary::NodeId its_host)
    : costs(its_costs),
      settings(its_settings),
      node(its_node),
      host(its_host),
      buffers(its_costs.buffer_records,
              settings.buffer_policy ? settings.buffer_policy(node) : make_buffer_policy(settings.when_full)),
      unloading(make_unloading(settings, node)),
      classes(settings.classes) {
    if (is_tmon()) classes.add(trace_record::EventClass::Clock);
}

void MonitorState::change(const MonitorCosts& its_costs, const MonitorSettings& its_settings) {
    if (its_settings.classes != settings.classes) classes = its_settings.classes;  // else a program's choice stays
    if (its_settings.when_full != settings.when_full && !its_settings.buffer_policy)
        buffers.set_policy(make_buffer_policy(its_settings.when_full));
    costs = its_costs;
    settings = its_settings;
    if (is_tmon()) classes.add(trace_record::EventClass::Clock);
    if (!settings.unload_policy) unloading = make_unloading(settings, node);
}

}  // namespace instrumentation
