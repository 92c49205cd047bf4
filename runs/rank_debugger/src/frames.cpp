#include "frames.hpp"

#include <dwarf.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace rank_debugger {
namespace {

constexpr std::size_t most_frames = 256;

struct FreeFrame {
    void operator()(Dwarf_Frame* frame) const { std::free(frame); }  // NOLINT(cppcoreguidelines-no-malloc): as libdw asks for
};
using CallFrame = std::unique_ptr<Dwarf_Frame, FreeFrame>;

// Null: no table covers the code.
CallFrame call_frame(Dwarf_CFI* tables, std::uintptr_t code) {
    Dwarf_Frame* frame = nullptr;
    if (tables == nullptr || dwarf_cfi_addrframe(tables, code, &frame) != 0) return nullptr;
    return CallFrame(frame);
}

std::optional<std::uintptr_t> canonical_of(Dwarf_Frame* frame, const Activation& in) {
    Dwarf_Op* operations = nullptr;
    std::size_t count = 0;
    if (dwarf_frame_cfa(frame, &operations, &count) != 0 || count == 0) return std::nullopt;
    return evaluate_number(operations, count, in);
}

// The value that a register had in the caller.
std::optional<std::uint64_t> of_caller(Dwarf_Frame* frame, unsigned number, const Activation& in) {
    Dwarf_Op room[3];
    Dwarf_Op* operations = nullptr;
    std::size_t count = 0;
    if (dwarf_frame_register(frame, static_cast<int>(number), room, &operations, &count) != 0) return std::nullopt;
    if (count == 0) return operations == nullptr ? in.registers.get(number) : std::nullopt;  // the same, or lost
    std::string why;
    const auto found = evaluate(operations, count, in, why);
    if (!found || found->size() != 1) return std::nullopt;
    const Piece& piece = found->front();
    if (piece.in == Piece::In::Value) return piece.value;
    if (piece.in == Piece::In::Register) return in.registers.get(static_cast<unsigned>(piece.value));
    std::uint64_t value = 0;
    if (piece.in != Piece::In::Memory || !in.read(piece.value, &value, sizeof value)) return std::nullopt;
    return value;
}

// `in`: with the frame address. Empty: it was the outermost.
std::optional<CodeRegisters> caller_of(Dwarf_Frame* frame, const Activation& in) {
    CodeRegisters caller;
    for (unsigned number = 0; number < CodeRegisters::instruction; ++number) {
        if (number == CodeRegisters::stack) continue;
        if (const auto value = of_caller(frame, number, in)) caller.set(number, *value);
    }
    const auto code = of_caller(frame, CodeRegisters::instruction, in);
    if (!code || *code == 0) return std::nullopt;
    caller.set(CodeRegisters::instruction, *code);
    caller.set(CodeRegisters::stack, *in.canonical);
    return caller;
}

int note_load(dl_phdr_info* info, std::size_t, void* to) {
    *static_cast<std::uintptr_t*>(to) = info->dlpi_addr;
    return 1;  // the first is the program itself
}

}  // namespace

OwnCode::OwnCode() : file_(open("/proc/self/exe", O_RDONLY | O_CLOEXEC)) {
    elf_version(EV_CURRENT);
    dl_iterate_phdr(note_load, &load_);
    if (file_ >= 0) elf_ = elf_begin(file_, ELF_C_READ, nullptr);
    if (elf_ != nullptr) frames_ = dwarf_getcfi_elf(elf_);
}

OwnCode::~OwnCode() {
    if (frames_ != nullptr) dwarf_cfi_end(frames_);
    if (elf_ != nullptr) elf_end(elf_);
    if (file_ >= 0) close(file_);
}

// A function that the compiler has made part of another one has a frame of its own.
void Stacks::add(std::vector<Frame>& frames, const Activation& in) const {
    Frame frame{.in = in, .function = info_.function_at(in.code), .name = "?", .file = {}, .path = {}};
    const Symbol* const symbol = info_.symbol_at(in.code);
    if (frame.function == nullptr) {
        if (symbol != nullptr) frame.name = symbol->name;
        frames.push_back(std::move(frame));
        return;
    }
    frame.in.function = frame.function->die;
    if (const Line* const line = info_.line_at(in.code)) {
        frame.path = line->file;
        frame.line = line->line;
    }
    std::vector<Dwarf_Die> scopes = DebugInfo::scopes_at(*frame.function, in.code);
    std::reverse(scopes.begin(), scopes.end());
    for (Dwarf_Die& scope : scopes) {
        frame.scopes.push_back(scope);
        if (dwarf_tag(&scope) != DW_TAG_inlined_subroutine) continue;
        frame.name = name_of(scope);
        frame.is_inlined = true;
        frame.file = file_name(frame.path);
        frames.push_back(frame);
        frame.scopes.clear();
        Dwarf_Attribute attribute;
        Dwarf_Word line = 0;
        if (dwarf_attr(&scope, DW_AT_call_line, &attribute) != nullptr) dwarf_formudata(&attribute, &line);
        frame.line = static_cast<unsigned>(line);
        Dwarf_Word file = 0;
        Dwarf_Files* files = nullptr;
        Dwarf_Die unit = frame.function->unit;
        if (dwarf_attr(&scope, DW_AT_call_file, &attribute) != nullptr && dwarf_formudata(&attribute, &file) == 0 &&
            dwarf_getsrcfiles(&unit, &files, nullptr) == 0) {
            const char* const path = dwarf_filesrc(files, file, nullptr, nullptr);
            if (path != nullptr) frame.path = path;
        }
    }
    frame.name = frame.function->name;
    frame.is_inlined = false;
    frame.file = file_name(frame.path);
    frames.push_back(std::move(frame));
}

std::vector<Frame> Stacks::frames(const user_programs::LoadedProgram::Addresses& module, const CodeRegisters& at,
                                  const ReadMemory& read) const {
    std::vector<Frame> frames;
    Activation in{.read = read, .registers = at, .canonical = {}, .function = {}};
    bool is_caller = false;
    for (std::size_t i = 0; i < most_frames; ++i) {
        const std::uint64_t code = *in.registers.get(CodeRegisters::instruction);
        const bool of_program = code >= module.code && code < module.code_end;
        if (!of_program && !frames.empty()) break;
        in.load = of_program ? module.load : own_.load();
        in.thread = module.thread;
        in.code = code - in.load - (is_caller ? 1 : 0);  // a call may be the last instruction of its function
        const CallFrame frame = call_frame(of_program ? info_.frames() : own_.frames(), in.code);
        in.canonical = frame ? canonical_of(frame.get(), in) : std::nullopt;
        if (of_program) add(frames, in);
        if (!in.canonical) break;
        const auto caller = caller_of(frame.get(), in);
        if (!caller) break;
        in.registers = *caller;
        is_caller = true;
    }
    return frames;
}

std::optional<std::uintptr_t> Stacks::canonical(const user_programs::LoadedProgram::Addresses& module, const CodeRegisters& at,
                                                const ReadMemory& read) const {
    Activation in{.read = read, .registers = at, .canonical = {}, .function = {}};
    in.load = module.load;
    in.code = *at.get(CodeRegisters::instruction) - module.load;
    const CallFrame frame = call_frame(info_.frames(), in.code);
    return frame ? canonical_of(frame.get(), in) : std::nullopt;
}

}  // namespace rank_debugger
