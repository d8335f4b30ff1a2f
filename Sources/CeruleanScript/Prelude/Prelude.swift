// SPDX-License-Identifier: Apache-2.0

/// What is written in JavaScript itself: each part is a function of the native functions, what the parts share, and the global
/// object. They run in order before the script.
enum Prelude {
    static let parts = [
        ("events", events), ("buffer", buffer), ("codec", codec), ("titanium", titanium), ("interface", interface),
        ("bluetooth", bluetooth), ("constants", constants), ("central", central), ("proxies", proxies),
        ("server", server), ("beacons", beacons), ("modules", modules),
    ]
}
