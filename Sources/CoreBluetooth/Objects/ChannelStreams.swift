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
        var loops: [(loop: RunLoop, mode: RunLoop.Mode)] = []
        var wasEndTold = false
    }

    private let state = Guarded(State())

    var status: Stream.Status {
        get { state { $0.status } }
        set { state { $0.status = newValue } }
    }
    var delegate: (any StreamDelegate)? {
        get { state { $0.delegate } }
        set { state { $0.delegate = newValue } }
    }

    func schedule(_ loop: RunLoop, _ mode: RunLoop.Mode) { state { $0.loops.append((loop, mode)) } }
    func remove(_ loop: RunLoop, _ mode: RunLoop.Mode) {
        state { state in state.loops.removeAll { $0.loop === loop && $0.mode == mode } }
    }

    /// Calls the delegate on the run loop of a stream.
    func tell(_ event: Stream.Event, _ stream: Stream) {
        let target = state { state -> (loop: RunLoop, mode: RunLoop.Mode)? in
            guard state.status == .open || event == .endEncountered else { return nil }
            if event == .endEncountered {
                guard !state.wasEndTold, state.status != .closed, state.status != .notOpen else { return nil }
                state.wasEndTold = true
                state.status = .atEnd
            }
            return state.loops.first
        }
        guard let target else { return }
        let handed = Handed((self, stream))
        let call: @Sendable () -> Void = {
            let (state, stream) = handed.value
            guard state.status != .closed else { return }
            state.delegate?.stream(stream, handle: event)
        }
        // The main loop serves the main queue; others wake up for a timer alone.
        if target.loop === RunLoop.main {
            DispatchQueue.main.async(execute: call)
        } else {
            target.loop.add(Timer(timeInterval: 0, repeats: false) { _ in call() }, forMode: target.mode)
        }
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
    override var hasBytesAvailable: Bool { state.status != .notOpen && pipe.available > 0 }

    override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) { state.schedule(aRunLoop, mode) }
    override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) { state.remove(aRunLoop, mode) }

    override func open() {
        guard state.status == .notOpen else { return }
        state.status = .open
        state.tell(.openCompleted, self)
        let handed = Handed(Weak(self))
        pipe.wake(input: { handed.value.object?.look() })
        look()
    }

    override func close() {
        state.status = .closed
        pipe.closeInput()
    }

    private func look() {
        if pipe.available > 0 {
            state.tell(.hasBytesAvailable, self)
        } else if pipe.hasEnded {
            state.tell(.endEncountered, self)
        }
    }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
        guard state.status == .open || state.status == .atEnd else { return -1 }
        let octets = pipe.read(len)
        for (index, octet) in octets.enumerated() { unsafe buffer[index] = octet }
        look()
        return octets.count
    }

    override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length len: UnsafeMutablePointer<Int>
    ) -> Bool { false }
}

/// What goes out on a channel.
final class ChannelOutputStream: OutputStream {
    private let pipe: ChannelPipe?
    private let state = StreamState()

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

    override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) { state.schedule(aRunLoop, mode) }
    override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) { state.remove(aRunLoop, mode) }

    override func open() {
        guard state.status == .notOpen else { return }
        state.status = .open
        state.tell(.openCompleted, self)
        let handed = Handed(Weak(self))
        pipe?.wake(output: { handed.value.object?.look() })
        look()
    }

    override func close() {
        state.status = .closed
        pipe?.closeOutput()
    }

    private func look() {
        guard let pipe else { return }
        if pipe.hasEnded {
            state.tell(.endEncountered, self)
        } else if pipe.space > 0 {
            state.tell(.hasSpaceAvailable, self)
        }
    }

    override func write(_ buffer: UnsafePointer<UInt8>, maxLength len: Int) -> Int {
        guard state.status == .open, let pipe else { return -1 }
        guard len > 0 else { return 0 }
        return unsafe pipe.write(UnsafeBufferPointer(start: buffer, count: len))
    }
}
