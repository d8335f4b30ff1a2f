// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0
import PackageDescription

/// Example programs, tests as a user would write them, and every code block of the documentation. Plain Swift 6, no special
/// settings: what compiles here compiles for users.
let package = Package(
    name: "Examples",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Cerulean", path: "..")],
    targets: [
        .target(
            name: "Snippets",
            dependencies: [
                .product(name: "Cerulean", package: "Cerulean"),
                .product(name: "CeruleanAdapters", package: "Cerulean"),
                .product(name: "CeruleanBITalino", package: "Cerulean"),
                .product(name: "CeruleanBlueST", package: "Cerulean"),
                .product(name: "CeruleanRecording", package: "Cerulean"),
                .product(name: "CeruleanTesting", package: "Cerulean"),
            ])
    ]
)
