// Assembler and disassembler: encodings, labels, data, macros, boot images, and messages with their places.
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <t800_assembly/assembler.hpp>
#include <t800_assembly/disassembler.hpp>
#include <t800_assembly/names.hpp>
#include <vocabulary/source_position.hpp>

namespace {

using namespace t800_assembly;
using Bytes = std::vector<std::uint8_t>;

Bytes code_of(const std::string& source) {
    return assemble(source, "a.s").code;
}
std::string mistake(const std::string& source) {
    try {
        assemble(source, "a.s");
    } catch (const vocabulary::InputError& error) {
        return error.what();
    }
    return "no mistake";
}

TEST(T800Assembler, OperandsTakeTheFewestPrefixes) {
    EXPECT_EQ(code_of("ldc 5\nrev"), (Bytes{0x45, 0xF0}));
    EXPECT_EQ(code_of("ldc 16\nrev"), (Bytes{0x21, 0x40, 0xF0}));
    EXPECT_EQ(code_of("ldc -1\nrev"), (Bytes{0x60, 0x4F, 0xF0}));
    EXPECT_EQ(code_of("ldc -31\nrev"), (Bytes{0x61, 0x41, 0xF0}));
    EXPECT_EQ(code_of("ldc -257\nrev"), (Bytes{0x21, 0x60, 0x4F, 0xF0}));
    EXPECT_EQ(code_of("ldc 0x80000000"), (Bytes{0x27, 0x2F, 0x2F, 0x2F, 0x2F, 0x2F, 0x6F, 0x40}));
    EXPECT_EQ(code_of("lddevid"), (Bytes{0x21, 0x27, 0xFC}));
    EXPECT_EQ(code_of("fpuabs"), (Bytes{0x4B, 0x2A, 0xFB}));
}

TEST(T800Assembler, JumpsReachLabelsOnBothSides) {
    EXPECT_EQ(code_of("a: j b\n rev\nb: j a"), (Bytes{0x01, 0xF0, 0x60, 0x0C}));
}

TEST(T800Assembler, FarLabelsGrowTheirJumps) {
    const Program program = assemble("j end\n.space 300\nend: rev", "a.s");
    EXPECT_EQ(program.code.size(), 3 + 300 + 1U);
    EXPECT_EQ(Bytes(program.code.begin(), program.code.begin() + 3), (Bytes{0x21, 0x22, 0x0C}));
}

TEST(T800Assembler, DataAndNames) {
    EXPECT_EQ(code_of(".set N, M + 1\n.set M, 2 * (3 + 4)\n.byte N, \"ab\\n\", 'c'"), (Bytes{15, 'a', 'b', 10, 'c'}));
    EXPECT_EQ(code_of(".word #80000070, -2\n.half 0x1234"), (Bytes{0x70, 0, 0, 0x80, 0xFE, 0xFF, 0xFF, 0xFF, 0x34, 0x12}));
    EXPECT_EQ(code_of("rev\nhere: .word here"), (Bytes{0xF0, 0x71, 0, 0, 0x80}));
    EXPECT_EQ(code_of("rev\n.align 4\nrev"), (Bytes{0xF0, 0x20, 0x20, 0x20, 0xF0}));
    EXPECT_EQ(code_of(".byte 7 / 2, 7 % 4, 1 << 3, 0x80000000 >> 31, 6 & 3, 6 | 1, 6 ^ 3"), (Bytes{3, 3, 8, 1, 2, 7, 5}));
}

TEST(T800Assembler, IncludedFilesLieBesideTheSource) {
    const auto read = [](const std::string& path) -> std::string {
        if (path == "dir/part.s") return ".include \"sub/more.s\"\nrev";
        if (path == "dir/sub/more.s") return ".macro two\n rev\n rev\n.endm\nhere: two";
        if (path == "dir/loop.s") return ".include \"loop.s\"";
        return "rev\n wrong";
    };
    const auto mistake_of = [&](const std::string& source, const ReadSource& reads) -> std::string {
        try {
            assemble(source, "dir/a.s", reads);
        } catch (const vocabulary::InputError& error) {
            return error.what();
        }
        return "no mistake";
    };
    EXPECT_EQ(assemble("two_of: .include \"part.s\"\n two", "dir/a.s", read).code, Bytes(5, 0xF0));
    EXPECT_EQ(mistake_of(".include \"bad.s\"", read), "dir/bad.s:2:2: unknown instruction 'wrong'");
    EXPECT_EQ(mistake_of("\n .include \"loop.s\"", read), "dir/loop.s:1:1: this file includes itself without end");
    EXPECT_EQ(mistake_of(".include part.s", read), "dir/a.s:1:1: write the name of one file, as in '.include \"text.s\"'");
    EXPECT_EQ(mistake_of(".include \"part.s\"", {}), "dir/a.s:1:1: this source lies in no folder, so it cannot include a file");
}

TEST(T800Assembler, MacrosAndRepetitions) {
    EXPECT_EQ(code_of(".macro twice, X, Y\n ldc \\X\n ldc \\Y\n.endm\ntwice 1, 2\ntwice 3, 4"),
              (Bytes{0x41, 0x42, 0x43, 0x44}));
    EXPECT_EQ(code_of(".macro skip\n j l\\@\n rev\nl\\@: rev\n.endm\nskip\nskip"), (Bytes{0x01, 0xF0, 0xF0, 0x01, 0xF0, 0xF0}));
    EXPECT_EQ(code_of(".repeat 3\n rev\n.endr"), (Bytes{0xF0, 0xF0, 0xF0}));
}

TEST(T800Assembler, MistakesAreToldWithFileLineAndColumn) {
    EXPECT_EQ(mistake("rev\n  ldx 1"), "a.s:2:3: unknown instruction 'ldx', did you mean 'ldc'?");
    EXPECT_EQ(mistake("ldc"), "a.s:1:1: ldc takes one operand, but 0 are given");
    EXPECT_EQ(mistake("rev 1"), "a.s:1:1: rev takes no operand, but one is given");
    EXPECT_EQ(mistake("j nowhere"), "a.s:1:3: 'nowhere' is defined nowhere");
    EXPECT_EQ(mistake("a: rev\na: rev"), "a.s:2:1: 'a' is defined already, at a.s:1:1");
    EXPECT_EQ(mistake(".byte 300"), "a.s:1:7: 300 does not fit in a byte");
    EXPECT_EQ(mistake("ldc 1 2"), "a.s:1:7: unexpected '2' in an expression; operands are separated by commas");
    EXPECT_EQ(mistake("ldc (1"), "a.s:1:7: a ')' is missing");
    EXPECT_EQ(mistake(".set A, B\n.set B, A\nldc A"), "a.s:2:9: 'A' is defined by itself");
    EXPECT_EQ(mistake(".macro m\nm\n.endm\nm"), "a.s:2:1: macro 'm' calls itself without end");
    EXPECT_EQ(mistake("ldc 1 / 0"), "a.s:1:10: division by zero");
    EXPECT_EQ(mistake("ldc 1<<-1"), "a.s:1:8: a shift by -1 places; a value shifts by 0 to 63");
    EXPECT_EQ(mistake(".word 1, 1 >> 64"), "a.s:1:15: a shift by 64 places; a value shifts by 0 to 63");
    EXPECT_EQ(mistake("; nothing"), "a.s: the program has no code");
    EXPECT_EQ(
        mistake(".reserve 4"),
        "a.s:1:1: unknown directive '.reserve'; there are .byte .half .word .space .align .set .macro .endm .repeat .endr");
}

TEST(T800Images, ShortCodeIsOneBootMessageAndLongCodeHasALoader) {
    const Program small = assemble("rev\nrev", "a.s");
    EXPECT_EQ(boot_image(small), (Bytes{2, 0xF0, 0xF0}));
    const Program large = assemble("rev\n.space 300", "a.s");
    const Bytes image = boot_image(large);
    EXPECT_TRUE(large.has_loader);
    EXPECT_EQ(image.size(), 1U + image[0] + 4 + 301);
    EXPECT_EQ(image[1U + image[0]], 301 % 256);
}

TEST(T800Disassembler, ReadsWhatTheAssemblerWrites) {
    std::string source;
    for (const Name& name : names()) {
        if (name.text == "pfix" || name.text == "nfix" || name.text == "opr") continue;
        source += std::string(name.text) + (name.kind == Kind::Function ? " 1000\n" : "\n");
    }
    for (const char* operand : {"0", "15", "16", "-1", "-16", "-17", "0x7FFFFFFF", "0x80000000"})
        source += std::string("ldc ") + operand + "\n";
    std::string again;
    const Program program = assemble(source, "a.s");
    for (const DecodedLine& line : disassemble(program.code, program.origin)) {
        again += line.mnemonic;
        if (line.target) {
            again += " " + std::to_string(*line.target);
        } else if (line.operand) {
            again += " " + std::to_string(*line.operand);
        }
        again += "\n";
    }
    EXPECT_EQ(assemble(again, "b.s").code, program.code);
}

TEST(T800Disassembler, NamesFloatingOperationsAndOtherTransputers) {
    const auto lines = disassemble(code_of("fpusqrtfirst\nldinf"), 0);
    EXPECT_EQ(lines[1].note, "fpusqrtfirst");
    EXPECT_EQ(lines[2].note, "not on a T800");
}

TEST(T800Disassembler, TellsOfBadImages) {
    const auto told = [](const Bytes& image) {
        try {
            disassemble_image(image);
        } catch (const vocabulary::RequestError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_EQ(told({}), "the image is empty");
    EXPECT_EQ(told({5, 1, 2}), "the image is cut: its first byte counts 5 bytes of code, but 2 follow");
    EXPECT_EQ(told({0, 1, 2}), "the image begins with 0, which is a poke and no boot message; --raw takes the file as code");
    EXPECT_EQ(told({2, 0xF0, 0xF0, 9}), "");
}

}  // namespace
