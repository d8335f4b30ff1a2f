// SPDX-License-Identifier: Apache-2.0
import CeruleanWire
import Testing

@testable import CeruleanCommand

@Suite struct ProgramTests {
    @Test(arguments: [
        ([], "no verb"), (["dance"], "unknown verb 'dance'"), (["decod"], "did you mean decode?"),
        (["decode"], "needs KIND"), (["decode", "advertisement", "--colour", "00"], "unknown option --colour"),
        (["--uuid", "2A37", "decode"], "belongs behind its verb"), (["decode", "-x"], "unknown option -x"),
        (["decode", "characteristic", "00", "--uuid"], "needs a value"),
        (["decode", "characteristic", "00", "--json=yes", "--uuid", "2A37"], "takes no value"),
        (["completions"], "needs SHELL"), (["completions", "bash", "zsh"], "does not take 'zsh'"),
        (["completions", "tcsh"], "no completions for 'tcsh'"),
        (["decode", "advertisement", "00", "--name", "x"], "does not take --name"),
        (["--pick", "first", "doctor"], "does not take --pick"),
    ])
    func aWrongCommandLineExits2AndSaysWhy(arguments: [String], text: String) async {
        let test = TestConsole()
        #expect(await CeruleanProgram.run(arguments, test.console) == .usage)
        #expect(test.error.contains(text), "\(test.error)")
        #expect(test.out.isEmpty)
    }

    @Test func sharedOptionsStandBeforeOrBehindTheVerb() throws {
        let parser = ArgumentParser(.cerulean)
        let lines = [
            [
                "--adapter", "virtual", "--json", "--name=x", "write", "characteristic", "--rssi-min", "-70", "--",
                "-1",
            ],
            ["write", "--rssi-min=-70", "characteristic", "--name", "x", "--adapter=virtual", "--json", "--", "-1"],
        ]
        for line in lines {
            guard case .run(let invocation) = try parser.parse(line) else {
                Issue.record("not run")
                return
            }
            #expect(invocation.value("adapter") == "virtual")
            #expect(invocation.value("name") == "x")
            #expect(try invocation.integer("rssi-min", -127...20) == -70)
            #expect(invocation.has("json"))
            #expect(invocation.positionals == ["characteristic", "-1"])
        }
    }

    @Test(arguments: ["nan", "inf", "-1", "1e99", "", "x", "0x10", "1.2.3"])
    func secondsMustBeSeconds(text: String) throws {
        guard case .run(let invocation) = try ArgumentParser(.cerulean).parse(["decode", "x", "--timeout=\(text)"])
        else {
            Issue.record("not run")
            return
        }
        #expect(throws: CommandError.self) { try invocation.seconds("timeout") }
    }

    @Test func helpGoesToStandardOutput() async {
        for line in [["--help"], ["-h"], ["help"]] {
            let test = TestConsole()
            #expect(await CeruleanProgram.run(line, test.console) == .ok)
            for verb in ProgramSpecification.cerulean.verbs { #expect(test.out.contains("  \(verb.name)")) }
            #expect(test.error.isEmpty)
        }
        for verb in ProgramSpecification.cerulean.verbs {
            let test = TestConsole()
            #expect(await test.run(verb.name, "--help") == .ok)
            for option in verb.options { #expect(test.out.contains("--\(option.name)")) }
            #expect(test.out.split(separator: "\n").allSatisfy { $0.count <= 120 })
        }
        let version = TestConsole()
        #expect(await version.run("--version") == .ok)
        #expect(version.out == "cerulean \(CeruleanProgram.version)\n")
    }

    @Test(arguments: Completions.Shell.allCases)
    func completionsNameEveryVerbAndOption(shell: Completions.Shell) async {
        let test = TestConsole()
        #expect(await test.run("completions", shell.rawValue) == .ok)
        for verb in ProgramSpecification.cerulean.verbs {
            #expect(test.out.contains(verb.name))
            for option in verb.options { #expect(test.out.contains(option.name)) }
        }
    }

    @Test func colorsOnlyOnATerminalAndNeverWithNoColor() async {
        let pipe = TestConsole()
        _ = await pipe.run("dance")
        #expect(!pipe.error.contains("\u{1B}"))
        let terminal = TestConsole(isTerminal: true)
        _ = await terminal.run("dance")
        #expect(terminal.error.contains("\u{1B}[31m"))
        let plain = TestConsole(isTerminal: true, environment: ["NO_COLOR": "1"])
        _ = await plain.run("dance")
        #expect(!plain.error.contains("\u{1B}"))
        #expect(!plain.console.usesColor)
    }

    @Test func namesFromTheAirCannotSteerATerminal() async {
        #expect(TerminalText.escaped("a\u{1B}[2Jb") == "a\\u{1b}[2Jb")
        #expect(TerminalText.escaped("\u{202E}abc\u{0}") == "\\u{202e}abc\\u{0}")
        #expect(TerminalText.escaped("Grüße 心") == "Grüße 心")
        let test = TestConsole()
        _ = await test.run("\u{1B}]0;x\u{7}")
        #expect(!test.error.contains("\u{1B}") && !test.error.contains("\u{7}"))
    }
}
