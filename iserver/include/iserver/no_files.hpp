// NoFiles: a place without files, for programs that may not touch any. Every call answers EACCES.
#pragma once

#include <cerrno>
#include <cstdint>
#include <string>

#include <trollius_os/services/file_store.hpp>

namespace iserver {

class NoFiles final : public trollius_os::FileStore {
public:
    trollius_os::FileOpened open(const std::string&, const trollius_os::FileWish&) override { return {nullptr, EACCES}; }
    trollius_os::ErrorNumber look(const std::string&, trollius_os::FileFacts&) override { return EACCES; }
    trollius_os::ErrorNumber make_folder(const std::string&, std::uint32_t) override { return EACCES; }
    trollius_os::ErrorNumber remove_folder(const std::string&) override { return EACCES; }
    trollius_os::ErrorNumber remove_file(const std::string&) override { return EACCES; }
    trollius_os::ErrorNumber rename(const std::string&, const std::string&) override { return EACCES; }
};

}  // namespace iserver
