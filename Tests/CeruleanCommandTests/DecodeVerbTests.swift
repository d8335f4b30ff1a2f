// SPDX-License-Identifier: Apache-2.0
import CeruleanWire
import Testing

@testable import CeruleanCommand

@Suite struct DecodeVerbTests {
    @Test func printsAnAdvertisement() async {
        let test = TestConsole()
        #expect(
            await test.run(
                "decode", "advertisement", "02:01:06 03 03 0d18 0549 6e6f", "0509 41424344 0aff4C000215aabbccddee")
                == .badData)
        #expect(test.objects.count == 2)
        // 05 49 announces five octets of which two are there.
        #expect(test.objects[0]["ok"] == false)
        #expect(test.objects[0]["error"]?["code"] == "truncated")
        #expect(test.objects[0]["error"]?["offset"] == 7)
        #expect(test.objects[0]["value"]?["flags"] == 6)
        #expect(test.objects[0]["value"]?["services"] == ["180D"])
        #expect(test.objects[0]["value"]?["structures"] == [["type": 1, "data": "06"], ["type": 3, "data": "0d18"]])
        #expect(
            test.lines[1]
                == #"{"ok":true,"value":{"name":"ABCD","manufacturerData":{"004C":"0215aabbccddee"},"structures":[{"type":9,"data":"41424344"},{"type":255,"data":"4c000215aabbccddee"}]}}"#
        )
    }

    @Test(arguments: [("0g", 1), ("0", 1), ("01 2", 4), ("hello", 0), ("0x01", 1), ("01 0", 4), ("0 1", 1)])
    func textThatIsNoHexIsBadData(text: String, offset: Int64) async {
        let test = TestConsole()
        #expect(await test.run("decode", "advertisement", text) == .badData)
        #expect(test.objects[0]["ok"] == false)
        #expect(test.objects[0]["error"]?["code"] == "notHex")
        #expect(test.objects[0]["error"]?["offset"] == .integer(offset))
        #expect(test.objects[0]["value"] == nil)
    }

    @Test func readsLinesAndSkipsBlankOnes() async {
        let test = TestConsole(input: ["020106", "", "   ", "\t", "zz", "0201"])
        #expect(await test.run("decode", "advertisement") == .badData)
        #expect(test.objects.map { $0["ok"] } == [true, false, false])
        let none = TestConsole(input: ["", " "])
        #expect(await none.run("decode", "advertisement") == .usage)
        #expect(none.out.isEmpty)
    }

    @Test func decodesCharacteristics() async {
        let test = TestConsole()
        #expect(await test.run("decode", "characteristic", "--uuid", "2a37", "1e5ad20400040002", "0048") == .ok)
        #expect(
            test.lines[0]
                == #"{"ok":true,"value":{"heartRate":90,"sensorContact":"detected","energyExpended":1234,"rrIntervals":[1024,512]}}"#
        )
        #expect(test.objects[1]["value"]?["energyExpended"] == .null)
        let named = TestConsole()
        #expect(await named.run("decode", "characteristic", "--uuid", "battery_level", "64") == .ok)
        #expect(named.lines == [#"{"ok":true,"value":{"value":100}}"#])
        let long = TestConsole()
        #expect(await long.run("decode", "characteristic", "--uuid", "2A19", "6401") == .ok)
        #expect(long.objects[0]["value"]?["rest"] == "01")
    }

    @Test func aCutValueNamesTheFieldAndKeepsWhatCameBefore() async {
        let test = TestConsole()
        #expect(await test.run("decode", "characteristic", "--uuid", "2A37", "084801", "01") == .badData)
        #expect(test.objects[0]["error"]?["code"] == "truncated")
        #expect(test.objects[0]["error"]?["offset"] == 2)
        #expect(test.objects[0]["error"]?["message"] == "Heart Rate Measurement, energyExpended: truncated at offset 2")
        #expect(test.objects[0]["value"] == ["heartRate": 72, "sensorContact": "notSupported"])
        #expect(test.objects[1]["value"] == nil)
        #expect(test.objects[1]["error"]?["offset"] == 1)
    }

    @Test(arguments: [
        ["decode", "nonsense", "00"], ["decode", "characteristic", "00"],
        ["decode", "characteristic", "--uuid", "xyz", "00"], ["decode", "characteristic", "--uuid", "FFFE", "00"],
        ["decode", "characteristic", "--uuid", "2A37", "--signals", "-1", "00"],
        ["decode", "characteristic", "--uuid", "2A37", "--channels", "3", "0048"],
        ["decode", "advertisement", "--uuid", "2A37", "020106"],
        ["decode", "bitalino-frames", "--channels", "1", "--signals", "2", "00"],
    ])
    func wrongKindsAndOptionsExit2(arguments: [String]) async {
        let test = TestConsole()
        #expect(await CeruleanProgram.run(arguments, test.console) == .usage)
        #expect(test.out.isEmpty && !test.error.isEmpty)
    }

    @Test func survivesRubbish() async {
        var state: UInt64 = 3
        for _ in 0..<300 {
            var hex = ""
            for _ in 0..<Int(state >> 33 % 70) {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                hex += Hex.encode(CollectionOfOne(UInt8(truncatingIfNeeded: state >> 40)))
            }
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            for kind in [
                ["advertisement"], ["characteristic", "--uuid", "2A37"], ["characteristic", "--uuid", "2904"],
            ] {
                let test = TestConsole()
                let code = await CeruleanProgram.run(["decode"] + kind + [hex], test.console)
                #expect(code == .ok || code == .badData)
                #expect((test.objects.first?["ok"] == true) == (code == .ok))
            }
        }
    }
}

