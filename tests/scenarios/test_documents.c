// The two notebooks whose seeds are known: every number they print, from the seed alone, and the
// text of their print() calls.
#include "scenario_file.h"
#include "suite.h"
#include "number_text.h"
#include "trace.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Opened {
    Scenario scenario;
    Trace trace;
} Opened;

static void open_scenario(Opened *opened, const char *name)
{
    Error err = {.text = ""};
    ScenarioRequest request = {.what = name};
    ck_assert_msg(scenario_open(&opened->scenario, &request, &err), "%s", err.text);
    ck_assert_msg(trace_open(&opened->trace, &opened->scenario, &err), "%s", err.text);
    ck_assert_msg(trace_run(&opened->trace, &err), "%s", err.text);
}

static void close_scenario(Opened *opened)
{
    trace_close(&opened->trace);
    scenario_finish(&opened->scenario);
}

static const Tensor *tensor_named(const Opened *opened, const char *name)
{
    int number = trace_find(&opened->trace, name);
    ck_assert_msg(number >= 0, "no tensor %s", name);
    return &opened->trace.tensors[number].tensor;
}

// --- the numbers

static int check_numbers(const json_t *entry, const Tensor *tensor)
{
    size_t count = 0;
    json_t *value;
    json_array_foreach(json_object_get(entry, "values"), count, value)
    {
        ptrdiff_t at[TENSOR_RANK_MAX] = {0};
        size_t axis;
        json_t *index;
        json_array_foreach(json_object_get(value, "index"), axis, index) at[axis] =
            (ptrdiff_t)json_integer_value(index);
        double printed = json_number_value(json_object_get(value, "value"));
        double half_unit = json_number_value(json_object_get(value, "half_unit"));
        double got = (double)tensor->storage.f32[tensor_place(tensor, at)];
        ck_assert_msg(fabs(got - printed) <= half_unit + 1e-6, "%s, number %zu: %.9g, printed %s",
                      json_string_value(json_object_get(entry, "what")), count, got,
                      json_string_value(json_object_get(value, "text")));
    }
    return (int)count;
}

static void check_ids(const json_t *entry, const Tensor *ids)
{
    size_t b, l;
    json_t *row, *id;
    json_array_foreach(json_object_get(entry, "value"), b, row) json_array_foreach(row, l, id)
        ck_assert_int_eq(*tensor_id2(ids, (ptrdiff_t)b, (ptrdiff_t)l), json_integer_value(id));
}

TEST(every_printed_number_comes_from_the_seed)
{
    Opened as_written, class, dot_product;
    open_scenario(&as_written, "padded-batch");
    open_scenario(&class, "padded-batch-class");
    open_scenario(&dot_product, "scaled-dot-product");

    json_t *file = json_load_file(test_file("golden/seed_prints.json"), 0, NULL);
    ck_assert_ptr_nonnull(file);
    int numbers = 0, id_lists = 0;
    size_t number;
    json_t *entry;
    json_array_foreach(json_object_get(file, "entries"), number, entry)
    {
        const char *kind = json_string_value(json_object_get(entry, "kind"));
        const char *document = json_string_value(json_object_get(entry, "seed"));
        const char *key = json_string_value(json_object_get(entry, "key"));
        const char *what = json_string_value(json_object_get(entry, "what"));
        if (strcmp(kind, "ids") == 0 && strncmp(what, "token ids after padding", 23) == 0) {
            check_ids(entry, tensor_named(&as_written, "input_ids"));
            id_lists++;
        }
        if (strcmp(kind, "tensor") != 0)
            continue;
        bool is_class = strcmp(key, "class_output") == 0;
        const Opened *opened = strcmp(document, "002") == 0 ? &dot_product
                               : is_class                   ? &class
                                                            : &as_written;
        numbers += check_numbers(entry, tensor_named(opened, is_class ? "output" : key));
    }
    ck_assert_int_eq(numbers, 427);
    ck_assert_int_eq(id_lists, 1);
    json_decref(file);
    close_scenario(&as_written);
    close_scenario(&class);
    close_scenario(&dot_product);
}

