// Error messages, translations of libraries' messages and signals, and complete output; see error.h and words.h.
#include "error.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base_words.def"
#include "words.h"

// The length of the UTF-8 character that starts here; 0: invalid. Source: RFC 3629, which also forbids overlong forms.
static size_t letter_bytes(const unsigned char *byte)
{
    unsigned char first = byte[0];
    size_t length = first < 0x80   ? 1
                    : first < 0xC2 ? 0
                    : first < 0xE0 ? 2
                    : first < 0xF0 ? 3
                                   : (first < 0xF5) * 4u;
    unsigned char low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    unsigned char high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    if (length > 1 && (byte[1] < low || byte[1] > high))
        return 0;
    for (size_t i = 2; i < length; i++)
        if ((byte[i] & 0xC0) != 0x80)
            return 0;
    return length;
}

// True if the text ends within the character that starts here.
static bool is_cut(const unsigned char *byte)
{
    size_t used = 1;
    while ((byte[used] & 0xC0) == 0x80)
        used++;
    return byte[0] >= 0xC2 && byte[used] == '\0' && used < 4;
}

// Replaces control characters and invalid bytes by question marks, because names in a message may come from a foreign
// file. A truncated message ends with a whole character.
static void make_printable(char *text)
{
    unsigned char *byte = (unsigned char *)text;
    for (size_t length; *byte; byte += length) {
        length = letter_bytes(byte);
        bool c1 = length == 2 && byte[0] == 0xC2 && byte[1] < 0xA0;
        if (length == 0 && is_cut(byte)) {
            *byte = '\0';
            return;
        }
        length = length == 0 || c1 ? 1 : length;
        if (c1)
            byte[1] = '?';
        if ((length == 1 && *byte >= 0x7F) || *byte < ' ')
            *byte = '?';
    }
}

static bool set(Error *err, bool of_machine, const char *format, va_list arguments)
{
    vsnprintf(err->text, sizeof err->text, format, arguments);
    make_printable(err->text);
    words_settle(err->text, sizeof err->text);
    err->of_machine = of_machine;
    return false;
}

bool error_set(Error *err, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    set(err, false, format, arguments);
    va_end(arguments);
    return false;
}

bool error_machine(Error *err, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    set(err, true, format, arguments);
    va_end(arguments);
    return false;
}

bool error_number(Error *err, int number, const char *format, ...)
{
    static const int of_machine[] = {ENOMEM, EMFILE, ENFILE, EIO, EAGAIN, EINTR, ENOSPC, EFBIG};
    bool is_machine = false;
    for (size_t i = 0; i < sizeof of_machine / sizeof *of_machine; i++)
        is_machine = is_machine || number == of_machine[i];
    va_list arguments;
    va_start(arguments, format);
    set(err, is_machine, format, arguments);
    va_end(arguments);
    return false;
}

bool error_unwritten(Error *err, int number, const char *path)
{
    return error_number(err, number, TELL(FILE_UNWRITTEN), path, error_reason(number));
}

static const struct {
    int number;
    const char *korean;
} reasons[] = {
    {ENOENT, "그런 파일이나 폴더가 없습니다"},
    {EACCES, "권한이 없습니다"},
    {EPERM, "허용되지 않습니다"},
    {EISDIR, "폴더입니다"},
    {ENOTDIR, "폴더가 아닙니다"},
    {EEXIST, "이미 있습니다"},
    {ENOSPC, "디스크에 남은 자리가 없습니다"},
    {EROFS, "읽기만 할 수 있는 곳입니다"},
    {ENOMEM, "메모리가 모자랍니다"},
    {EMFILE, "열린 파일이 너무 많습니다"},
    {ENFILE, "열린 파일이 너무 많습니다"},
    {EIO, "읽거나 쓰지 못했습니다(입출력 오류)"},
    {ELOOP, "링크가 너무 많이 이어집니다"},
    {ENAMETOOLONG, "이름이 너무 깁니다"},
    {ENOTEMPTY, "폴더가 비어 있지 않습니다"},
    {EPIPE, "받는 쪽이 닫혔습니다"},
    {EAGAIN, "지금은 할 수 없습니다. 다시 해 보세요"},
    {EBADF, "열려 있지 않은 파일입니다"},
    {EBUSY, "다른 것이 쓰고 있습니다"},
    {ETXTBSY, "실행되고 있는 파일입니다"},
    {EINVAL, "할 수 없는 일입니다"},
    {EINTR, "도중에 끊겼습니다"},
    {EXDEV, "다른 디스크에 있습니다"},
    {EDQUOT, "쓸 수 있는 디스크 할당량을 넘었습니다"},
    {EOVERFLOW, "값이 너무 큽니다"},
    {ESPIPE, "파이프에서는 자리를 옮길 수 없습니다"},
    {EMLINK, "링크가 너무 많습니다"},
    {ENXIO, "그런 장치가 없습니다"},
    {ENODEV, "그런 장치가 없습니다"},
    {ENOEXEC, "실행할 수 있는 파일이 아닙니다"},
    {E2BIG, "인자가 너무 깁니다"},
    {ECHILD, "기다릴 프로세스가 없습니다"},
    {ESRCH, "그런 프로세스가 없습니다"},
    {ESTALE, "그 파일이 있던 곳이 바뀌었습니다"},
    {ETIMEDOUT, "대답이 없습니다"},
    {ECONNREFUSED, "받아 주지 않습니다"},
    {ECONNRESET, "이어진 것이 끊겼습니다"},
    {ENOSYS, "이 시스템에는 없는 기능입니다"},
    {ENOTSUP, "여기에서는 할 수 없습니다"},
    {ENOTTY, "터미널이 아닙니다"},
};

