#include <trollius_os/services.hpp>

#include <utility>

namespace trollius_os {

bool start_services(Kernel& kernel, NodeServices& services) {
    if (!kernel.has_system_memory()) return false;
    struct Entry {
        std::string name;
        int kernel_priority;
        Priority priority;
        ProcessCode code;
    };
    std::vector<Entry> list;
    const auto low = [&](std::string name, int priority, ProcessCode code) {
        list.push_back({std::move(name), priority, Priority::Low, std::move(code)});
    };
    low("router", kernel_priority::router, [&services](Calls& calls) { return services::router(calls, services); });
    low("bufferd", kernel_priority::bufferd, [](Calls& calls) { return services::bufferd(calls); });
    for (std::uint8_t number = 0; number < 4; ++number) {
        const LinkNo link(number);
        if (!kernel.port().wired(link)) continue;
        const std::string suffix = std::to_string(number);
        list.push_back({"dlo_t4." + suffix, kernel_priority::datalink_out, Priority::High,
                        [link](Calls& calls) { return services::link_out(calls, link); }});
        list.push_back({"dli_t4." + suffix, kernel_priority::datalink_in, Priority::High,
                        [link](Calls& calls) { return services::link_in(calls, link); }});
        low("bfworker." + suffix, kernel_priority::service,
            [link](Calls& calls) { return services::buffer_worker(calls, link); });
    }
    low("kenyad", kernel_priority::service, [&services](Calls& calls) { return services::kenyad(calls, services); });
    low("flatd", kernel_priority::service, [&services](Calls& calls) { return services::flatd(calls, services.blocks); });
    low("echod", kernel_priority::service, [](Calls& calls) { return services::echod(calls); });
    if (services.boot)
        low("bootd", kernel_priority::service, [&services](Calls& calls) { return services::bootd(calls, *services.boot); });
    if (kernel.node() == services.host) {
        low("loadd", kernel_priority::service, [&services](Api& api) { services::loadd(api, services); });
        low("filed", kernel_priority::service, [&services](Api& api) { services::filed(api, services); });
    }
    kernel.add_dormant(events::castd, [&kernel, &services] {
        return kernel.create({"castd", Priority::Low, kernel_priority::service, kernel.costs().service_stack,
                              [&services](Calls& calls) { return services::castd(calls, services); }}) != nullptr;
    });
    const auto dormant = [&kernel](EventNo event, const char* name, Task<> (*code)(Calls&)) {
        kernel.add_dormant(event, [&kernel, name, code] {
            return kernel.create({name, Priority::Low, kernel_priority::service, kernel.costs().service_stack,
                                  [code](Calls& calls) { return code(calls); }}) != nullptr;
        });
    };
    dormant(events::route_orders, "rrouter", services::route_orders);
    dormant(events::traced, "traced", services::traced);
    if (kernel.node() != services.host) dormant(events::mallocd, "mallocd", services::mallocd);
    for (Entry& entry : list) {
        if (kernel.create({entry.name, entry.priority, entry.kernel_priority, kernel.costs().service_stack,
                           std::move(entry.code)}) == nullptr)
            return false;
    }
    return true;
}

}  // namespace trollius_os
