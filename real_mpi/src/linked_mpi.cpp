#include "linked_mpi.hpp"

#include <elf.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

namespace real_mpi {
namespace {

class Elf {
public:
    explicit Elf(const std::string& path) {
        std::ifstream file(path, std::ios::binary);
        Elf64_Ehdr head{};
        if (!file.read(reinterpret_cast<char*>(&head), sizeof head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
            head.e_ident[EI_CLASS] != ELFCLASS64)
            return;
        file.seekg(0);
        bytes_.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
        head_ = head;
    }
    bool whole() const { return !bytes_.empty(); }

    std::vector<std::string> needed() const {
        std::vector<std::string> names;
        std::vector<Elf64_Dyn> entries;
        for (unsigned i = 0; i < head_.e_phnum; ++i) {
            Elf64_Phdr part{};
            if (!read(head_.e_phoff + i * sizeof part, part) || part.p_type != PT_DYNAMIC) continue;
            for (std::uint64_t at = 0; at + sizeof(Elf64_Dyn) <= part.p_filesz; at += sizeof(Elf64_Dyn)) {
                Elf64_Dyn entry{};
                if (!read(part.p_offset + at, entry) || entry.d_tag == DT_NULL) break;
                entries.push_back(entry);
            }
        }
        std::uint64_t strings = 0;
        for (const Elf64_Dyn& entry : entries) {
            if (entry.d_tag == DT_STRTAB) strings = place_of(entry.d_un.d_ptr);
        }
        for (const Elf64_Dyn& entry : entries) {
            if (entry.d_tag == DT_NEEDED) names.push_back(text(strings + entry.d_un.d_val));
        }
        return names;
    }

private:
    template <class Part>
    bool read(std::uint64_t at, Part& part) const {
        if (at > bytes_.size() || bytes_.size() - at < sizeof part) return false;
        std::memcpy(&part, bytes_.data() + at, sizeof part);
        return true;
    }
    // Where in the file an address lies.
    std::uint64_t place_of(std::uint64_t address) const {
        for (unsigned i = 0; i < head_.e_phnum; ++i) {
            Elf64_Phdr part{};
            if (read(head_.e_phoff + i * sizeof part, part) && part.p_type == PT_LOAD && address >= part.p_vaddr &&
                address - part.p_vaddr < part.p_filesz)
                return address - part.p_vaddr + part.p_offset;
        }
        return bytes_.size();
    }
    std::string text(std::uint64_t at) const {
        std::string result;
        while (at < bytes_.size() && bytes_[at] != 0) result += bytes_[at++];
        return result;
    }

    Elf64_Ehdr head_{};
    std::vector<char> bytes_;
};

}  // namespace

bool is_program(const std::string& path) {
    return Elf(path).whole();
}

std::optional<Mpi> linked_mpi(const std::string& path) {
    const Elf program(path);
    if (!program.whole()) return {};
    for (const std::string& name : program.needed()) {
        // libmpi.so.12 is the name that MPICH and its relatives have agreed on.
        if (name.starts_with("libmpich.so") || name.starts_with("libmpi.so.12")) return Mpi::Mpich;
        if (name.starts_with("libmpi.so") || name.starts_with("libmpi_cxx.so")) return Mpi::OpenMpi;
        if (name.starts_with("libmpichcxx.so")) return Mpi::Mpich;
    }
    return {};
}

}  // namespace real_mpi
