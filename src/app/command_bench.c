// attnscope bench: how long the known workloads take, on this machine, now: by attnscope-bench, which
// measures, so that the program itself does not carry it.
#include "app.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include "place.h"
#include "app_words.def"

enum { ASKED = 8 }; // words before the names: bench.h, bench_asked

// attnscope-bench takes the place of this program. Comes back only with why it could not.
static int measure(const AppOptions *options)
{
    Error err;
    char self[PLACE_PATH_MAX], path[PLACE_PATH_MAX], threads[16];
    char **words = calloc((size_t)(ASKED + options->argument_count + 1), sizeof *words);
    if (!words)
        return app_fail(APP_FAILED, TELL(NO_MEMORY));
    snprintf(threads, sizeof threads, "%d", options->threads);
    const char *const asked[ASKED] = {"attnscope-bench",
                                      place_self(self),
                                      options->is_short ? "short" : "whole",
                                      options->json ? "json" : "text",
                                      threads,
                                      options->peer ? options->peer : "",
                                      options->stages ? "stages" : "",
                                      options->svg ? options->svg : ""};
    for (int i = 0; i < ASKED; i++)
        words[i] = (char *)asked[i];
    for (int i = 0; i < options->argument_count; i++)
        words[ASKED + i] = (char *)options->arguments[i];
    if (place_program(words[0], path, &err)) {
        execv(path, words);
        error_number(&err, errno, TELL(BENCH_NOT_STARTED), path, error_reason(errno));
    }
    free(words);
    return app_fail(APP_FAILED, "%s", err.text);
}

static int run(AppOptions *options)
{
    return measure(options);
}

const AppCommand command_bench = {
    .name = "bench",
    .arguments = "[A ... F] [SCENARIO] [growth] [start] [step] [grade] [window] [train] "
                 "[--short] [--json] [--threads N] [--peer 'COMMAND'] [--stages] [--svg FILE]",
    .summary = WORDS("Measure the speed on this machine", "이 컴퓨터에서 얼마나 걸리는지 잽니다"),
    .details = WORDS(
        "  A ... F        workloads A to F; with no names, all but growth and grade run\n"
        "  SCENARIO       a scenario, by name\n"
        "  growth         how time and its bound grow from 64 to 8192 tokens (7 GB)\n"
        "  start          an empty program, this program, the stepper's first frame\n"
        "  step           time from a key in the stepper to the next frame\n"
        "  grade          grades 200 submissions of 16 exercises, cold and then cached;\n"
        "                 takes minutes\n"
        "  window         time to draw the window's pictures\n"
        "  train          one step of attnscope train on one and two threads, and how much\n"
        "                 of the bare kernel's speed its two passes reach, and of their\n"
        "                 bound: products of their sizes and exponentials at hand\n"
        "  --short        a few runs of each\n"
        "  --json         JSON output\n"
        "  --threads N    use N threads; A always uses one\n"
        "  --peer COMMAND alternate with another program that runs the same workloads;\n"
        "                 tests/bench has examples and describes the protocol\n"
        "  --stages       each stage's time and its bound: what this machine needs at least,\n"
        "                 at rates measured in the same run\n"
        "  --svg FILE     the same as a picture: a roofline of each workload\n"
        "\n"
        "The median of repeated runs counts. \"first\" is the first run, in untouched memory; its\n"
        "bound is the time to touch that memory once, plus a later run.\n"
        "\"idle\" is a run after one second of sleep. \"% peak\" is the share of the highest\n"
        "multiply-add rate that these threads reach in the same run. \"% tile\" is the share of\n"
        "the kernel's own rate on numbers that stay in the nearest cache. \"MB kept\" counts the\n"
        "tensors, the weights, and the weights as products read them, packed once.\n"
        "\n"
        "A bound is the largest of these: the stage's multiply-adds, exponentials and divisions\n"
        "at the rate of their units, its inputs read and its outputs written once, each from the\n"
        "nearest level of memory that can hold them. \"± \" is the spread: the middle half of the\n"
        "runs lies that close. \"-\" is a ratio no further from 1 than its spread; or above 1,\n"
        "when other programs disturbed the rates.\n",
        "  A ... F        어느 작업인지. 아무것도 쓰지 않으면 growth와 grade만 빼고 모두\n"
        "  SCENARIO       또는 시나리오의 이름\n"
        "  growth         토큰 64개부터 8192개까지(7 GB): 시간이 한계와 비교해 어떻게 느는지\n"
        "  start          빈 프로그램, 이 프로그램, 스테퍼의 첫 화면\n"
        "  step           스테퍼에서 무언가를 누르고 화면이 답할 때까지\n"
        "  grade          200명인 반을 연습문제 16개씩 처음 채점하고 다시 채점할 때: 몇 분 "
        "걸립니다\n"
        "  window         창의 그림들\n"
        "  train          attnscope train의 한 단계를 스레드 하나와 둘로, 그리고 순전파와 "
        "역전파가\n"
        "                 커널만의 속도와 그 한계에 얼마나 이르는지. 한계는 같은 크기의\n"
        "                 곱과 지수 함수를 캐시에 있는 숫자로 하는 시간입니다\n"
        "  --short        저마다 몇 번만 실행합니다\n"
        "  --json         프로그램이 읽을 형식\n"
        "  --threads N    스레드 N개로. A는 늘 하나입니다\n"
        "  --peer COMMAND 같은 작업을 하는 다른 프로그램을 번갈아 실행합니다.\n"
        "                 tests/bench에 몇 가지가 있고, 그런 프로그램에 무엇을 묻는지도 있습니다\n"
        "  --stages       단계마다 걸린 시간과 그 한계: 이 컴퓨터에 적어도 필요한 시간.\n"
        "                 같은 실행에서 잰 속도로 셈합니다\n"
        "  --svg FILE     같은 것을 그림으로: 작업마다 루프라인 하나\n"
        "\n"
        "여러 번 실행해서 중앙값을 셉니다. \"첫 실행\"은 한 번도 쓰지 않은 메모리에 하는\n"
        "실행이고, 그 한계는 그 메모리를 한 번 건드리는 시간과 다음 실행의 시간을 더한 것입니다.\n"
        "\"쉰 다음\"은 1초 동안 쉰 다음의 실행입니다. 최고%는 같은 스레드가 할 수 있는\n"
        "곱셈-덧셈에 대한 비율로, 같은 실행에서 잽니다. 타일%는 가장 가까운 캐시를 벗어나지\n"
        "않는 숫자로 커널이 하는 것에 대한 비율입니다. \"남긴 MB\"는 텐서와 가중치, 그리고 곱셈이 읽는\n"
        "순서로 한 번 늘어놓은 가중치를 셉니다.\n"
        "\n"
        "한계는 이 가운데 가장 큰 것입니다. 단계의 곱셈-덧셈과 지수 함수와 나눗셈을\n"
        "연산 장치의 속도로 하는 시간, 입력을 한 번 읽고 출력을 한 번 쓰는 시간. 입력과 출력은\n"
        "들어갈 수 있는 가장 가까운 메모리에 있다고 셈합니다. \"±\"는 퍼진 정도로, 가운데\n"
        "절반의 실행이 그 안에 있습니다. \"-\"는 1과의 차이가 퍼진 정도보다 작거나,\n"
        "다른 프로그램 때문에 속도를 잘못 재서 1보다 커진 비율입니다.\n"),
    .options = "json short peer stages svg",
    .words = "A B C D E F growth start step grade window train",
    .names = APP_NAMES_SCENARIO,
    .run = run,
};
