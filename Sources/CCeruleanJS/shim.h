// SPDX-License-Identifier: Apache-2.0
#ifndef CERULEAN_JS_SHIM_H
#define CERULEAN_JS_SHIM_H

#include <JavaScriptCore/JavaScript.h>
#include <dlfcn.h>
#include <glib.h>

/* JavaScriptCore keeps the timers of its garbage collector on the GLib context of the thread that makes the first context. On
   any thread but the main one that is a private context, which nobody iterates, unless the thread has a default: so one is
   made. It stays until the thread ends. */
static inline void cerulean_js_adopt_thread(void) {
    if (!g_main_context_get_thread_default()) {
        GMainContext *context = g_main_context_new();
        g_main_context_push_thread_default(context);
        g_main_context_unref(context);
    }
}

/* Runs what the collector has to do, at most a few steps. */
static inline void cerulean_js_pump(void) {
    GMainContext *context = g_main_context_get_thread_default();
    int steps = 0;
    while (context && steps < 64 && g_main_context_iteration(context, FALSE)) steps++;
}

/* What follows is exported by the library but not in its headers: it is looked up, so that a version without it still works. */

typedef bool (*cerulean_js_should_end)(JSContextRef context, void *user);

static inline bool cerulean_js_limit(JSContextGroupRef group, double seconds, cerulean_js_should_end decide) {
    typedef void (*function)(JSContextGroupRef, double, cerulean_js_should_end, void *);
    function limit = (function)dlsym(RTLD_DEFAULT, "JSContextGroupSetExecutionTimeLimit");
    if (limit) limit(group, seconds, decide, NULL);
    return limit != NULL;
}

static inline bool cerulean_js_on_rejection(JSGlobalContextRef context, JSObjectRef callback) {
    typedef void (*function)(JSGlobalContextRef, JSObjectRef, JSValueRef *);
    function set = (function)dlsym(RTLD_DEFAULT, "JSGlobalContextSetUnhandledRejectionCallback");
    if (set) set(context, callback, NULL);
    return set != NULL;
}

static inline bool cerulean_js_collect(JSContextRef context) {
    typedef void (*function)(JSContextRef);
    function collect = (function)dlsym(RTLD_DEFAULT, "JSSynchronousGarbageCollectForDebugging");
    if (collect) collect(context);
    return collect != NULL;
}

#endif
