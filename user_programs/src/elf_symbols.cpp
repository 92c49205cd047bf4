#include <user_programs/elf_symbols.hpp>

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

#include <memory>

namespace user_programs {
namespace {

struct EndElf {
    void operator()(Elf* file) const { elf_end(file); }
};

// The section's symbols; its string table is the section that it links to.
void add_symbols(Elf* file, Elf_Scn* section, const GElf_Shdr& header, std::vector<ElfSymbol>& symbols) {
    Elf_Data* data = elf_getdata(section, nullptr);
    if (data == nullptr || header.sh_entsize == 0) return;
    const auto count = static_cast<int>(header.sh_size / header.sh_entsize);
    for (int i = 0; i < count; ++i) {
        GElf_Sym symbol;
        if (gelf_getsym(data, i, &symbol) == nullptr) return;
        const unsigned binding = GELF_ST_BIND(symbol.st_info);
        if (binding != STB_GLOBAL && binding != STB_WEAK && binding != STB_GNU_UNIQUE) continue;
        const char* name = elf_strptr(file, header.sh_link, symbol.st_name);
        if (name != nullptr && *name != '\0') symbols.push_back({name, symbol.st_shndx != SHN_UNDEF});
    }
}

}  // namespace

std::vector<ElfSymbol> global_symbols(const std::string& path, SymbolTable table) {
    std::vector<ElfSymbol> symbols;
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return symbols;
    elf_version(EV_CURRENT);
    if (const std::unique_ptr<Elf, EndElf> file(elf_begin(descriptor, ELF_C_READ_MMAP, nullptr)); file) {
        const GElf_Word wanted = table == SymbolTable::Dynamic ? SHT_DYNSYM : SHT_SYMTAB;
        for (Elf_Scn* section = elf_nextscn(file.get(), nullptr); section != nullptr;
             section = elf_nextscn(file.get(), section)) {
            GElf_Shdr header;
            if (gelf_getshdr(section, &header) != nullptr && header.sh_type == wanted)
                add_symbols(file.get(), section, header, symbols);
        }
    }
    close(descriptor);
    return symbols;
}

}  // namespace user_programs
