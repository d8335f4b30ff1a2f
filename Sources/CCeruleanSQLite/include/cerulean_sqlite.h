// SPDX-License-Identifier: Apache-2.0
// SQLite behind a few functions, so that no header of it reaches a user's build.
#ifndef CERULEAN_SQLITE_H
#define CERULEAN_SQLITE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cerulean_sqlite_database cerulean_sqlite_database;
typedef struct cerulean_sqlite_statement cerulean_sqlite_statement;

// The library was not there when this was compiled.
#define CERULEAN_SQLITE_UNAVAILABLE (-1)
#define CERULEAN_SQLITE_OK 0
#define CERULEAN_SQLITE_FULL 13
#define CERULEAN_SQLITE_ROW 100
#define CERULEAN_SQLITE_DONE 101

// Types of values in a row.
#define CERULEAN_SQLITE_INTEGER 1
#define CERULEAN_SQLITE_FLOAT 2
#define CERULEAN_SQLITE_TEXT 3
#define CERULEAN_SQLITE_NULL 5

// Opens a database; an OK code or an error. `writes` 0 opens for reading alone, 1 creates what is missing.
int cerulean_sqlite_open(const char *path, int writes, cerulean_sqlite_database **database);
void cerulean_sqlite_close(cerulean_sqlite_database *database);
// What went wrong last; valid until the next call.
const char *cerulean_sqlite_message(cerulean_sqlite_database *database);
// Runs statements without results.
int cerulean_sqlite_execute(cerulean_sqlite_database *database, const char *sql);
int64_t cerulean_sqlite_last_row(cerulean_sqlite_database *database);

int cerulean_sqlite_prepare(cerulean_sqlite_database *database, const char *sql, cerulean_sqlite_statement **statement);
void cerulean_sqlite_finalize(cerulean_sqlite_statement *statement);
// Parameters and columns: parameters count from 1, columns from 0.
int cerulean_sqlite_bind_integer(cerulean_sqlite_statement *statement, int index, int64_t value);
int cerulean_sqlite_bind_number(cerulean_sqlite_statement *statement, int index, double value);
int cerulean_sqlite_bind_text(cerulean_sqlite_statement *statement, int index, const char *text, int length);
int cerulean_sqlite_bind_null(cerulean_sqlite_statement *statement, int index);
// Runs up to the next row: ROW, DONE or an error.
int cerulean_sqlite_step(cerulean_sqlite_statement *statement);
int cerulean_sqlite_reset(cerulean_sqlite_statement *statement);
int cerulean_sqlite_columns(cerulean_sqlite_statement *statement);
int cerulean_sqlite_type(cerulean_sqlite_statement *statement, int column);
int64_t cerulean_sqlite_integer(cerulean_sqlite_statement *statement, int column);
double cerulean_sqlite_number(cerulean_sqlite_statement *statement, int column);
// The octets of a text and how many there are; valid until the next step.
const unsigned char *cerulean_sqlite_text(cerulean_sqlite_statement *statement, int column, int *length);

#ifdef __cplusplus
}
#endif

#endif
