// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The functions of liblsl that are needed, looked for when they are needed first. `CERULEAN_LSL` may name the library.
struct LSLLibrary: Sendable {
    typealias Pointer = UnsafeMutableRawPointer
    typealias CreateInfo =
        @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, Int32, Double, Int32, UnsafePointer<CChar>) ->
        Pointer?
    typealias GetPointer = @convention(c) (Pointer) -> Pointer?
    typealias AppendChild = @convention(c) (Pointer, UnsafePointer<CChar>) -> Pointer?
    typealias AppendValue = @convention(c) (Pointer, UnsafePointer<CChar>, UnsafePointer<CChar>) -> Pointer?
    typealias CreateOutlet = @convention(c) (Pointer, Int32, Int32) -> Pointer?
    typealias Destroy = @convention(c) (Pointer) -> Void
    typealias PushChunk = @convention(c) (Pointer, UnsafePointer<Double>, UInt, UnsafePointer<Double>) -> Int32
    typealias PushText = @convention(c) (Pointer, UnsafePointer<UnsafePointer<CChar>?>, Double) -> Int32
    typealias Clock = @convention(c) () -> Double

    let createInfo: CreateInfo
    let description: GetPointer
    let appendChild: AppendChild
    let appendValue: AppendValue
    let createOutlet: CreateOutlet
    let destroyOutlet: Destroy
    let destroyInfo: Destroy
    let pushChunk: PushChunk
    let pushText: PushText
    let clock: Clock

    /// Values with 64 bits.
    static let doubles: Int32 = 2
    /// Texts.
    static let strings: Int32 = 3

    /// The library, if it is there.
    static let shared: LSLLibrary? = {
        var names = ["liblsl.so", "liblsl.so.2", "liblsl64.so", "liblsl.so.1", "liblsl.dylib"]
        if let named = getenv("CERULEAN_LSL") { names.insert(String(cString: named), at: 0) }
        for name in names {
            if let library = dlopen(name, RTLD_NOW | RTLD_LOCAL), let found = LSLLibrary(library) { return found }
        }
        return nil
    }()

    private init?(_ library: Pointer) {
        func function<Function>(_ name: String, _ type: Function.Type) -> Function? {
            dlsym(library, name).map { unsafeBitCast($0, to: type) }
        }
        guard let createInfo = function("lsl_create_streaminfo", CreateInfo.self),
            let description = function("lsl_get_desc", GetPointer.self),
            let appendChild = function("lsl_append_child", AppendChild.self),
            let appendValue = function("lsl_append_child_value", AppendValue.self),
            let createOutlet = function("lsl_create_outlet", CreateOutlet.self),
            let destroyOutlet = function("lsl_destroy_outlet", Destroy.self),
            let destroyInfo = function("lsl_destroy_streaminfo", Destroy.self),
            let pushChunk = function("lsl_push_chunk_dtn", PushChunk.self),
            let pushText = function("lsl_push_sample_strt", PushText.self),
            let clock = function("lsl_local_clock", Clock.self)
        else { return nil }
        self.createInfo = createInfo
        self.description = description
        self.appendChild = appendChild
        self.appendValue = appendValue
        self.createOutlet = createOutlet
        self.destroyOutlet = destroyOutlet
        self.destroyInfo = destroyInfo
        self.pushChunk = pushChunk
        self.pushText = pushText
        self.clock = clock
    }
}
