// SPDX-License-Identifier: Apache-2.0

import Glibc

let usage = """
    usage: bench-cerulean WORKLOAD N [CONNS]
    WORKLOAD: notify20 notify244 notify244f27 read20 read244 srvread20 srvread244 advlegacy advext api-notify20 api-read20
    api-read20-pool bluest-inertial bluest-fusion bluest-environment record-bitalino (N milliseconds of CONNS boards)
    Prints nanoseconds for one operation; ok=1 when all of it arrived as it was sent.

    """

exit(Program.run(Array(CommandLine.arguments.dropFirst())))
