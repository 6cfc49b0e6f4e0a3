// Memory that is given back: of shared memory the file has fewer blocks then, and its addresses can be written
// to again; what another process holds is still there.
#define _GNU_SOURCE // memfd_create
#include "canvas_shared.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "suite.h"

enum { BYTES = 1 << 20, AWAY = 100 };

static int file;
static unsigned char *memory;

static void open_memory(void)
{
    file = memfd_create("pages", 0);
    ck_assert(file >= 0 && ftruncate(file, BYTES) == 0);
    memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ck_assert(memory != MAP_FAILED);
    memset(memory, 7, BYTES);
}

static void close_memory(void)
{
    munmap(memory, BYTES);
    close(file);
}

static long long bytes_held(void)
{
    struct stat about;
    ck_assert_int_eq(fstat(file, &about), 0);
    return (long long)about.st_blocks * 512; // of 512 bytes, whatever the page
}

// The page in which it begins is another's, too, and stays.
TEST(what_is_forgotten_takes_no_memory_and_can_be_written_anew)
{
    ck_assert_int_eq(bytes_held(), BYTES);
    pages_forget(memory + AWAY, BYTES - AWAY);
    ck_assert_int_eq(bytes_held(), sysconf(_SC_PAGESIZE));
    ck_assert_uint_eq(memory[AWAY - 1], 7);
    ck_assert_uint_eq(memory[BYTES - 1], 0);
    memset(memory, 9, BYTES);
    ck_assert_uint_eq(memory[BYTES / 2], 9);
}

TEST(less_than_a_page_is_left_alone)
{
    pages_forget(memory + AWAY, AWAY);
    pages_forget(memory + AWAY, 0);
    ck_assert_int_eq(bytes_held(), BYTES);
    ck_assert_uint_eq(memory[AWAY], 7);
}

TEST(what_is_left_is_still_there)
{
    pages_leave(memory, BYTES);
    ck_assert_int_eq(bytes_held(), BYTES);
    int others = 0; // a check for each byte would take longer than a busy machine grants a test
    for (int i = 0; i < BYTES; i++)
        others += memory[i] != 7;
    ck_assert_int_eq(others, 0);
}

SUITE_WITH("pages", open_memory, close_memory)
