// SPDX-License-Identifier: Apache-2.0

import FuzzCerulean
import Glibc

exit(FuzzProgram.run(Array(CommandLine.arguments.dropFirst())))
