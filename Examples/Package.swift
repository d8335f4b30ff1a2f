// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

func product(_ name: String) -> Target.Dependency { .product(name: name, package: "Cerulean") }

/// Plain Swift 6 without any setting: what compiles here compiles for users. In our own builds a warning is an error.
let settings: [SwiftSetting] =
    Context.environment["CERULEAN_STRICT"] != nil ? [.treatAllWarnings(as: .error)] : []

#if os(Linux)
let isLinux = true
#else
let isLinux = false
#endif

/// A program on the simulated air.
func example(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .executableTarget(
        name: name, dependencies: [product("Cerulean"), product("CeruleanAdapters")] + dependencies,
        swiftSettings: settings)
}

/// Example programs, tests as a user would write them, and every code block of the documentation.
let package = Package(
    name: "Examples",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Cerulean", path: "..")],
    targets: [
        // A profile and a simulated device that several examples share.
        .target(name: "Accelerometer", dependencies: [product("Cerulean")], swiftSettings: settings),
        example("Central", ["Accelerometer"]),
        example("CentralWithProfile", ["Accelerometer"]),
        example("Peripheral"),
        example("PeripheralWithProfile", ["Accelerometer"]),
        example("Beacon"),
        example("Beacons"),
        example("HeartRateMonitor"),
        example("Reconnect", [product("CeruleanTesting")]),
        example("SensorLogger", [product("CeruleanBITalino"), product("CeruleanRecording")]),
        .testTarget(
            name: "ConsumerTests",
            dependencies: ["Accelerometer", product("Cerulean"), product("CeruleanTesting")],
            swiftSettings: settings),
        .target(
            name: "Snippets",
            dependencies: [
                product("Cerulean"), product("CeruleanAdapters"), product("CeruleanBITalino"),
                product("CeruleanBlueST"), product("CeruleanRecording"), product("CeruleanTesting"),
            ] + (isLinux ? [product("CoreBluetooth")] : []),
            swiftSettings: settings),
    ]
        + (isLinux
            ? [
                // A library for Apple's systems, as it would be written there.
                .target(
                    name: "AppleLibrary", dependencies: [product("CoreBluetooth")],
                    swiftSettings: settings + [.swiftLanguageMode(.v6)])
            ] : [])
)