// --- the text

// A number whose last printed place depends on the order of a sum.
typedef struct LastPlace {
    const char *file;
    int index; // which number of the text, from 0
    const char *ours, *theirs;
} LastPlace;

static const LastPlace last_places[] = {
    {"001_context_heads.txt", 37, "-2.1805e-03", "-2.1804e-03"},
    {"001_output.txt", 7, "2.8101e-02", "2.8100e-02"},
    {"001_output.txt", 52, "-9.0366e-03", "-9.0367e-03"},
};

typedef struct Printed {
    const char *file, *scenario, *tensor;
} Printed;

static const Printed printed[] = {
    {"001_x.txt", "padded-batch", "x"},
    {"001_attn_weights.txt", "padded-batch", "attn_weights"},
    {"001_context_heads.txt", "padded-batch", "context_heads"},
    {"001_output.txt", "padded-batch", "output"},
    {"001_class_output.txt", "padded-batch-class", "output"},
    {"002_x.txt", "scaled-dot-product", "x"},
    {"002_q.txt", "scaled-dot-product", "q"},
    {"002_k.txt", "scaled-dot-product", "k"},
    {"002_v.txt", "scaled-dot-product", "v"},
    {"002_attn_weights.txt", "scaled-dot-product", "attn_weights"},
    {"002_context_heads.txt", "scaled-dot-product", "context_heads"},
};

static char *file_text(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "documents/%s", name);
    FILE *file = fopen(test_file(path), "rb");
    ck_assert_msg(file != NULL, "%s is missing", path);
    static char text[4096];
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static size_t number_length(const char *text)
{
    bool starts = *text == '-' || (*text >= '0' && *text <= '9');
    return starts ? strspn(text, "0123456789.e+-") : 0;
}

static bool is_known_difference(const char *file, int index, const char *ours, const char *theirs,
                                size_t length)
{
    for (size_t i = 0; i < sizeof last_places / sizeof *last_places; i++) {
        const LastPlace *place = &last_places[i];
        if (strcmp(place->file, file) == 0 && place->index == index &&
            strncmp(place->ours, ours, length) == 0 && strncmp(place->theirs, theirs, length) == 0)
            return true;
    }
    return false;
}

// How many numbers differ in a known way; every other difference fails.
static int compare_texts(const char *file, const char *ours, const char *theirs)
{
    int index = 0, differences = 0;
    while (*theirs) {
        size_t length = number_length(theirs);
        if (length == 0) {
            ck_assert_msg(*ours == *theirs, "%s: after %d numbers '%.20s', printed '%.20s'", file,
                          index, ours, theirs);
            ours++;
            theirs++;
            continue;
        }
        if (strncmp(ours, theirs, length) != 0) {
            ck_assert_msg(is_known_difference(file, index, ours, theirs, length),
                          "%s: number %d is %.*s, printed %.*s", file, index, (int)length, ours,
                          (int)length, theirs);
            differences++;
        }
        ours += length;
        theirs += length;
        index++;
    }
    return differences;
}

TEST(print_gives_the_documents_text)
{
    int differences = 0;
    for (size_t i = 0; i < sizeof printed / sizeof *printed; i++) {
        Opened opened;
        open_scenario(&opened, printed[i].scenario);
        char *ours = NULL;
        size_t length = 0;
        FILE *out = open_memstream(&ours, &length);
        tensor_print(tensor_named(&opened, printed[i].tensor), out);
        fclose(out);
        differences += compare_texts(printed[i].file, ours, file_text(printed[i].file));
        free(ours);
        close_scenario(&opened);
    }
    ck_assert_int_eq(differences, (int)(sizeof last_places / sizeof *last_places));
}

SUITE("documents")
