// Fetches the messages stored for one link and does the blocking send, so that bufferd never waits for a link.
#include <vector>

#include <trollius_os/services/bufferd.hpp>

namespace trollius_os::services {

void buffer_worker(Api& api, LinkNo link) {
    std::vector<std::byte> body;
    const EventNo own = buffer_worker_event(link);
    while (true) {
        request_from_buffers(api, datalink_event(link), 0, {api.pid(), 0});
        Message packet{.any_body = &body};
        api.frecv(packet, own, 0);
        packet.datalink_event = datalink_event(link);
        api.dsend(packet);
    }
}

}  // namespace trollius_os::services
