// SPDX-License-Identifier: Apache-2.0

import CeruleanCommand
import Foundation

exit(await CeruleanProgram.run(Array(CommandLine.arguments.dropFirst())))
