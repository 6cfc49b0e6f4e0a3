// doctor_kernels: with which instructions large products are computed. Every kernel gives the same
// bits; without a fast one it only takes longer.
#include <stdio.h>
#include <string.h>
#include "doctor.h"
#include "kernel.h"

void doctor_kernels(Doctor *doctor)
{
    char names[128] = "";
    const Kernel *kernel, *chosen = kernel_choose();
    int count = 0;
    for (; (kernel = kernel_get(count)) != NULL; count++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", count ? ", " : "",
                 kernel->name);
    if (count > 1)
        doctor_say(doctor, DOCTOR_WELL, DOCTOR_SAYS_KERNEL, chosen->name, names);
    else
        doctor_say(doctor, DOCTOR_LACKS, DOCTOR_SAYS_KERNEL_PLAIN);
}
