"""A small farm program for the tests of `magicwire farm`."""
SPECIFICATION = """begin
Virtual_Machine
  type = PFVM;
Configuration
  topology = CHAIN;
  total_tasks = 6;
  total_processors = 3;
Programs
  data_generator = p.c;
  comp_function = p.c;
  result_receive = p.c;
  task_type = "int";
  result_type = "int";
  cost = explicit;
end
"""
SOURCE = """#include <stdio.h>
#include <trek_kernel/trek.h>
void data_generator(void) {
    for (int i = 0; i < (int)total_tasks(); ++i) do_task(&i, sizeof i);
}
void compute_fn(const void* task, unsigned bytes) {
    int square = *(const int*)task * *(const int*)task + 0 * (int)bytes;
    work_us(1000);
    return_result(&square, sizeof square);
}
void result_receiver(void) {
    int sum = 0;
    for (unsigned i = 0; i < total_tasks(); ++i) sum += *(const int*)get_result(0);
    printf("sum %d\\n", sum);
}
"""


def program(box, specification=("", ""), source=("", "")):
    """A small program in p.farm and p.c; each argument: (text, replacement)."""
    for name, text, change in (("p.farm", SPECIFICATION, specification), ("p.c", SOURCE, source)):
        assert change[0] in text, change
        box.write(name, text.replace(*change) if change[0] else text)
