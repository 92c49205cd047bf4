// The requests with descriptors: what each does, and what it answers.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <trollius_os/services.hpp>
#include <trollius_os/services/filed.hpp>

#include "file_descriptors.hpp"

namespace trollius_os::services {

class FileOrders {
public:
    FileOrders(const NodeServices& services, std::size_t most_packet) : services_(services), most_packet_(most_packet) {}

    // `body`: of the request. `answer` gets the body of the reply, at most one packet.
    FileReply obey(const FileOrder& order, std::span<const std::byte> body, std::vector<std::byte>& answer);

private:
    FileReply with_descriptor(const FileOrder& order, std::span<const std::byte> body, std::vector<std::byte>& answer);
    FileReply with_name(const FileOrder& order, const std::string& given);
    FileReply console(const FileOrder& order, std::span<const std::byte> body, std::vector<std::byte>& answer);
    FileReply read(FileDescriptor& file, const FileOrder& order, std::vector<std::byte>& answer);
    FileReply write(FileDescriptor& file, std::span<const std::byte> body);
    FileReply seek(FileDescriptor& file, const FileOrder& order);
    FileReply look(FileDescriptor& file);
    FileReply resize(FileDescriptor& file, std::int32_t bytes);
    FileReply add_users(std::int32_t descriptor, std::int32_t by);
    FileReply duplicate_to(const FileOrder& order);
    FileReply open(const FileOrder& order, const std::string& name);
    FileReply access(const std::string& name, std::int32_t wanted);
    FileReply change_folder(const std::string& name);
    FileReply remove(FileOrderCall call, const std::string& name);
    FileReply resize(const std::string& name, std::int32_t bytes);
    FileReply rename(const std::string& names);
    FileReply rows(std::int32_t from, std::vector<std::byte>& answer) const;
    FileReply forget(std::int32_t descriptor);

    const NodeServices& services_;
    const std::size_t most_packet_;
    FileDescriptors descriptors_;
    std::string folder_;  // the working directory, plain
};

}  // namespace trollius_os::services
