// nearest: the distance of Damerau and Levenshtein between short words; see nearest.h.
#include "nearest.h"

#include <stddef.h>
#include <string.h>

enum { LETTERS_MAX = 64 };

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

// Bytes stand for letters: known words are ASCII. Row i holds the distances from the first i
// letters of `a` to every beginning of `b`.
static int distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    int row[3][LETTERS_MAX + 1];
    for (size_t j = 0; j <= b_length; j++)
        row[0][j] = (int)j;
    for (size_t i = 1; i <= a_length; i++) {
        int *here = row[i % 3], *above = row[(i + 2) % 3], *before = row[(i + 1) % 3];
        here[0] = (int)i;
        for (size_t j = 1; j <= b_length; j++) {
            int changed = above[j - 1] + (a[i - 1] != b[j - 1]);
            here[j] = smaller(changed, smaller(above[j], here[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                here[j] = smaller(here[j], before[j - 2] + 1);
        }
    }
    return row[a_length % 3][b_length];
}

const char *nearest_word(const char *word, const char *const known[])
{
    size_t length = strlen(word);
    const char *best = NULL;
    int fewest = LETTERS_MAX;
    for (size_t i = 0; known[i] && length <= LETTERS_MAX; i++) {
        size_t known_length = strlen(known[i]);
        if (known_length > LETTERS_MAX)
            continue;
        size_t longer = length > known_length ? length : known_length;
        int allowed = longer < 3 ? 1 : (int)(longer / 3);
        int changes = distance(word, length, known[i], known_length);
        if (changes <= allowed && changes < (int)longer && changes < fewest) {
            best = known[i];
            fewest = changes;
        }
    }
    return best;
}
