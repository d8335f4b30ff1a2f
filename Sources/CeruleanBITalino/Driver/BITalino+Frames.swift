// SPDX-License-Identifier: Apache-2.0

import Cerulean

extension BITalino {
    /// What an acquisition was asked to do.
    struct AcquisitionRequest: Hashable, Sendable {
        var inputs: [Input]
        var rate: Rate
        var mode: Mode

        var set: InputSet { inputs.isEmpty && mode == .simulated ? .all : InputSet(inputs) }
        var command: Command { .start(rate: rate.rawValue, inputs: set.inputs.map(\.rawValue), mode: mode) }
    }

    /// The frames of an acquisition, see ``BITalino/frames(channels:rate:mode:)``.
    ///
    /// Up to 4096 values of the radio wait for a slow loop; beyond it the newest are dropped, and show as lost frames.
    public struct Frames: AsyncSequence, Sendable {
        /// One sample of all inputs.
        public typealias Element = Frame
        /// Why the acquisition ended.
        public typealias Failure = BITalinoError

        let board: BITalino
        let request: AcquisitionRequest

        /// Begins; each iterator is an acquisition of its own.
        public func makeAsyncIterator() -> Iterator {
            Iterator(reader: AcquisitionReader(board: board, request: request))
        }

        /// Reads ``Frames``.
        public struct Iterator: AsyncIteratorProtocol {
            let reader: AcquisitionReader
            private var batch: [Frame] = []
            private var index = 0

            init(reader: AcquisitionReader) { self.reader = reader }

            /// The next frame; nil after ``BITalino/stop()`` and when the task is cancelled.
            ///
            /// - Throws: ``BITalinoError``.
            public mutating func next() async throws(BITalinoError) -> Frame? { try await next(isolation: nil) }

            /// The next frame; nil after ``BITalino/stop()`` and when the task is cancelled.
            ///
            /// - Throws: ``BITalinoError``.
            public mutating func next(isolation actor: isolated (any Actor)?) async throws(BITalinoError) -> Frame? {
                while index >= batch.count {
                    batch.removeAll(keepingCapacity: true)
                    index = 0
                    guard try await reader.read(into: &batch, isolation: actor) else { return nil }
                }
                defer { index += 1 }
                return batch[index]
            }
        }
    }

    /// The frames of an acquisition in blocks, see ``BITalino/blocks(of:channels:rate:mode:)``.
    public struct FrameBlocks: AsyncSequence, Sendable {
        /// Frames in order.
        public typealias Element = [Frame]
        /// Why the acquisition ended.
        public typealias Failure = BITalinoError

        let frames: Frames
        let size: Int

        /// Begins; each iterator is an acquisition of its own.
        public func makeAsyncIterator() -> Iterator { Iterator(base: frames.makeAsyncIterator(), size: size) }

        /// Reads ``FrameBlocks``.
        public struct Iterator: AsyncIteratorProtocol {
            var base: Frames.Iterator
            let size: Int
            private var failure: BITalinoError?

            init(base: Frames.Iterator, size: Int) {
                self.base = base
                self.size = size
            }

            /// The next block; nil at the end.
            ///
            /// - Throws: ``BITalinoError``, after the frames that arrived before it.
            public mutating func next() async throws(BITalinoError) -> [Frame]? { try await next(isolation: nil) }

            /// The next block; nil at the end.
            ///
            /// - Throws: ``BITalinoError``, after the frames that arrived before it.
            public mutating func next(isolation actor: isolated (any Actor)?) async throws(BITalinoError) -> [Frame]? {
                if let failure { throw failure }
                var block: [Frame] = []
                do throws(BITalinoError) {
                    while block.count < size, let frame = try await base.next(isolation: actor) { block.append(frame) }
                } catch {
                    if block.isEmpty { throw error }
                    failure = error
                }
                return block.isEmpty ? nil : block
            }
        }
    }

    /// Reads one acquisition: octets to frames to numbered frames. Stops the board when it is let go.
    final class AcquisitionReader {
        private let board: BITalino
        private let request: AcquisitionRequest
        private var id: UInt64?
        private var notifications: Notifications.Iterator?
        private var receiver: FrameReceiver
        private var timeline: FrameTimeline
        private var found: [Frame] = []
        private var failure: BITalinoError?
        private var isOver = false
        /// Values were dropped since the last frame.
        private var isBroken = false

        init(board: BITalino, request: AcquisitionRequest, timeline: FrameTimeline? = nil) {
            self.board = board
            self.request = request
            receiver = FrameReceiver(inputs: request.set)
            self.timeline = timeline ?? FrameTimeline(rate: request.rate, frameSize: receiver.frameSize)
        }

        deinit {
            if let id { board.end(id) }
        }

        /// When the frames last read arrived.
        private(set) var arrival: MonotonicTime = .zero

        /// Appends the frames of one value of the radio, perhaps none; false at the end.
        func read(into output: inout [Frame], isolation actor: isolated (any Actor)?) async throws(BITalinoError)
            -> Bool
        {
            if let failure {
                self.failure = nil
                throw failure
            }
            guard !isOver else { return false }
            if notifications == nil { try await start() }
            do throws(BluetoothError) {
                guard let notification = try await notifications?.next(isolation: actor) else {
                    return end(into: &output, failure: nil)
                }
                arrival = notification.time
                found.removeAll(keepingCapacity: true)
                if notification.droppedBefore > 0 { isBroken = true }
                var breakBefore: Int?
                receiver.receive(notification.value) { frame, isContinued in
                    if isBroken || !isContinued { breakBefore = breakBefore ?? found.count }
                    isBroken = false
                    found.append(frame)
                }
                timeline.receive(found, breakBefore: breakBefore, at: notification.time, into: &output)
                return true
            } catch {
                return end(into: &output, failure: BITalinoError(error))
            }
        }

        /// What goes on after the link was lost: the numbers, for a new acquisition.
        func timelineForRestart(into output: inout [Frame]) -> FrameTimeline {
            timeline.restart(into: &output)
            return timeline
        }

        private func start() async throws(BITalinoError) {
            do throws(BITalinoError) {
                let (id, notifications) = try await board.start(request)
                self.id = id
                self.notifications = notifications.makeAsyncIterator()
            } catch {
                isOver = true
                throw error
            }
        }

        /// What is held goes out first; the error, if there is one, the next time.
        private func end(into output: inout [Frame], failure: BITalinoError?) -> Bool {
            isOver = true
            self.failure = failure
            timeline.finish(into: &output)
            if let id { board.end(id) }
            id = nil
            return !output.isEmpty || failure != nil
        }
    }
}