/// Octets of Tests/Vectors/bitalino.json.
@Suite struct DecodeBITalinoTests {
    @Test func printsFramesAsFarAsTheyGo() async {
        let test = TestConsole()
        #expect(
            await test.run("decode", "bitalino-frames", "--channels", "1", "749b7f7c069f", "749b7f7c069e", "749b7f7c")
                == .badData)
        let first: FieldValue = ["seq": 7, "digital": [1, 0, 0, 1], "analog": [733]]
        #expect(
            test.objects[0]
                == ["ok": true, "value": ["frames": [first, ["seq": 9, "digital": [0, 0, 0, 0], "analog": [415]]]]])
        #expect(test.objects[1]["error"]?["code"] == "crc")
        #expect(test.objects[1]["error"]?["offset"] == 3)
        #expect(test.objects[1]["value"] == ["frames": [first]])
        #expect(test.objects[2]["error"]?["code"] == "truncated")
        #expect(test.objects[2]["error"]?["offset"] == 3)
        #expect(test.objects[2]["value"] == ["frames": [first]])
    }

    @Test func printsStates() async {
        let test = TestConsole()
        let hex = "4b03130017006f02ef000e012c0226b164"
        #expect(await test.run("decode", "bitalino-state", hex, "4b03130017006f02ef000e012c0226b165", "00") == .badData)
        #expect(
            test.lines[0]
                == #"{"ok":true,"value":{"analog":[843,19,23,623,239,270],"battery":556,"batteryThreshold":38,"digital":[0,1,1,0],"pwm":177}}"#
        )
        #expect(test.objects[1]["error"]?["code"] == "crc")
        #expect(test.objects[1]["error"]?["offset"] == 16)
        #expect(test.objects[2]["error"]?["code"] == "truncated")
    }

    @Test func printsVersions() async {
        let test = TestConsole()
        #expect(
            await test.run("decode", "bitalino-version", "424954616c696e6f5f76352e320a", "424954", "0a0a") == .badData)
        #expect(
            test.lines[0]
                == #"{"ok":true,"value":{"version":"BITalino_v5.2","isBITalino2":true,"stateIs17Bytes":true}}"#)
        #expect(test.objects[1]["error"]?["code"] == "truncated")
        #expect(test.objects[2]["error"]?["code"] == "invalid")
    }

    @Test(arguments: [[], ["--channels", "0"], ["--channels", "7"], ["--channels", "x"]])
    func framesNeedANumberOfChannels(options: [String]) async {
        let test = TestConsole()
        #expect(await CeruleanProgram.run(["decode", "bitalino-frames"] + options + ["00"], test.console) == .usage)
    }
}
