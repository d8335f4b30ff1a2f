// SPDX-License-Identifier: Apache-2.0
#include "cerulean_edf.h"

#if defined(__linux__) || __has_include(<edflib.h>)

#include <edflib.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

// The library keeps its open files in one table without a lock.
static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;

int cerulean_edf_create(const char *path, int signals) {
    pthread_mutex_lock(&table);
    int handle = edfopen_file_writeonly(path, EDFLIB_FILETYPE_EDFPLUS, signals);
    pthread_mutex_unlock(&table);
    return handle;
}

int cerulean_edf_set_signal(int handle, int index, const cerulean_edf_signal *signal) {
    if (edf_set_samplefrequency(handle, index, signal->samples_in_record)) return -1;
    if (edf_set_physical_maximum(handle, index, signal->physical_maximum)) return -2;
    if (edf_set_physical_minimum(handle, index, signal->physical_minimum)) return -3;
    if (edf_set_digital_maximum(handle, index, signal->digital_maximum)) return -4;
    if (edf_set_digital_minimum(handle, index, signal->digital_minimum)) return -5;
    if (edf_set_label(handle, index, signal->label)) return -6;
    if (edf_set_physical_dimension(handle, index, signal->unit)) return -7;
    return 0;
}

int cerulean_edf_set_header(int handle, const cerulean_edf_header *header, int record_duration) {
    if (edf_set_startdatetime(handle, header->year, header->month, header->day, header->hour, header->minute,
                              header->second)) return -1;
    if (edf_set_datarecord_duration(handle, record_duration)) return -2;
    if (header->equipment[0] && edf_set_equipment(handle, header->equipment)) return -3;
    if (header->name[0] && edf_set_recording_additional(handle, header->name)) return -4;
    return 0;
}

int cerulean_edf_write_record(int handle, int *samples) { return edf_blockwrite_digital_samples(handle, samples); }

int cerulean_edf_close(int handle) {
    pthread_mutex_lock(&table);
    int result = edfclose_file(handle);
    pthread_mutex_unlock(&table);
    return result;
}

static void copy_text(char *target, size_t size, const char *text, size_t room) {
    size_t length = strnlen(text, room < size ? room : size - 1);
    memcpy(target, text, length);
    target[length] = 0;
    while (length > 0 && target[length - 1] == ' ') target[--length] = 0;
}

int cerulean_edf_open(const char *path, cerulean_edf_header *header, cerulean_edf_signal *signals, int limit) {
    struct edf_hdr_struct *known = calloc(1, sizeof *known);
    if (!known) return -1;
    pthread_mutex_lock(&table);
    int failed = edfopen_file_readonly(path, known, EDFLIB_READ_ALL_ANNOTATIONS);
    pthread_mutex_unlock(&table);
    if (failed) {
        int reason = known->filetype;
        free(known);
        return reason < 0 ? reason : -1;
    }
    memset(header, 0, sizeof *header);
    header->handle = known->handle;
    header->signals = known->edfsignals;
    header->records = known->datarecords_in_file;
    header->record_duration = known->datarecord_duration;
    header->annotations = known->annotations_in_file;
    header->year = known->startdate_year;
    header->month = known->startdate_month;
    header->day = known->startdate_day;
    header->hour = known->starttime_hour;
    header->minute = known->starttime_minute;
    header->second = known->starttime_second;
    copy_text(header->equipment, sizeof header->equipment, known->equipment, sizeof known->equipment);
    copy_text(header->name, sizeof header->name, known->recording_additional, sizeof known->recording_additional);
    for (int index = 0; index < known->edfsignals && index < limit; index++) {
        struct edf_param_struct *from = &known->signalparam[index];
        cerulean_edf_signal *to = &signals[index];
        memset(to, 0, sizeof *to);
        copy_text(to->label, sizeof to->label, from->label, sizeof from->label);
        copy_text(to->unit, sizeof to->unit, from->physdimension, sizeof from->physdimension);
        to->physical_minimum = from->phys_min;
        to->physical_maximum = from->phys_max;
        to->digital_minimum = from->dig_min;
        to->digital_maximum = from->dig_max;
        to->samples_in_record = from->smp_in_datarecord;
        to->samples = from->smp_in_file;
    }
    free(known);
    return 0;
}

int cerulean_edf_read(int handle, int signal, int count, int *samples) {
    return edfread_digital_samples(handle, signal, count, samples);
}

int cerulean_edf_get_annotation(int handle, int index, cerulean_edf_annotation *annotation) {
    struct edf_annotation_struct *known = calloc(1, sizeof *known);
    if (!known) return -1;
    int result = edf_get_annotation(handle, index, known);
    if (result == 0) {
        annotation->onset = known->onset;
        annotation->duration = known->duration_l;
        copy_text(annotation->text, sizeof annotation->text, known->annotation, sizeof known->annotation);
    }
    free(known);
    return result;
}

#else

int cerulean_edf_create(const char *path, int signals) { return CERULEAN_EDF_UNAVAILABLE; }
int cerulean_edf_set_signal(int handle, int index, const cerulean_edf_signal *signal) {
    return CERULEAN_EDF_UNAVAILABLE;
}
int cerulean_edf_set_header(int handle, const cerulean_edf_header *header, int record_duration) {
    return CERULEAN_EDF_UNAVAILABLE;
}
int cerulean_edf_write_record(int handle, int *samples) { return CERULEAN_EDF_UNAVAILABLE; }
int cerulean_edf_close(int handle) { return CERULEAN_EDF_UNAVAILABLE; }
int cerulean_edf_open(const char *path, cerulean_edf_header *header, cerulean_edf_signal *signals, int limit) {
    return CERULEAN_EDF_UNAVAILABLE;
}
int cerulean_edf_read(int handle, int signal, int count, int *samples) { return CERULEAN_EDF_UNAVAILABLE; }
int cerulean_edf_get_annotation(int handle, int index, cerulean_edf_annotation *annotation) {
    return CERULEAN_EDF_UNAVAILABLE;
}

#endif
