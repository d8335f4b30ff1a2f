// SPDX-License-Identifier: Apache-2.0
// EDF+ files by EDFlib behind a few functions, so that no header of it reaches a user's build.
#ifndef CERULEAN_EDF_H
#define CERULEAN_EDF_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The library was not there when this was compiled.
#define CERULEAN_EDF_UNAVAILABLE (-1000)

// What a file says of one of its signals.
typedef struct {
    char label[17];
    char unit[9];
    double physical_minimum;
    double physical_maximum;
    int digital_minimum;
    int digital_maximum;
    int samples_in_record;
    int64_t samples;
} cerulean_edf_signal;

// What a file says of itself. Times in units of 100 ns.
typedef struct {
    int handle;
    int signals;
    int64_t records;
    int64_t record_duration;
    int64_t annotations;
    int year, month, day, hour, minute, second;
    char equipment[81];
    char name[81];
} cerulean_edf_header;

// One annotation. Times in units of 100 ns; a duration below 0 is none.
typedef struct {
    int64_t onset;
    int64_t duration;
    char text[512];
} cerulean_edf_annotation;

// Opens a file for writing, which is emptied; its handle, or a number below 0.
int cerulean_edf_create(const char *path, int signals);
// Describes a signal; 0, or a number below 0.
int cerulean_edf_set_signal(int handle, int index, const cerulean_edf_signal *signal);
// Describes the file; the duration of a record is in units of 10 microseconds. 0, or a number below 0.
int cerulean_edf_set_header(int handle, const cerulean_edf_header *header, int record_duration);
// Writes one record: the samples of the first signal, then those of the second, and so on. 0, or a number below 0.
int cerulean_edf_write_record(int handle, int *samples);
// Completes and closes. 0, or a number below 0.
int cerulean_edf_close(int handle);

// Opens a file for reading; 0, or a number below 0.
int cerulean_edf_open(const char *path, cerulean_edf_header *header, cerulean_edf_signal *signals, int limit);
// Reads up to `count` samples of a signal from where the last call ended; how many, or a number below 0.
int cerulean_edf_read(int handle, int signal, int count, int *samples);
// Reads an annotation; 0, or a number below 0.
int cerulean_edf_get_annotation(int handle, int index, cerulean_edf_annotation *annotation);

#ifdef __cplusplus
}
#endif

#endif
