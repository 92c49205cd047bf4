// Errors as numbers. Below 201 they are the errno values of the host (<cerrno>). From 201 on they are Trollius' own, in the
// order of terror (LAM 7.1.4). A call that fails returns the negative number.
#pragma once

#include <cstdint>
#include <string>

namespace trollius_os {

using ErrorNumber = std::int32_t;  // 0: no error

namespace errors {
enum : ErrorNumber {
    unknown = 201,
    dead_node,
    no_exit_descriptors,
    full,
    not_process,
    bad_request,
    not_malloced,
    service,
    magic,
    blown,
    impossible,
    bad_host,
    no_kernel,
    not_attached,
    message_length,
    end_of_file,
    collide,
    bad_link,
    ack,
    usage,
    option,
    bad_node,
    bad_id_spec,
    no_nodes,
    no_route_descriptors,
    no_buffer_descriptors,
    no_boot_descriptors,
    no_flat_descriptors,
    no_kenya_descriptors,
    no_process_descriptors,
    bad_moses_request,
    bad_tag,
    no_bootstrap,
    high_water
};
}

// "invalid node"; of a host's number its usual text.
std::string error_text(ErrorNumber number);
// "EBADNODE"; empty for a number of the host.
std::string error_name(ErrorNumber number);

}  // namespace trollius_os
