// faults_streams: what is printed and read through streams; see faults.c.
#include "faults_calls.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

// --- print: from the Nth call on, the stream's bytes go to a device that is full

static void lead(FILE *stream, const char *path, int flags)
{
    int file = REAL(open)(path, flags | O_CLOEXEC);
    dup2(file, fileno(stream));
    close(file);
}

static void count_print(FILE *stream)
{
    if (faults_are_counted() && stream != stderr && fileno(stream) >= 0 &&
        faults_fails(FAULT_print))
        lead(stream, "/dev/full", O_WRONLY);
}

size_t fwrite(const void *bytes, size_t size, size_t count, FILE *stream)
{
    count_print(stream);
    return REAL(fwrite)(bytes, size, count, stream);
}

int fputs(const char *text, FILE *stream)
{
    count_print(stream);
    return REAL(fputs)(text, stream);
}

int fputc(int letter, FILE *stream)
{
    count_print(stream);
    return REAL(fputc)(letter, stream);
}

int putc(int letter, FILE *stream)
{
    count_print(stream);
    return REAL(fputc)(letter, stream);
}

int putchar(int letter)
{
    count_print(stdout);
    return REAL(fputc)(letter, stdout);
}

int puts(const char *text)
{
    count_print(stdout);
    return REAL(puts)(text);
}

int vfprintf(FILE *stream, const char *format, va_list arguments)
{
    count_print(stream);
    return REAL(vfprintf)(stream, format, arguments);
}

int fprintf(FILE *stream, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int count = vfprintf(stream, format, arguments);
    va_end(arguments);
    return count;
}

int printf(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int count = vfprintf(stdout, format, arguments);
    va_end(arguments);
    return count;
}

int fflush(FILE *stream)
{
    if (stream)
        count_print(stream);
    return REAL(fflush)(stream);
}

int fclose(FILE *stream)
{
    count_print(stream);
    return REAL(fclose)(stream);
}

// --- read

// A stream that is a folder by now: reading is an error.
static void count_read(FILE *stream)
{
    if (faults_are_counted() && fileno(stream) >= 0 && faults_fails(FAULT_read))
        lead(stream, "/", O_RDONLY | O_DIRECTORY);
}

size_t fread(void *bytes, size_t size, size_t count, FILE *stream)
{
    count_read(stream);
    return REAL(fread)(bytes, size, count, stream);
}

char *fgets(char *line, int room, FILE *stream)
{
    count_read(stream);
    return REAL(fgets)(line, room, stream);
}

ssize_t getline(char **line, size_t *room, FILE *stream)
{
    count_read(stream);
    return REAL(getline)(line, room, stream);
}
