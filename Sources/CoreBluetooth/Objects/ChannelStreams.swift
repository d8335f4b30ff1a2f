// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What both streams of a channel have in common: their state, their delegate, and the run loops on which it is called.
///
/// `@unchecked Sendable` since everything is behind the lock of ``Guarded``; delegates are called on the run loops that
/// the application named.
final class StreamState: @unchecked Sendable {
    private struct State {
        var status = Stream.Status.notOpen
        weak var delegate: (any StreamDelegate)?
        /// Each with what keeps the loop running as long as the stream is scheduled on it.
        var loops: [(loop: RunLoop, mode: RunLoop.Mode, source: Timer)] = []
        var isOpenTold = false
        var isEndTold = false
        /// A look at the channel is on its way to a run loop.
        var isWaking = false
    }

    private let state = Guarded(State())

    var status: Stream.Status { state { $0.status } }
    var delegate: (any StreamDelegate)? {
        get { state { $0.delegate } }
        set { state { $0.delegate = newValue } }
    }

    /// False when it was opened before.
    func open() -> Bool {
        state { state in
            guard state.status == .notOpen else { return false }
            state.status = .open
            return true
        }
    }

    func close() {
        state { state in
            state.status = .closed
        }
        remove { _, _ in true }
    }

    deinit { remove { _, _ in true } }

    func schedule(_ loop: RunLoop, _ mode: RunLoop.Mode) {
        // A loop without timers and sources returns at once; this one never fires.
        let source = Timer(fire: .distantFuture, interval: 1e9, repeats: true) { _ in }
        loop.add(source, forMode: mode)
        state { $0.loops.append((loop, mode, source)) }
    }

    func remove(_ loop: RunLoop, _ mode: RunLoop.Mode) { remove { $0 === loop && $1 == mode } }

    private func remove(where condition: (RunLoop, RunLoop.Mode) -> Bool) {
        let gone = state { state in
            defer { state.loops.removeAll { condition($0.loop, $0.mode) } }
            return state.loops.filter { condition($0.loop, $0.mode) }.map(\.source)
        }
        for source in gone { source.invalidate() }
    }

    /// Has the run loop of a stream look at the channel, and call the delegate with what is to be told then: what was
    /// read meanwhile is not told any more.
    func wake(_ stream: Stream, _ news: @escaping @Sendable () -> Stream.Event?) {
        let target = state { state -> (loop: RunLoop, mode: RunLoop.Mode, source: Timer)? in
            guard state.status == .open, !state.isWaking, let first = state.loops.first else { return nil }
            state.isWaking = true
            return first
        }
        guard let target else { return }
        let handed = Handed((self, stream))
        let look: @Sendable () -> Void = {
            let (state, stream) = handed.value
            state.look(stream, news)
        }
        // The main loop serves the main queue; others wake up for a timer alone.
        if target.loop === RunLoop.main {
            DispatchQueue.main.async(execute: look)
        } else {
            target.loop.add(Timer(timeInterval: 0, repeats: false) { _ in look() }, forMode: target.mode)
        }
    }

    private func look(_ stream: Stream, _ news: () -> Stream.Event?) {
        let isFirst = state { state in
            state.isWaking = false
            defer { state.isOpenTold = true }
            return !state.isOpenTold
        }
        if isFirst { tell(.openCompleted, stream) }
        guard let event = news() else { return }
        if event == .endEncountered {
            let isNew = state { state in
                defer { state.isEndTold = true }
                return !state.isEndTold
            }
            guard isNew else { return }
        }
        tell(event, stream)
    }

    private func tell(_ event: Stream.Event, _ stream: Stream) {
        // Closed, or taken from its run loops, meanwhile.
        guard let delegate = state({ $0.status == .open && !$0.loops.isEmpty ? $0.delegate : nil }) else { return }
        delegate.stream(stream, handle: event)
    }
}

/// What comes in on a channel.
final class ChannelInputStream: InputStream {
    private let pipe: ChannelPipe
    private let state = StreamState()

    init(_ pipe: ChannelPipe) {
        self.pipe = pipe
        super.init(data: Data())
    }

    override var delegate: (any StreamDelegate)? {
        get { state.delegate }
        set { state.delegate = newValue }
    }
    override var streamStatus: Stream.Status {
        state.status == .open && pipe.hasEnded && pipe.available == 0 ? .atEnd : state.status
    }
    override var streamError: (any Error)? { nil }
    override var hasBytesAvailable: Bool { state.status == .open && pipe.available > 0 }

    override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
        state.schedule(aRunLoop, mode)
        wake()
    }
    override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) { state.remove(aRunLoop, mode) }

    override func open() {
        guard state.open() else { return }
        let handed = Handed(Weak(self))
        pipe.wake(input: { handed.value.object?.wake() })
        wake()
    }

    override func close() {
        state.close()
        pipe.closeInput()
    }

    private func wake() {
        let pipe = pipe
        state.wake(self) { pipe.available > 0 ? .hasBytesAvailable : pipe.hasEnded ? .endEncountered : nil }
    }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
        guard state.status == .open else { return -1 }
        let count = unsafe pipe.read(into: UnsafeMutableBufferPointer(start: buffer, count: max(0, len)))
        if pipe.available > 0 || pipe.hasEnded { wake() }
        return count
    }

    override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length len: UnsafeMutablePointer<Int>
    ) -> Bool { false }
}

/// What goes out on a channel.
final class ChannelOutputStream: OutputStream {
    private let pipe: ChannelPipe?
    private let state = StreamState()
    /// The delegate knows that there is space.
    private let isSpaceTold = Guarded(false)

    init(_ pipe: ChannelPipe) {
        self.pipe = pipe
        super.init(toMemory: ())
    }

    required init(toMemory: ()) {
        pipe = nil
        super.init(toMemory: ())
    }

    override var delegate: (any StreamDelegate)? {
        get { state.delegate }
        set { state.delegate = newValue }
    }
    override var streamStatus: Stream.Status {
        state.status == .open && pipe?.hasEnded != false ? .atEnd : state.status
    }
    override var streamError: (any Error)? { nil }
    override var hasSpaceAvailable: Bool { state.status == .open && (pipe?.space ?? 0) > 0 }

    override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
        state.schedule(aRunLoop, mode)
        wake()
    }
    override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) { state.remove(aRunLoop, mode) }

    override func open() {
        guard state.open() else { return }
        let handed = Handed(Weak(self))
        pipe?.wake(output: { handed.value.object?.wake() })
        wake()
    }

    override func close() {
        state.close()
        pipe?.closeOutput()
    }

    private func wake() {
        guard let pipe else { return }
        let isTold = isSpaceTold
        state.wake(self) {
            if pipe.hasEnded { return .endEncountered }
            // Once, and again behind each write.
            guard pipe.space > 0, !isTold({ $0 }) else { return nil }
            isTold { $0 = true }
            return .hasSpaceAvailable
        }
    }

    override func write(_ buffer: UnsafePointer<UInt8>, maxLength len: Int) -> Int {
        guard state.status == .open, let pipe else { return -1 }
        guard len > 0 else { return 0 }
        let count = unsafe pipe.write(UnsafeBufferPointer(start: buffer, count: len))
        isSpaceTold { $0 = false }
        wake()
        return count
    }
}
