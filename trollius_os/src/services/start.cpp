#include <trollius_os/services.hpp>

#include <utility>

namespace trollius_os {

bool start_services(Kernel& kernel, NodeServices& services) {
    if (!kernel.has_system_memory()) return false;
    struct Entry {
        std::string name;
        int kernel_priority;
        Priority priority;
        std::function<void(Api&)> code;
    };
    std::vector<Entry> list;
    const auto low = [&](std::string name, int priority, std::function<void(Api&)> code) {
        list.push_back({std::move(name), priority, Priority::Low, std::move(code)});
    };
    low("router", kernel_priority::router, [&services](Api& api) { services::router(api, services.routes); });
    low("bufferd", kernel_priority::bufferd, services::bufferd);
    for (std::uint8_t number = 0; number < 4; ++number) {
        const LinkNo link(number);
        if (!kernel.port().wired(link)) continue;
        const std::string suffix = std::to_string(number);
        list.push_back({"dlo_t4." + suffix, kernel_priority::datalink_out, Priority::High,
                        [link](Api& api) { services::link_out(api, link); }});
        list.push_back({"dli_t4." + suffix, kernel_priority::datalink_in, Priority::High,
                        [link](Api& api) { services::link_in(api, link); }});
        low("bfworker." + suffix, kernel_priority::service, [link](Api& api) { services::buffer_worker(api, link); });
    }
    low("kenyad", kernel_priority::service, [&services](Api& api) { services::kenyad(api, services); });
    low("flatd", kernel_priority::service, services::flatd);
    low("echod", kernel_priority::service, services::echod);
    if (kernel.node() == services.host) {
        low("loadd", kernel_priority::service, [&services](Api& api) { services::loadd(api, services); });
        low("filed", kernel_priority::service, [&services](Api& api) { services::filed(api, services); });
    }
    for (Entry& entry : list) {
        if (kernel.create({entry.name, entry.priority, entry.kernel_priority, kernel.costs().service_stack,
                           std::move(entry.code)}) == nullptr)
            return false;
    }
    return true;
}

}  // namespace trollius_os
