// bench_workloads: what `attnscope bench` runs when nobody says otherwise, and growing lengths.
#include "bench.h"

#include <stdio.h>
#include <string.h>

static const BenchWorkload workloads[] = {
    {.name = "A",
     .about = "four heads of 2, 3 tokens",
     .scenario = "four-heads",
     .batch = 1,
     .length = 3,
     .width = 8,
     .heads = 4,
     .mask = "none",
     .threads = 1},
    {.name = "B",
     .about = "10 tokens, width 768, 12 heads",
     .scenario = "self-attention",
     .batch = 1,
     .length = 10,
     .width = 768,
     .heads = 12,
     .mask = "none"},
    {.name = "C",
     .about = "10 padded sequences of 20, width 512, 8 heads",
     .scenario = "padded-batch-masked",
     .batch = 10,
     .length = 20,
     .width = 512,
     .heads = 8,
     .mask = "padding"},
    {.name = "D",
     .about = "16 x 128 tokens, width 512, 8 heads, causal",
     .scenario = "causal-large",
     .batch = 16,
     .length = 128,
     .width = 512,
     .heads = 8,
     .mask = "causal"},
    {.name = "E",
     .about = "1024 tokens, width 768, 12 heads",
     .scenario = "self-attention",
     .sets = {"input.vectors={randn: [1, 1024, 768]}"},
     .batch = 1,
     .length = 1024,
     .width = 768,
     .heads = 12,
     .mask = "none"},
    {.name = "F",
     .about = "4096 tokens, width 512, 8 heads",
     .scenario = "self-attention",
     .sets = {"input.vectors={randn: [1, 4096, 512]}", "model.d_model=512", "model.heads=8"},
     .batch = 1,
     .length = 4096,
     .width = 512,
     .heads = 8,
     .mask = "none"},
};

enum { WORKLOADS = sizeof workloads / sizeof *workloads };

const BenchWorkload *bench_workload(int number)
{
    return number >= 0 && number < WORKLOADS ? &workloads[number] : NULL;
}

const BenchWorkload *bench_workload_find(const char *name)
{
    for (int i = 0; i < WORKLOADS; i++)
        if (strcmp(workloads[i].name, name) == 0)
            return &workloads[i];
    return NULL;
}

bool bench_growing(int number, BenchGrowing *growing)
{
    int length = 64 << number;
    if (length > 4096)
        return false;
    snprintf(growing->name, sizeof growing->name, "%d", length);
    snprintf(growing->input, sizeof growing->input, "input.vectors={randn: [1, %d, 512]}", length);
    growing->workload = (BenchWorkload){
        .name = growing->name,
        .about = "tokens, width 512, 8 heads",
        .scenario = "self-attention",
        .sets = {growing->input, "model.d_model=512", "model.heads=8"},
        .batch = 1,
        .length = length,
        .width = 512,
        .heads = 8,
        .mask = "none",
    };
    return true;
}
