// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

/// Warnings are errors in our own builds and in CI, never for users.
let strict = Context.environment["CERULEAN_STRICT"] != nil

/// libFuzzer brings its own `main`, so its program is only there when it is asked for.
let fuzzing = Context.environment["CERULEAN_LIBFUZZER"] != nil

let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .enableUpcomingFeature("InferIsolatedConformances"),
        .enableExperimentalFeature("Lifetimes"),
        .swiftLanguageMode(.v6),
    ] + (strict ? [.treatAllWarnings(as: .error)] : [])

func library(_ name: String, _ dependencies: [String] = []) -> Target {
    .target(name: name, dependencies: dependencies.map { .init(stringLiteral: $0) }, swiftSettings: settings)
}

func program(_ name: String, _ dependencies: [String]) -> Target {
    .executableTarget(name: name, dependencies: dependencies.map { .init(stringLiteral: $0) }, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [String]) -> Target {
    .testTarget(name: name, dependencies: dependencies.map { .init(stringLiteral: $0) }, swiftSettings: settings)
}

let libraries = [
    "CeruleanWire", "CeruleanHost", "CeruleanStack", "CeruleanTransport", "CeruleanVirtual", "CeruleanAdapters",
    "Cerulean",
    "CeruleanSensing", "CeruleanBITalino", "CeruleanBlueST", "CeruleanRedBear", "CeruleanSensorTag",
    "CeruleanRecording",
    "CeruleanTesting",
]

/// Apple's systems have a `CoreBluetooth` already.
#if os(Linux)
let facade = ["CoreBluetooth", "CeruleanScript"]
let scripts = ["CeruleanScript", "CoreBluetooth"]
let facadeTargets: [Target] = [
    // An empty C module of the same name, for `import CoreBluetooth.CBUUID` and the like.
    .target(name: "CCoreBluetooth"),
    library(
        "CoreBluetooth",
        ["CCoreBluetooth", "CeruleanWire", "CeruleanHost", "CeruleanStack", "CeruleanAdapters"]),
    // JavaScriptCore, where its headers are; without them everything is built and scripts are refused.
    .systemLibrary(
        name: "CCeruleanJS", pkgConfig: "javascriptcoregtk-4.1", providers: [.apt(["libjavascriptcoregtk-4.1-dev"])]),
    library(
        "CeruleanScript",
        ["CCeruleanJS", "CoreBluetooth", "Cerulean", "CeruleanWire", "CeruleanHost", "CeruleanTransport"]),
    tests(
        "CeruleanScriptTests",
        [
            "CeruleanScript", "CoreBluetooth", "Cerulean", "CeruleanWire", "CeruleanHost", "CeruleanStack",
            "CeruleanAdapters", "CeruleanVirtual", "CeruleanTransport", "CeruleanTesting", "CeruleanVectors",
        ]),
    // Apple's engine, compiled against the facade for the tests.
    library("CeruleanApple", ["CoreBluetooth", "CeruleanWire", "CeruleanHost"]),
    // An application that knows of nothing but CoreBluetooth, and code in the shapes of others: with none of our
    // settings.
    .executableTarget(
        name: "CoreBluetoothSample", dependencies: ["CoreBluetooth"], path: "Tests/CoreBluetoothSample",
        swiftSettings: [.swiftLanguageMode(.v5)]),
    .testTarget(
        name: "CoreBluetoothConsumers5", dependencies: ["CoreBluetooth"], swiftSettings: [.swiftLanguageMode(.v5)]),
    .testTarget(
        name: "CoreBluetoothConsumers6", dependencies: ["CoreBluetooth"], swiftSettings: [.swiftLanguageMode(.v6)]),
    tests(
        "CoreBluetoothTests",
        [
            "CoreBluetooth", "CeruleanApple", "CeruleanWire", "CeruleanHost", "CeruleanStack", "CeruleanVirtual",
            "CeruleanAdapters", "CeruleanTesting",
        ]),
]
#else
let facade = ["CeruleanApple"]
let scripts: [String] = []
let facadeTargets: [Target] = [library("CeruleanApple", ["CeruleanWire", "CeruleanHost"])]
#endif

let package = Package(
    name: "Cerulean",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11)],
    products: (libraries + facade).map { .library(name: $0, targets: [$0]) } + [
        .executable(name: "cerulean", targets: ["CeruleanTool"]),
        .executable(name: "vector-runner", targets: ["VectorRunner"]),
        .executable(name: "bench-cerulean", targets: ["BenchCerulean"]),
        .executable(name: "fuzz-cerulean", targets: ["FuzzTool"]),
    ] + (fuzzing ? [.executable(name: "libfuzzer-cerulean", targets: ["LibFuzzer"])] : []),
    targets: [
        // Level 1: wire
        library("CeruleanWire"),
        // OpenSSL's libcrypto 3 behind a few functions; elsewhere than on Linux it may be missing, and then everything is refused.
        .target(
            name: "CCeruleanCrypto", linkerSettings: [.linkedLibrary("crypto", .when(platforms: [.linux]))]),
        // Level 2: hosts
        library("CeruleanHost", ["CeruleanWire"]),
        library("CeruleanStack", ["CeruleanWire", "CCeruleanCrypto", "CeruleanHost"]),
        library("CeruleanTransport", ["CeruleanWire", "CeruleanHost"]),
        library("CeruleanVirtual", ["CeruleanWire", "CCeruleanCrypto"]),
        // Level 3: API
        library("Cerulean", ["CeruleanWire", "CeruleanHost"]),
        library(
            "CeruleanAdapters",
            ["CeruleanWire", "CeruleanHost", "CeruleanStack", "CeruleanTransport", "CeruleanVirtual"]),
        library("CeruleanSensing", ["CeruleanWire", "CeruleanHost", "Cerulean"]),
        library("CeruleanBITalino", ["CeruleanWire", "CeruleanHost", "Cerulean", "CeruleanSensing"]),
        library("CeruleanBlueST", ["CeruleanWire", "CeruleanHost", "Cerulean", "CeruleanSensing"]),
        library("CeruleanRedBear", ["CeruleanWire", "CeruleanHost", "Cerulean", "CeruleanSensing"]),
        library("CeruleanSensorTag", ["CeruleanWire", "CeruleanHost", "Cerulean", "CeruleanSensing"]),
        library(
            "CeruleanTesting",
            ["CeruleanWire", "CeruleanHost", "CeruleanStack", "CeruleanVirtual", "Cerulean", "CeruleanAdapters"]),
        // Level 4: apps
        library("CeruleanRecording", ["CeruleanWire", "CeruleanSensing", "CCeruleanEDF", "CCeruleanSQLite"]),
        // EDFlib and SQLite, each behind a few functions; elsewhere than on Linux they may be missing, and then are refused.
        .target(name: "CCeruleanEDF", linkerSettings: [.linkedLibrary("edf", .when(platforms: [.linux]))]),
        .target(name: "CCeruleanSQLite", linkerSettings: [.linkedLibrary("sqlite3", .when(platforms: [.linux]))]),
        library(
            "CeruleanCommand",
            [
                "CeruleanWire", "CeruleanHost", "CeruleanStack", "CeruleanTransport", "CeruleanVirtual", "Cerulean",
                "CeruleanAdapters", "CeruleanSensing", "CeruleanBITalino", "CeruleanBlueST", "CeruleanRedBear",
                "CeruleanSensorTag", "CeruleanRecording",
            ] + scripts),
        program("CeruleanTool", ["CeruleanCommand"]),
        // Programs for our own checks
        library(
            "CeruleanVectors",
            [
                "Cerulean", "CeruleanWire", "CeruleanHost", "CeruleanStack", "CeruleanSensing", "CeruleanBITalino",
                "CeruleanBlueST", "CeruleanRedBear", "CeruleanSensorTag", "CeruleanRecording",
            ]),
        program("VectorRunner", ["CeruleanVectors"]),
        program(
            "BenchCerulean",
            [
                "CeruleanWire", "CeruleanHost", "CeruleanStack", "CeruleanTransport", "CeruleanVirtual", "Cerulean",
                "CeruleanAdapters", "CeruleanSensing", "CeruleanBITalino", "CeruleanBlueST", "CeruleanRecording",
                "CeruleanTesting",
            ] + scripts),
        library(
            "FuzzCerulean",
            [
                "CeruleanWire", "CeruleanHost", "CeruleanStack", "CeruleanTransport", "CeruleanVirtual", "Cerulean",
                "CeruleanBITalino", "CeruleanBlueST", "CeruleanTesting", "CeruleanRecording", "CeruleanCommand",
            ]),
        program("FuzzTool", ["FuzzCerulean"]),
        // Tests
        tests("CeruleanWireTests", ["CeruleanWire"]),
        tests("CeruleanVirtualTests", ["CeruleanWire", "CeruleanVirtual"]),
        tests(
            "CeruleanStackTests",
            ["CeruleanWire", "CeruleanHost", "CeruleanStack", "CeruleanVirtual", "CeruleanAdapters", "CeruleanTesting"]),
        tests("CeruleanTransportTests", ["CeruleanWire", "CeruleanHost", "CeruleanTransport"]),
        tests("CeruleanTests", ["CeruleanWire", "CeruleanHost", "Cerulean", "CeruleanTesting"]),
        tests(
            "CeruleanBITalinoTests",
            [
                "CeruleanWire", "CeruleanHost", "CeruleanStack", "CeruleanVirtual", "Cerulean", "CeruleanAdapters",
                "CeruleanSensing", "CeruleanBITalino", "CeruleanTesting", "CeruleanRecording",
            ]),
        tests(
            "CeruleanBlueSTTests",
            [
                "CeruleanWire", "CeruleanHost", "CeruleanVirtual", "Cerulean", "CeruleanAdapters", "CeruleanSensing",
                "CeruleanBlueST", "CeruleanTesting",
            ]),
        tests(
            "CeruleanRedBearTests",
            [
                "CeruleanWire", "CeruleanHost", "CeruleanStack", "CeruleanVirtual", "Cerulean", "CeruleanAdapters",
                "CeruleanSensing", "CeruleanRedBear", "CeruleanTesting",
            ]),
        tests(
            "CeruleanSensorTagTests",
            [
                "CeruleanWire", "CeruleanHost", "CeruleanStack", "CeruleanVirtual", "Cerulean", "CeruleanAdapters",
                "CeruleanSensing", "CeruleanSensorTag", "CeruleanTesting",
            ]),
        tests("CeruleanRecordingTests", ["CeruleanWire", "Cerulean", "CeruleanSensing", "CeruleanRecording"]),
        tests(
            "CeruleanCommandTests",
            [
                "CeruleanWire", "CeruleanHost", "CeruleanStack", "Cerulean", "CeruleanAdapters", "CeruleanSensing",
                "CeruleanTesting", "CeruleanRecording", "CeruleanCommand",
            ]),
        tests("CeruleanVectorTests", ["CeruleanWire", "CeruleanRecording", "CeruleanVectors"]),
        tests(
            "CeruleanPeerTests",
            [
                "CeruleanWire", "CeruleanHost", "CeruleanStack", "Cerulean", "CeruleanAdapters", "CeruleanSensing",
                "CeruleanBlueST", "CeruleanRecording",
            ]),
    ] + (fuzzing ? [program("LibFuzzer", ["FuzzCerulean"])] : []) + facadeTargets
)
