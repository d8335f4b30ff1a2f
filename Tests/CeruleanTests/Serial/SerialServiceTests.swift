// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanTesting
import CeruleanWire
import Testing

/// Serial lines over two whole stacks.
@Suite struct SerialServiceTests {
    @Test(arguments: SerialProfile.all)
    func octetsComeBackWhole(profile: SerialProfile) async throws {
        try await TwoHosts.run { hosts in
            let server = hosts.server
            let (stream, continuation) = AsyncStream.makeStream(of: [UInt8].self)
            let isOne = profile.toDevice == profile.fromDevice
            let taking: LocalCharacteristic.WriteHandler = { request in _ = continuation.yield(request.value) }
            let output = LocalCharacteristic(
                profile.fromDevice, isOne ? [.notify, .writeWithoutResponse] : [.notify], onWrite: isOne ? taking : nil)
            var all = [output]
            if !isOne { all.append(LocalCharacteristic(profile.toDevice, [.writeWithoutResponse], onWrite: taking)) }
            try await server.publish([LocalService(profile.service, characteristics: all)])
            try await server.advertise(name: "Line", services: [profile.service])
            let serial = try await SerialService(
                connecting: try await hosts.central.first(.services([profile.service])))
            #expect(serial.profile.name == profile.name)
            let sent = (0..<3000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            let received = try await serial.received()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    var sizes: [Int] = []
                    for await bytes in stream {
                        sizes.append(bytes.count)
                        try await server.update(output, to: bytes)
                        if sizes.reduce(0, +) == sent.count { break }
                    }
                    #expect(sizes.dropLast().allSatisfy { $0 == serial.packetLength })
                }
                group.addTask { try await serial.write(sent) }
                var back: [UInt8] = []
                for try await bytes in received {
                    back += bytes
                    if back.count >= sent.count { break }
                }
                #expect(back == sent)
                try await group.waitForAll()
            }
        }
    }
}
