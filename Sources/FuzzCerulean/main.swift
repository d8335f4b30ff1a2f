// SPDX-License-Identifier: Apache-2.0

import Glibc

exit(FuzzProgram.run(Array(CommandLine.arguments.dropFirst())))
