// Errors as numbers. Below 201 they are the errno values of the host (<cerrno>). From 201 on they are Trollius' own, in the
// order of terror (LAM 7.1.4). A call that fails returns the negative number.
#pragma once

#include <cstdint>
#include <string>

namespace trollius_os {

using ErrorNumber = std::int32_t;  // 0: no error

namespace errors {
inline constexpr ErrorNumber unknown = 201;
inline constexpr ErrorNumber dead_node = 202;
inline constexpr ErrorNumber no_exit_descriptors = 203;
inline constexpr ErrorNumber full = 204;
inline constexpr ErrorNumber not_process = 205;
inline constexpr ErrorNumber bad_request = 206;
inline constexpr ErrorNumber not_malloced = 207;
inline constexpr ErrorNumber service = 208;
inline constexpr ErrorNumber magic = 209;
inline constexpr ErrorNumber blown = 210;
inline constexpr ErrorNumber impossible = 211;
inline constexpr ErrorNumber bad_host = 212;
inline constexpr ErrorNumber no_kernel = 213;
inline constexpr ErrorNumber not_attached = 214;
inline constexpr ErrorNumber message_length = 215;
inline constexpr ErrorNumber end_of_file = 216;
inline constexpr ErrorNumber collide = 217;
inline constexpr ErrorNumber bad_link = 218;
inline constexpr ErrorNumber ack = 219;
inline constexpr ErrorNumber usage = 220;
inline constexpr ErrorNumber option = 221;
inline constexpr ErrorNumber bad_node = 222;
inline constexpr ErrorNumber bad_id_spec = 223;
inline constexpr ErrorNumber no_nodes = 224;
inline constexpr ErrorNumber no_route_descriptors = 225;
inline constexpr ErrorNumber no_buffer_descriptors = 226;
inline constexpr ErrorNumber no_boot_descriptors = 227;
inline constexpr ErrorNumber no_flat_descriptors = 228;
inline constexpr ErrorNumber no_kenya_descriptors = 229;
inline constexpr ErrorNumber no_process_descriptors = 230;
inline constexpr ErrorNumber bad_moses_request = 231;
inline constexpr ErrorNumber bad_tag = 232;
inline constexpr ErrorNumber no_bootstrap = 233;
inline constexpr ErrorNumber high_water = 234;
}  // namespace errors

// "invalid node"; of a host's number its usual text.
std::string error_text(ErrorNumber number);
// "EBADNODE"; empty for a number of the host.
std::string error_name(ErrorNumber number);

}  // namespace trollius_os
