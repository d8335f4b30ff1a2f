// SPDX-License-Identifier: Apache-2.0

import CeruleanBITalino
import CeruleanCommand
import CeruleanRecording
import CeruleanWire

/// Files, and what a BITalino sends and receives.
enum FileTargets {
    static let all: [FuzzTarget] = [json, deviceFile, openSignals, recordings, edf, frames, answers, board]

    private static let device = """
        {"name":"Strap","address":"C4:7C:8D:00:11:22","addressType":"random","advertising":{"connectable":true,"data":"020106",
        "scanResponse":"0302 0D18","interval":100},"services":[{"uuid":"180D","start":1,"end":5,"primary":true,"characteristics":
        [{"uuid":"2A37","properties":["notify","read"],"value":"0648","handle":3,"descriptors":[{"uuid":"2902","value":"0000"}]}]}]}
        """

    private static let json = FuzzTarget.each(
        "json",
        [
            Array(device.utf8), Array("[1,-2.5e3,\"\\u00e4\\ud83d\\ude00\",null,true,{\"a\":[]}]".utf8),
            Array("[[[[[[".utf8),
        ]
    ) { context, input in
        guard
            let value = try? JSONText.parse(utf8: input, limits: JSONText.Limits(octets: 4096, depth: 32, values: 1000))
        else { return }
        let again = try? JSONText.parse(JSONText.encode(value))
        context.expect(again != nil, "what was written cannot be read: \(Hex.encode(input))")
    }

    private static let deviceFile = FuzzTarget.each("device-file", [Array(device.utf8)]) { _, input in
        _ = try? DeviceFileText.check(input)
    }

    private static let openSignals = FuzzTarget.each(
        "opensignals",
        [
            Array(
                """
                # OpenSignals Text File Format
                # {"98:D3:31:B2:11:22": {"sensor": ["RAW"], "device name": "a", "column": ["nSeq", "I1", "A1"], "sampling rate": 100, "resolution": [4, 1, 10], "channels": [1], "label": ["A1"]}}
                # EndOfHeader
                0\t1\t512\t
                1\t1\t513\t
                """.utf8)
        ]
    ) { _, input in _ = try? OpenSignalsRecording(input) }

    private static let recordings = FuzzTarget.each(
        "recordings",
        [
            Array(
                "index,time,hostTime,lostBefore,A1,A1 (mV)\n0,0,1764528000.000,0,512,0\n5,0.05,1764528000.050,4,,\n"
                    .utf8),
            Array(
                """
                {"type":"header","device":{"kind":"bitalino","name":"B","address":"C7:CE:00:00:00:10"},"channels":[{"name":"A1",\
                "quantity":"voltage","unit":"mV","resolution":10,"range":[0,1023]}],"rate":100,"start":"2026-11-30T19:33:00.000Z"}
                {"type":"sample","index":0,"time":0,"values":{"A1":512}}
                {"type":"gap","index":1,"lost":4}
                {"type":"marker","index":5,"hostTime":"2026-11-30T19:33:00.050Z","text":"m"}
                {"type":"sample","index":5,"time":0.05,"values":{}}
                {"type":"end","samples":2,"lost":4,"reason":"finished"}

                """.utf8),
            Array(
                """
                # OpenSignals Text File Format. Version 1
                # {"a":{"column":["nSeq","I1","A1"],"sampling rate":100,"resolution":[4,1,10],"label":["A1"],"sensor":["RAW"],"date":"2026-11-30","time":"19:33:0.5"}}
                # EndOfHeader
                15\t1\t512\t
                3\t0\tnan\t

                """.utf8),
        ]
    ) { context, input in
        for session in (try? RecordedSession.read(input, path: "fuzz")) ?? [] {
            let isWhole = session.rowCount == 0 ? session.values.isEmpty : session.values.count % session.rowCount == 0
            context.expect(isWhole, "rows that are not whole")
            let isNumbered = session.indices.isEmpty || session.indices.count == session.rowCount
            context.expect(isNumbered && session.lost >= 0, "\(session.indices.count) indices, \(session.lost) lost")
            context.expect(
                zip(session.indices, session.indices.dropFirst()).allSatisfy { $0 < $1 }, "indices that do not rise")
        }
    }

    private static let edf = FuzzTarget.each("edf", weight: 1, [EDFSample.octets]) { context, input in
        for session in EDFSample.read(input) {
            let isWhole = session.rowCount == 0 ? session.values.isEmpty : session.values.count % session.rowCount == 0
            context.expect(isWhole, "rows that are not whole")
            context.expect(session.marks.allSatisfy { $0.index >= 0 }, "a mark in front of the first sample")
        }
    }

    /// Whatever comes, the receiver keeps less than two frames, and every octet is in a frame, passed over or kept.
    private static let frames = FuzzTarget("bitalino-frames", weight: 15) { context, count in
        var number = 0
        while number < count {
            let inputs = BITalino.InputSet(rawValue: UInt8(context.mutator.number(1...63)))
            var receiver = BITalino.FrameReceiver(inputs: inputs)
            var sent = 0
            var frames = 0
            var sequence: UInt8 = 0
            for _ in 0..<min(32, count - number) {
                context.next(number)
                number += 1
                var chunk: [UInt8] = []
                for _ in 0..<context.mutator.number(0...3) {
                    var frame = BITalino.Frame(inputs: inputs, sequence: sequence)
                    frame.analog[0] = UInt16(context.mutator.number(0...1023))
                    BITalino.FrameCodec.encode(frame, into: &chunk)
                    sequence = (sequence &+ 1) & 15
                }
                if context.mutator.chance(60) { context.mutator.mutate(&chunk) }
                sent += chunk.count
                receiver.receive(chunk) { _, _ in frames += 1 }
                context.expect(
                    receiver.pendingOctets < 2 * receiver.frameSize, "keeps \(receiver.pendingOctets) octets")
                context.expect(
                    frames * receiver.frameSize + receiver.discardedOctets + receiver.pendingOctets == sent,
                    "\(sent) octets became \(frames) frames, \(receiver.discardedOctets) passed over and "
                        + "\(receiver.pendingOctets) kept")
            }
        }
    }

    private static let answers = FuzzTarget.each(
        "bitalino-answers", weight: 5, [Array("BITalino_v5.2\n".utf8), [UInt8](repeating: 7, count: 17)]
    ) { _, input in
        let version = BITalino.Version(answer: input)
        _ = try? BITalino.BoardState(answer: input, version: version ?? BITalino.Version(major: 5, minor: 2))
    }

    private static let board = FuzzTarget("bitalino-board", weight: 5) { context, count in
        var board = BITalino.SimulatedBoard()
        var now = MonotonicTime.zero
        for number in 0..<count {
            context.next(number)
            board.receive(context.mutator.input(like: [[0xFD, 0xC3], [7], [0], [0x0B], [0xB3, 0xFF]]), at: now)
            now = now + .microseconds(context.mutator.number(0...20_000))
            board.advance(to: now)
            let taken = board.take()
            context.expect(taken.count <= 1 << 20, "the board sends \(taken.count) octets at once")
        }
    }
}
