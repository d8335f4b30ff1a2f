// SPDX-License-Identifier: Apache-2.0
#include "cerulean_sqlite.h"

#include <stddef.h>

#if defined(__linux__) || __has_include(<sqlite3.h>)

#include <sqlite3.h>

#define DATABASE(pointer) ((sqlite3 *)(pointer))
#define STATEMENT(pointer) ((sqlite3_stmt *)(pointer))

int cerulean_sqlite_open(const char *path, int writes, cerulean_sqlite_database **database) {
    int flags = writes ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY;
    sqlite3 *opened = NULL;
    int result = sqlite3_open_v2(path, &opened, flags | SQLITE_OPEN_FULLMUTEX, NULL);
    // A failed open leaves something that must be closed.
    *database = (cerulean_sqlite_database *)opened;
    if (result == SQLITE_OK) sqlite3_busy_timeout(opened, 10000);
    return result;
}

void cerulean_sqlite_close(cerulean_sqlite_database *database) { sqlite3_close_v2(DATABASE(database)); }

const char *cerulean_sqlite_message(cerulean_sqlite_database *database) { return sqlite3_errmsg(DATABASE(database)); }

int cerulean_sqlite_execute(cerulean_sqlite_database *database, const char *sql) {
    return sqlite3_exec(DATABASE(database), sql, NULL, NULL, NULL);
}

int64_t cerulean_sqlite_last_row(cerulean_sqlite_database *database) {
    return sqlite3_last_insert_rowid(DATABASE(database));
}

int cerulean_sqlite_prepare(cerulean_sqlite_database *database, const char *sql, cerulean_sqlite_statement **statement) {
    sqlite3_stmt *prepared = NULL;
    int result = sqlite3_prepare_v2(DATABASE(database), sql, -1, &prepared, NULL);
    *statement = (cerulean_sqlite_statement *)prepared;
    return result;
}

void cerulean_sqlite_finalize(cerulean_sqlite_statement *statement) { sqlite3_finalize(STATEMENT(statement)); }

int cerulean_sqlite_bind_integer(cerulean_sqlite_statement *statement, int index, int64_t value) {
    return sqlite3_bind_int64(STATEMENT(statement), index, value);
}

int cerulean_sqlite_bind_number(cerulean_sqlite_statement *statement, int index, double value) {
    return sqlite3_bind_double(STATEMENT(statement), index, value);
}

int cerulean_sqlite_bind_text(cerulean_sqlite_statement *statement, int index, const char *text, int length) {
    return sqlite3_bind_text(STATEMENT(statement), index, text, length, SQLITE_TRANSIENT);
}

int cerulean_sqlite_bind_null(cerulean_sqlite_statement *statement, int index) {
    return sqlite3_bind_null(STATEMENT(statement), index);
}

int cerulean_sqlite_step(cerulean_sqlite_statement *statement) { return sqlite3_step(STATEMENT(statement)); }
int cerulean_sqlite_reset(cerulean_sqlite_statement *statement) { return sqlite3_reset(STATEMENT(statement)); }
int cerulean_sqlite_columns(cerulean_sqlite_statement *statement) { return sqlite3_column_count(STATEMENT(statement)); }

int cerulean_sqlite_type(cerulean_sqlite_statement *statement, int column) {
    return sqlite3_column_type(STATEMENT(statement), column);
}

int64_t cerulean_sqlite_integer(cerulean_sqlite_statement *statement, int column) {
    return sqlite3_column_int64(STATEMENT(statement), column);
}

double cerulean_sqlite_number(cerulean_sqlite_statement *statement, int column) {
    return sqlite3_column_double(STATEMENT(statement), column);
}

const unsigned char *cerulean_sqlite_text(cerulean_sqlite_statement *statement, int column, int *length) {
    const unsigned char *text = sqlite3_column_text(STATEMENT(statement), column);
    *length = sqlite3_column_bytes(STATEMENT(statement), column);
    return text;
}

#else

int cerulean_sqlite_open(const char *path, int writes, cerulean_sqlite_database **database) {
    *database = NULL;
    return CERULEAN_SQLITE_UNAVAILABLE;
}
void cerulean_sqlite_close(cerulean_sqlite_database *database) {}
const char *cerulean_sqlite_message(cerulean_sqlite_database *database) { return "SQLite is not available"; }
int cerulean_sqlite_execute(cerulean_sqlite_database *database, const char *sql) { return CERULEAN_SQLITE_UNAVAILABLE; }
int64_t cerulean_sqlite_last_row(cerulean_sqlite_database *database) { return 0; }
int cerulean_sqlite_prepare(cerulean_sqlite_database *database, const char *sql, cerulean_sqlite_statement **statement) {
    *statement = NULL;
    return CERULEAN_SQLITE_UNAVAILABLE;
}
void cerulean_sqlite_finalize(cerulean_sqlite_statement *statement) {}
int cerulean_sqlite_bind_integer(cerulean_sqlite_statement *statement, int index, int64_t value) {
    return CERULEAN_SQLITE_UNAVAILABLE;
}
int cerulean_sqlite_bind_number(cerulean_sqlite_statement *statement, int index, double value) {
    return CERULEAN_SQLITE_UNAVAILABLE;
}
int cerulean_sqlite_bind_text(cerulean_sqlite_statement *statement, int index, const char *text, int length) {
    return CERULEAN_SQLITE_UNAVAILABLE;
}
int cerulean_sqlite_bind_null(cerulean_sqlite_statement *statement, int index) { return CERULEAN_SQLITE_UNAVAILABLE; }
int cerulean_sqlite_step(cerulean_sqlite_statement *statement) { return CERULEAN_SQLITE_UNAVAILABLE; }
int cerulean_sqlite_reset(cerulean_sqlite_statement *statement) { return CERULEAN_SQLITE_UNAVAILABLE; }
int cerulean_sqlite_columns(cerulean_sqlite_statement *statement) { return 0; }
int cerulean_sqlite_type(cerulean_sqlite_statement *statement, int column) { return CERULEAN_SQLITE_NULL; }
int64_t cerulean_sqlite_integer(cerulean_sqlite_statement *statement, int column) { return 0; }
double cerulean_sqlite_number(cerulean_sqlite_statement *statement, int column) { return 0; }
const unsigned char *cerulean_sqlite_text(cerulean_sqlite_statement *statement, int column, int *length) {
    *length = 0;
    return NULL;
}

#endif
