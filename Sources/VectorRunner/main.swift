// SPDX-License-Identifier: Apache-2.0

import CeruleanVectors
import Foundation

let usage = "usage: vector-runner [--without-needs] FILE…"
var files: [String] = []
var withoutNeeds = false
for argument in CommandLine.arguments.dropFirst() {
    switch argument {
    case "--without-needs": withoutNeeds = true
    case "-h", "--help":
        print(usage)
        exit(0)
    case _ where argument.hasPrefix("--"):
        FileHandle.standardError.write(Data("vector-runner: unknown option \(argument)\n\(usage)\n".utf8))
        exit(2)
    default: files.append(argument)
    }
}
guard !files.isEmpty else {
    FileHandle.standardError.write(Data("\(usage)\n".utf8))
    exit(2)
}

let runner = VectorRunner(withoutNeeds: withoutNeeds)
var report = VectorReport()
for file in files { report.add(await runner.run(file: file)) }
for line in report.lines { print(line) }
exit(report.failed == 0 ? 0 : 1)
