// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// A channel to another device: two streams of octets.
///
/// Keep it as long as it is used, open both streams and give them delegates. Closing the streams, or letting the
/// channel go, ends it.
open class CBL2CAPChannel: NSObject {
    struct Parts {
        var peer: CBPeer
        var input: InputStream
        var output: OutputStream
        var psm: CBL2CAPPSM
        var hold: ChannelHold
    }

    private let parts: Parts?

    /// The device at the other end.
    open var peer: CBPeer! { parts?.peer }
    /// What comes in.
    open var inputStream: InputStream! { parts?.input }
    /// What goes out.
    open var outputStream: OutputStream! { parts?.output }
    /// The number of the listener.
    open var psm: CBL2CAPPSM { parts?.psm ?? 0 }

    /// A channel that leads nowhere.
    public override init() {
        parts = nil
        super.init()
    }

    init(_ hold: ChannelHold, peer: CBPeer) {
        let pipe = hold.pipe
        parts = Parts(
            peer: peer, input: ChannelInputStream(pipe), output: ChannelOutputStream(pipe), psm: pipe.psm, hold: hold)
        super.init()
    }
}
