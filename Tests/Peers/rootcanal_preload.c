// SPDX-License-Identifier: Apache-2.0
// Keeps RootCanal on the loopback interface and without Nagle's delay: it binds every interface and sends each packet in two parts.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

int bind(int fd, const struct sockaddr *address, socklen_t length) {
    int (*next)(int, const struct sockaddr *, socklen_t) = dlsym(RTLD_NEXT, "bind");
    if (address->sa_family == AF_INET && length >= sizeof(struct sockaddr_in)) {
        struct sockaddr_in local;
        memcpy(&local, address, sizeof local);
        local.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        return next(fd, (const struct sockaddr *)&local, sizeof local);
    }
    return next(fd, address, length);
}

int accept(int fd, struct sockaddr *address, socklen_t *length) {
    int (*next)(int, struct sockaddr *, socklen_t *) = dlsym(RTLD_NEXT, "accept");
    int peer = next(fd, address, length), yes = 1;
    if (peer >= 0) setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return peer;
}
