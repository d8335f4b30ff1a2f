// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

/// Warnings are errors in our own builds and in CI, never for users.
let strict = Context.environment["CERULEAN_STRICT"] != nil

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
    "CeruleanSensing", "CeruleanBITalino", "CeruleanBlueST", "CeruleanRecording", "CeruleanTesting",
]

let package = Package(
    name: "Cerulean",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11)],
    products: libraries.map { .library(name: $0, targets: [$0]) } + [
        .executable(name: "cerulean", targets: ["CeruleanTool"]),
        .executable(name: "vector-runner", targets: ["VectorRunner"]),
        .executable(name: "bench-cerulean", targets: ["BenchCerulean"]),
        .executable(name: "fuzz-cerulean", targets: ["FuzzCerulean"]),
    ],
    targets: [
        // Level 1: wire
        library("CeruleanWire"),
        // OpenSSL's libcrypto 3 behind a few functions; elsewhere than on Linux it may be missing, and then everything is refused.
        .target(
            name: "CCeruleanCrypto", linkerSettings: [.linkedLibrary("crypto", .when(platforms: [.linux]))]),
        // Level 2: hosts
        library("CeruleanHost", ["CeruleanWire"]),
        library("CeruleanStack", ["CeruleanWire", "CeruleanHost", "CCeruleanCrypto"]),
        library("CeruleanTransport", ["CeruleanWire", "CeruleanHost"]),
        library("CeruleanVirtual", ["CeruleanWire", "CCeruleanCrypto"]),
        // Level 3: API
        library("Cerulean", ["CeruleanWire", "CeruleanHost"]),
        library(
            "CeruleanAdapters",
            ["CeruleanWire", "CeruleanHost", "CeruleanStack", "CeruleanTransport", "CeruleanVirtual", "Cerulean"]),
        library("CeruleanSensing", ["Cerulean"]),
        library("CeruleanBITalino", ["Cerulean", "CeruleanSensing"]),
        library("CeruleanBlueST", ["CeruleanWire", "Cerulean", "CeruleanSensing"]),
        library("CeruleanTesting", ["Cerulean", "CeruleanAdapters", "CeruleanStack", "CeruleanVirtual"]),
        // Level 4: apps
        library("CeruleanRecording", ["Cerulean", "CeruleanSensing"]),
        library(
            "CeruleanCommand",
            [
                "Cerulean", "CeruleanAdapters", "CeruleanSensing", "CeruleanBITalino", "CeruleanBlueST", "CeruleanRecording",
                "CeruleanVirtual",
            ]),
        program("CeruleanTool", ["CeruleanCommand"]),
        // Programs for our own checks
        library(
            "CeruleanVectors",
            ["CeruleanStack", "CeruleanBITalino", "CeruleanBlueST", "CeruleanRecording", "CeruleanTesting"]),
        program("VectorRunner", ["CeruleanVectors"]),
        program("BenchCerulean", ["CeruleanStack", "CeruleanTransport", "Cerulean"]),
        program(
            "FuzzCerulean",
            [
                "CeruleanStack", "CeruleanVirtual", "CeruleanTesting", "CeruleanBITalino", "CeruleanRecording",
                "CeruleanCommand",
            ]),
        // Tests
        tests("CeruleanWireTests", ["CeruleanWire"]),
        tests("CeruleanVirtualTests", ["CeruleanVirtual"]),
        tests("CeruleanStackTests", ["CeruleanStack", "CeruleanVirtual", "CeruleanAdapters", "CeruleanTesting"]),
        tests("CeruleanTransportTests", ["CeruleanTransport"]),
        tests("CeruleanTests", ["Cerulean", "CeruleanTesting"]),
        tests("CeruleanBITalinoTests", ["CeruleanBITalino", "CeruleanRecording", "CeruleanTesting"]),
        tests("CeruleanBlueSTTests", ["CeruleanBlueST", "CeruleanTesting"]),
        tests("CeruleanRecordingTests", ["CeruleanRecording"]),
        tests("CeruleanCommandTests", ["CeruleanCommand", "CeruleanTesting"]),
        tests("CeruleanVectorTests", ["CeruleanVectors"]),
        tests("CeruleanPeerTests", ["Cerulean", "CeruleanAdapters", "CeruleanTesting"]),
    ]
)
