#include "perfetto_packets.hpp"

#include <gtest/gtest.h>

using tmon_export::Note;
using tmon_export::NoteNumbers;

TEST(NoteNumbersDeathTest, AreSixAtMost) {
    NoteNumbers numbers{{Note::Seq, 1},  {Note::Task, 2},  {Note::SubTask, 3},
                        {Note::Peer, 4}, {Note::Bytes, 5}, {Note::Number, 6}};
    EXPECT_EQ(numbers.end() - numbers.begin(), 6);
    EXPECT_DEATH(numbers.add({{Note::Value, 7}}), "perfetto.notes");
}
