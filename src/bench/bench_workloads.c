// bench_workloads: what `attnscope bench` runs when nobody says otherwise, and growing lengths.
#include "bench.h"

#include <stdio.h>
#include <string.h>
#include "utf8.h"

static const BenchWorkload workloads[] = {
    {.name = "A",
     .about = WORDS("four heads of 2, 3 tokens", "2차원 헤드 넷, 토큰 3개"),
     .scenario = "four-heads",
     .batch = 1,
     .length = 3,
     .width = 8,
     .heads = 4,
     .mask = "none",
     .threads = 1},
    {.name = "B",
     .about = WORDS("10 tokens, width 768, 12 heads", "토큰 10개, 768차원, 헤드 12개"),
     .scenario = "self-attention",
     .batch = 1,
     .length = 10,
     .width = 768,
     .heads = 12,
     .mask = "none"},
    {.name = "C",
     .about = WORDS("10 padded sequences of 20, width 512, 8 heads",
                    "패딩한 문장 10개 × 토큰 20개, 512차원, 헤드 8개"),
     .scenario = "padded-batch-masked",
     .batch = 10,
     .length = 20,
     .width = 512,
     .heads = 8,
     .mask = "padding"},
    {.name = "D",
     .about = WORDS("16 x 128 tokens, width 512, 8 heads, causal",
                    "문장 16개 × 토큰 128개, 512차원, 헤드 8개, 인과 마스크"),
     .scenario = "causal-large",
     .batch = 16,
     .length = 128,
     .width = 512,
     .heads = 8,
     .mask = "causal"},
    {.name = "E",
     .about = WORDS("1024 tokens, width 768, 12 heads", "토큰 1024개, 768차원, 헤드 12개"),
     .scenario = "self-attention",
     .sets = {"input.vectors={randn: [1, 1024, 768]}"},
     .batch = 1,
     .length = 1024,
     .width = 768,
     .heads = 12,
     .mask = "none"},
    {.name = "F",
     .about = WORDS("4096 tokens, width 512, 8 heads", "토큰 4096개, 512차원, 헤드 8개"),
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
        .about = WORDS("tokens, width 512, 8 heads", "토큰, 512차원, 헤드 8개"),
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

void bench_print_name(const char *what, int columns)
{
    int width = (int)utf8_width(what);
    printf("%s%*s", what, width < columns ? columns - width : 0, "");
}
