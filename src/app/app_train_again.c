// Commands that a training tells: to go on with it, and to open what it has written; see app_train.h.
#include "app_train.h"

#include <string.h>
#include "shell_word.h"
#include "app_words.h"

enum { WORD_BYTES_MAX = 4096 + 64 }; // a path with the name of a field before it

// As the shell takes it, whatever the path of a file has in it.
static void print_word(const char *value)
{
    char word[SHELL_WORD_ROOM(WORD_BYTES_MAX)];
    if (value && strlen(value) <= WORD_BYTES_MAX)
        printf(" %s", shell_word(value, word));
}

static void print_option(const char *name, const char *value)
{
    if (value)
        printf(" --%s", name);
    print_word(value);
}

static void print_field(const char *field, const char *value)
{
    char set[WORD_BYTES_MAX + 1];
    snprintf(set, sizeof set, "%s=%s", field, value);
    print_option("set", set);
}

static void print_sets(const AppOptions *options)
{
    for (int i = 0; i < options->request.set_count; i++)
        print_option("set", options->request.sets[i]);
}

void app_train_print_again(const AppOptions *options, const char *out)
{
    print_word(options->request.what);
    print_sets(options);
    print_option("steps", options->steps);
    print_option("seed", options->seed);
    print_option("rate", options->rate);
    print_option("heads", options->heads);
    print_option("overlap", options->overlap);
    print_option("decay", options->decay);
    print_option("optimizer", options->optimizer);
    print_option("out", out ? out : "trained.safetensors");
    printf("\n");
}

// Which of the scenario's rows are pale is true of its own heads alone.
static void print_opening(const char *scenario, const AppOptions *options, const char *file)
{
    print_word(scenario);
    print_sets(options);
    if (options->heads)
        print_field("model.heads", options->heads);
    print_field("weights.file", file);
    print_field("model.asked", "none");
    printf("\n");
}

void app_train_print_written(const AppOptions *options, const char *out)
{
    words_print(stdout, TELL(TRAIN_WRITTEN), out);
    print_opening(options->request.what ? options->request.what : "heads", options, out);
}

void app_train_print_opening(const AppOptions *options, const char *file)
{
    words_print(stdout, TELL(TRAIN_OPENS), file);
    print_opening("heads", options, file);
}
