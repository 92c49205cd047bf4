// T800 cycles of an x86-64 instruction. Both compilers translate the same source, but make different code of one operation. A
// T800 loads both operands from its workspace to a stack of three registers, works there, and stores. The cycles of the T800's
// instructions are those of its data sheet, for code and data on chip. This model chooses the T800 instructions that an x86-64
// instruction stands for; docs/results/program_costs.md measures the error of that choice.
#include <algorithm>
#include <array>
#include <string_view>

#include <user_programs/block_costs.hpp>

namespace user_programs {
namespace {

constexpr std::uint32_t ldl = 2, stl = 1, ldnl = 2, stnl = 2, lb = 5, sb = 4, wsub = 2, op = 1, gt = 2, cj = 3, j = 3, call = 7,
                        ret = 5, ldlp = 1, fpldnl_single = 2, fpldnl_double = 3, fpstnl_double = 3, fpadd = 6,
                        fpmul_single = 11, fpmul_double = 18, fpdiv_single = 16, fpdiv_double = 31, fpgt = 4, fpconvert = 8,
                        root_single = 119, root_double = 245, prod = 12, div = 39, shift = 6;

struct Class {
    std::string_view name;  // instruction name; a '*' at its end: any name that begins so
    std::uint32_t cycles;
};

// The first match counts.
constexpr std::array classes = {
    // Floating point: arithmetic with one operand already in the FPU's stack.
    Class{"addss*", fpadd + ldlp},
    Class{"subss*", fpadd + ldlp},
    Class{"addsd*", fpadd + ldlp},
    Class{"subsd*", fpadd + ldlp},
    Class{"mulss*", fpmul_single + ldlp},
    Class{"mulsd*", fpmul_double + ldlp},
    Class{"divss*", fpdiv_single + ldlp},
    Class{"divsd*", fpdiv_double + ldlp},
    Class{"sqrtss*", root_single},
    Class{"sqrtsd*", root_double},
    Class{"addps*", 4 * fpadd},
    Class{"subps*", 4 * fpadd},
    Class{"mulps*", 4 * fpmul_single},
    Class{"divps*", 4 * fpdiv_single},
    Class{"addpd*", 2 * fpadd},
    Class{"subpd*", 2 * fpadd},
    Class{"mulpd*", 2 * fpmul_double},
    Class{"divpd*", 2 * fpdiv_double},
    Class{"comis*", fpgt + cj},
    Class{"ucomis*", fpgt + cj},
    Class{"maxs*", fpgt + cj},
    Class{"mins*", fpgt + cj},
    Class{"cvt*", fpconvert},
    Class{"andp*", fpadd},
    Class{"xorp*", ldlp},
    Class{"pxor*", ldlp},
    Class{"movss*", fpldnl_single + ldlp},
    Class{"movsd*", fpldnl_double + ldlp},
    Class{"movap*", fpstnl_double},
    Class{"movup*", fpstnl_double + ldlp},
    Class{"unpck*", 0},
    Class{"movd*", ldl},
    Class{"movq*", ldl},
    // Integers.
    Class{"imul*", prod + ldl},
    Class{"mul*", prod + ldl},
    Class{"idiv*", div + ldl + stl},
    Class{"div*", div + ldl + stl},
    Class{"cltd*", 0},
    Class{"cqto*", 0},
    Class{"cltq*", 0},
    Class{"cwtl*", 0},
    Class{"nop*", 0},
    Class{"endbr*", 0},
    Class{"xchg*", 0},
    Class{"data16*", 0},
    Class{"sh*", shift + ldl},
    Class{"sa*", shift + ldl},
    Class{"ro*", 2 * shift + ldl},
    Class{"lea*", ldl + wsub},
    Class{"cmp*", 2 * ldl + gt},
    Class{"test*", ldl},
    Class{"set*", gt},
    Class{"cmov*", cj + ldl + stl},
    Class{"movz*", 0},
    Class{"movs*", 0},
    Class{"mov*", stl},
    Class{"push*", 0},
    Class{"pop*", 0},
    Class{"leave*", op},
    Class{"jmp*", j},
    Class{"j*", cj},
    Class{"ret*", ret},
    Class{"rep*", 40},
    Class{"add*", ldl + op + stl},
    Class{"sub*", ldl + op + stl},
    Class{"and*", ldl + op + stl},
    Class{"or*", ldl + op + stl},
    Class{"xor*", ldl + op + stl},
    Class{"inc*", ldl + op + stl},
    Class{"dec*", ldl + op + stl},
    Class{"neg*", ldl + op + stl},
    Class{"not*", ldl + op + stl},
    Class{"sbb*", ldl + op + stl},
    Class{"adc*", ldl + op + stl},
};
constexpr std::uint32_t unknown = ldl + op + stl;

// Functions of the C library, which are compiled without a counter; each call counts as a usual one. Programs for a T800
// computed the transcendental ones by a polynomial of double precision: about a dozen multiplications and additions.
constexpr std::uint32_t polynomial = 12 * (fpmul_double + fpadd + fpldnl_double + ldlp), copy = 60;
constexpr std::array library = {Class{"sin", polynomial},      Class{"cos", polynomial},   Class{"tan", 2 * polynomial},
                                Class{"exp", polynomial},      Class{"log", polynomial},   Class{"pow", 2 * polynomial},
                                Class{"atan", polynomial},     Class{"atan2", polynomial}, Class{"asin", 2 * polynomial},
                                Class{"acos", 2 * polynomial}, Class{"sqrt", root_double}, Class{"fabs", op},
                                Class{"floor", fpconvert},     Class{"ceil", fpconvert},   Class{"fmod", 2 * fpdiv_double},
                                Class{"memcpy", copy},         Class{"memmove", copy},     Class{"memset", copy},
                                Class{"strlen", copy},         Class{"strcmp", copy},      Class{"memcmp", copy}};

template <std::size_t count>
const Class* find(const std::array<Class, count>& table, std::string_view name) {
    for (const Class& it : table) {
        const bool any = it.name.ends_with('*');
        const std::string_view begin = any ? it.name.substr(0, it.name.size() - 1) : it.name;
        if (any ? name.starts_with(begin) : name == begin) return &it;
    }
    return nullptr;
}

// "call 1030 <sin@plt>": cost of a library function beside the call itself.
std::uint32_t called(std::string_view operands) {
    const std::size_t open = operands.find('<');
    if (open == std::string_view::npos) return 0;
    const std::string_view name = operands.substr(open + 1, operands.find_first_of("@>+", open) - open - 1);
    const Class* known = find(library, name);
    return known == nullptr ? 0 : known->cycles;
}

}  // namespace

std::uint32_t instruction_cycles(const std::string& instruction) {
    const std::string_view all = instruction;
    const std::size_t end = all.find_first_of(" \t");
    const std::string_view name = all.substr(0, end);
    const std::string_view operands = end == std::string_view::npos ? std::string_view() : all.substr(end);
    if (name.starts_with("call")) return call + called(operands);
    const Class* known = find(classes, name);
    std::uint32_t cycles = known == nullptr ? unknown : known->cycles;
    if (operands.ends_with(",%rsp") && operands.find('$') != std::string_view::npos) return op;  // ajw
    const bool address_only = name.starts_with("lea") || name.starts_with("nop");
    if (address_only || operands.find('(') == std::string_view::npos) return cycles;
    const bool workspace = operands.find("(%rsp") != std::string_view::npos || operands.find("(%rbp") != std::string_view::npos;
    const bool is_float = operands.find("%xmm") != std::string_view::npos;
    if (workspace) return cycles + (is_float ? fpldnl_double : 0);
    // An element of an array or structure: the address, then the access.
    const bool indexed = operands.find(",%r", operands.find('(')) < operands.find(')');
    const bool stores = operands.ends_with(')');
    const bool byte = name.starts_with("movz") || name.starts_with("movsb") || name.ends_with("b");
    cycles += ldl + wsub + (indexed ? ldl : 0);
    if (is_float) return cycles + fpldnl_double;
    return cycles + (stores ? (byte ? sb : stnl) : (byte ? lb : ldnl));
}

}  // namespace user_programs
