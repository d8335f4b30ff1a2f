// SPDX-License-Identifier: Apache-2.0

import CeruleanWire

/// Puts the L2CAP frames of one link together again. Core 5.4, Vol 3, Part A, 7.2. Security L1 to L4.
///
/// A frame that lies whole in one packet never comes here.
struct Reassembler {
    /// The longest frame taken, header included: an ATT PDU of 517 octets.
    static let maximumFrame = 517 + L2CAP.BasicHeader.byteCount

    private(set) var buffer: [UInt8] = []
    /// Octets that are missing; nil before the header is whole.
    private var expected: Int?
    private(set) var isOpen = false
    /// Continuations of a frame that was too long are skipped.
    private(set) var dropped: UInt64 = 0

    /// Drops the frame in progress. Security H17.
    mutating func drop() {
        if isOpen { dropped &+= 1 }
        isOpen = false
        expected = nil
        buffer.removeAll(keepingCapacity: true)
    }

    /// Takes a first part. A frame that was open is dropped; the new one is kept (L2).
    mutating func start(_ part: RawSpan) {
        if isOpen { drop() }
        isOpen = true
        expected = nil
        buffer.removeAll(keepingCapacity: true)
        _ = add(part)
    }

    /// Takes a further part. True when the frame in ``buffer`` is whole; call ``finish()`` after use.
    mutating func add(_ part: RawSpan) -> Bool {
        guard isOpen else {
            dropped &+= 1
            return false
        }
        guard buffer.count + part.byteCount <= Self.maximumFrame else {
            // L1 and L3: nothing above the limit is stored, and what follows has no frame to belong to.
            drop()
            return false
        }
        unsafe part.withUnsafeBytes { unsafe buffer.append(contentsOf: $0) }
        if expected == nil, buffer.count >= L2CAP.BasicHeader.byteCount {
            let total = Int(buffer[0]) | Int(buffer[1]) << 8
            guard total + L2CAP.BasicHeader.byteCount <= Self.maximumFrame else {
                drop()
                return false
            }
            expected = total + L2CAP.BasicHeader.byteCount
        }
        guard let expected else { return false }
        if buffer.count > expected {
            drop()
            return false
        }
        return buffer.count == expected
    }

    /// Takes the whole frame; give the array back with ``recycle(_:)``.
    mutating func finish() -> [UInt8] {
        isOpen = false
        expected = nil
        var frame: [UInt8] = []
        swap(&frame, &buffer)
        return frame
    }

    /// Takes an array back, for its room.
    mutating func recycle(_ frame: consuming [UInt8]) {
        guard !isOpen, buffer.capacity < frame.capacity else { return }
        var frame = frame
        frame.removeAll(keepingCapacity: true)
        buffer = frame
    }
}