const char *error_reason(int number)
{
    if (number == 0)
        return TELL(DISK_FULL);
    if (number == EFBIG)
        return TELL(FILE_LIMITED);
    bool korean = language_now() == LANGUAGE_KOREAN;
    for (size_t i = 0; korean && i < sizeof reasons / sizeof *reasons; i++)
        if (reasons[i].number == number)
            return reasons[i].korean;
    return library_text("시스템", strerror(number));
}

bool error_prefix(Error *err, const char *format, ...)
{
    char said[sizeof err->text];
    memcpy(said, err->text, sizeof said);

    va_list arguments;
    va_start(arguments, format);
    vsnprintf(err->text, sizeof err->text, format, arguments);
    va_end(arguments);

    size_t used = strlen(err->text);
    snprintf(err->text + used, sizeof err->text - used, "%s", said);
    make_printable(err->text);
    words_settle(err->text, sizeof err->text);
    return false;
}

// --- messages of libraries

enum { TEXT_BYTES = 512 };

static const struct {
    const char *said, *korean;
} rows[] = {
#define LIBRARY_SAYS(said, korean) {said, korean},
#define SIGNAL(number, english, korean)
#include "library_words.def"
#undef SIGNAL
#undef LIBRARY_SAYS
};

// The row with the longest matching beginning; -1: none.
static int row_of(const char *said)
{
    int best = -1;
    size_t most = 0;
    for (int i = 0; i < (int)(sizeof rows / sizeof *rows); i++) {
        size_t length = strlen(rows[i].said);
        if (length > most && strncmp(said, rows[i].said, length) == 0 &&
            strchr(": ,(", said[length])) {
            best = i;
            most = length;
        }
    }
    return best;
}

// What follows the row's words: a position, or the system's reason.
static const char *with_rest(char text[TEXT_BYTES], const char *korean, const char *rest)
{
    static const char near[] = " near ";
    if (strcmp(rest, " near end of file") == 0)
        return words_format(text, TEXT_BYTES, "%s(파일의 끝)", korean);
    if (strncmp(rest, near, strlen(near)) == 0) // quoted
        return words_format(text, TEXT_BYTES, "%s: %s", korean, rest + strlen(near));
    rest += strspn(rest, ": ,(");
    return *rest ? words_format(text, TEXT_BYTES, "%s: \"%s\"", korean, rest) : korean;
}

const char *library_text(const char *library, const char *said)
{
    static _Thread_local char text[TEXT_BYTES];
    if (language_now() != LANGUAGE_KOREAN)
        return said;
    int row = row_of(said);
    if (row >= 0)
        return with_rest(text, rows[row].korean, said + strlen(rows[row].said));
    return words_format(text, sizeof text, TELL(LIBRARY_QUOTED), library, said);
}

// --- signals

static const struct {
    int number;
    Words words;
} signals[] = {
#define LIBRARY_SAYS(said, korean)
#define SIGNAL(number, english, korean) {number, WORDS(english, korean)},
#include "library_words.def"
#undef SIGNAL
#undef LIBRARY_SAYS
};

const char *signal_text(int number, Language language)
{
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (signals[i].number == number)
            return signals[i].words.in[language];
    static _Thread_local char rare[LANGUAGE_COLUMNS][64];
    snprintf(rare[language], sizeof rare[language], TELL_IN(language, RARE_SIGNAL), number);
    return rare[language];
}

// --- standard output

bool output_finish(Error *err)
{
    errno = 0;
    bool arrived = !ferror(stdout);
    if (fclose(stdout) != 0)
        arrived = false;
    return arrived || error_set(err, TELL(OUTPUT_LOST), error_reason(errno));
}

void output_say(const char *format, va_list arguments)
{
    fflush(stdout);
    char text[4096]; // on the stack: memory may be what is missing
    vsnprintf(text, sizeof text, format, arguments);
    words_settle(text, sizeof text);
    fprintf(stderr, "attnscope: %s\n", text);
}

// --- a file in memory

bool written_begin(Written *written, Error *err)
{
    *written = (Written){.out = NULL};
    written->out = open_memstream(&written->text, &written->length);
    return written->out || error_machine(err, TELL(TEXT_NO_MEMORY));
}

bool written_end(Written *written, Error *err)
{
    bool whole = written->out && !ferror(written->out);
    if (written->out && fclose(written->out) != 0)
        whole = false;
    written->out = NULL;
    if (whole && written->text)
        return true;
    written_drop(written);
    return error_machine(err, TELL(TEXT_NO_MEMORY));
}

void written_drop(Written *written)
{
    if (written->out)
        fclose(written->out);
    free(written->text);
    *written = (Written){.out = NULL};
}
