// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost

extension BITalino {
    /// The two characteristics of a connected board.
    struct Port: Sendable {
        let peripheral: Peripheral
        let commands: Characteristic
        let frames: Characteristic
        /// Keeps the peer's subscription between calls, with room for a single value that nobody reads.
        let subscription: Notifications

        /// Values that wait for a slow reader: at 1000 Hz some 8 seconds. Beyond it the newest are dropped and counted as lost.
        private static let capacity = 4096

        static func open(_ peripheral: Peripheral, timeout: Duration) async throws(BITalinoError) -> Port {
            do throws(BluetoothError) {
                if !peripheral.isConnected {
                    // 400 values a second need an event every few milliseconds. Section 9 of the protocol notes.
                    let wish = ConnectionParameterRequest(
                        minimumInterval: .microseconds(7500), maximumInterval: .milliseconds(15), latency: 0,
                        supervisionTimeout: .seconds(2))
                    try await peripheral.connect(options: ConnectOptions(parameters: wish), timeout: timeout)
                }
                try await peripheral.discover([BITalino.service], timeout: timeout)
                guard
                    let commands = peripheral.characteristics(
                        BITalino.commandsCharacteristic, in: BITalino.service
                    ).first,
                    let frames = peripheral.characteristics(BITalino.framesCharacteristic, in: BITalino.service).first,
                    commands.properties.contains(.write), frames.canNotify
                else {
                    throw BluetoothError(.notFound, notBITalino)
                }
                let subscription = try await peripheral.notifications(
                    of: frames, capacity: 1, overflow: .dropNewest, timeout: timeout)
                return Port(peripheral: peripheral, commands: commands, frames: frames, subscription: subscription)
            } catch {
                if error.operation == notBITalino {
                    throw BITalinoError(
                        .notBITalino, "\(peripheral) has no BITalino service with its two characteristics", cause: error
                    )
                }
                throw BITalinoError(error)
            }
        }

        private static let notBITalino = "looking for the BITalino service"

        /// A reader of what the board sends from now on.
        func subscribe() async throws(BITalinoError) -> Notifications {
            do throws(BluetoothError) {
                return try await peripheral.notifications(of: frames, capacity: Self.capacity, overflow: .dropNewest)
            } catch {
                throw BITalinoError(error)
            }
        }

        /// Writes with response: the radio module drops other writes.
        func write(_ bytes: [UInt8], timeout: Duration = .seconds(10)) async throws(BITalinoError) {
            do throws(BluetoothError) {
                try await peripheral.write(bytes, to: commands, mode: .withResponse, timeout: timeout)
            } catch {
                throw BITalinoError(error)
            }
        }

        /// Queues a write behind those under way, for those who cannot wait.
        func writeWithoutWaiting(_ byte: UInt8) {
            guard let link = peripheral.link?.id else { return }
            let (host, attribute) = (peripheral.host, commands.id)
            host.loop.execute {
                host.assumeIsolated { host in
                    _ = host.write(
                        [byte], to: attribute, mode: .withResponse, on: link, timeout: .seconds(10),
                        completion: { _ in })
                }
            }
        }

        /// Makes the board idle and asks for its version; what was on its way before is passed over.
        func handshake(timeout: Duration) async throws(BITalinoError) -> Version {
            // FF is ignored by idle boards and stops running ones; only the original board, when it runs, needs 00.
            for (stop, share) in [(UInt8(0xFF), 2), (0x00, 1)] {
                try await write([stop])
                do throws(BITalinoError) {
                    return try await ask([0x07], timeout: timeout / share) { Version(answer: $0) }
                } catch {
                    if error.code != .noAnswer || share == 1 { throw error }
                }
            }
            throw BITalinoError(.noAnswer, "the board does not tell its version")
        }

        /// Writes octets and waits until what has arrived makes an answer. At most 4096 octets are kept, the newest.
        func ask<Answer: Sendable>(
            _ bytes: [UInt8], timeout: Duration, parse: @escaping @Sendable ([UInt8]) -> Answer?
        ) async throws(BITalinoError) -> Answer {
            let notifications = try await subscribe()
            defer { notifications.cancel() }
            try await write(bytes)
            let loop = peripheral.host.loop
            let outcome = await withTaskGroup(of: Result<Answer, BITalinoError>.self) { group in
                group.addTask { await Self.read(notifications, parse) }
                group.addTask {
                    do { try await loop.sleep(for: timeout) } catch {
                        return .failure(BITalinoError(.cancelled, "cancelled while waiting for the board's answer"))
                    }
                    return .failure(BITalinoError(.noAnswer, "the board did not answer within \(timeout)"))
                }
                defer { group.cancelAll() }
                return await group.next()
                    ?? .failure(BITalinoError(.cancelled, "cancelled while waiting for the board's answer"))
            }
            return try outcome.get()
        }

        private static func read<Answer: Sendable>(
            _ notifications: Notifications, _ parse: @Sendable ([UInt8]) -> Answer?
        ) async -> Result<Answer, BITalinoError> {
            var received: [UInt8] = []
            do throws(BluetoothError) {
                for try await notification in notifications {
                    received += notification.value
                    if received.count > 4096 { received.removeFirst(received.count - 2048) }
                    if let answer = parse(received) { return .success(answer) }
                }
            } catch {
                return .failure(BITalinoError(error))
            }
            return .failure(BITalinoError(.cancelled, "cancelled while waiting for the board's answer"))
        }
    }
}
