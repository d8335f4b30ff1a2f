// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The command line.
enum Program {
    static func run(_ arguments: [String]) -> Int32 {
        guard arguments.count == 2 || arguments.count == 3, let operations = Int(arguments[1]), operations > 0,
            let connections = arguments.count == 3 ? Int(arguments[2]) : 1, (1...100_000).contains(connections)
        else { return fail(usage) }
        let workload = arguments[0]
        guard connections <= 3_840 || workload.hasPrefix("adv") else { return fail("at most 3840 connections\n") }
        guard let result = measure(workload, operations, connections) else {
            return fail("unknown workload \(workload)\n\(usage)")
        }
        let each = Double(result.nanoseconds) / Double(operations)
        let tenths = Int((each * 10).rounded())
        print(
            "cerulean \(workload) n=\(operations) conns=\(connections) ns_per_op=\(tenths / 10).\(tenths % 10)"
                + " ok=\(result.isRight ? 1 : 0)")
        return result.isRight ? 0 : 1
    }

    private static func measure(_ workload: String, _ operations: Int, _ connections: Int) -> Measurement? {
        switch workload {
        case "notify20": Workloads.notify(operations, connections: connections, size: 20, part: 251)
        case "notify244": Workloads.notify(operations, connections: connections, size: 244, part: 251)
        case "notify244f27": Workloads.notify(operations, connections: connections, size: 244, part: 27)
        case "read20": Workloads.read(operations, connections: connections, size: 20)
        case "read244": Workloads.read(operations, connections: connections, size: 244)
        case "srvread20": Workloads.serverRead(operations, connections: connections, size: 20)
        case "srvread244": Workloads.serverRead(operations, connections: connections, size: 244)
        case "advlegacy": Workloads.advertisements(operations, advertisers: connections, isExtended: false)
        case "advext": Workloads.advertisements(operations, advertisers: connections, isExtended: true)
        case "record-bitalino": RecordingWorkload.record(operations, boards: connections)
        case "api-notify20" where connections == 1: APIWorkloads.notify(operations)
        case "api-read20" where connections == 1: APIWorkloads.read(operations)
        case "api-read20-pool" where connections == 1: APIWorkloads.readFromPool(operations)
        case "bluest-inertial" where connections == 1: BlueSTWorkloads.inertial(operations)
        case "bluest-fusion" where connections == 1: BlueSTWorkloads.fusion(operations)
        case "bluest-environment" where connections == 1: BlueSTWorkloads.environment(operations)
        default: script(workload, operations, connections)
        }
    }

    /// Workloads that are only there on Linux.
    private static func script(_ workload: String, _ operations: Int, _ connections: Int) -> Measurement? {
        #if canImport(CeruleanScript)
        if workload == "script-notify20", connections == 1 { return ScriptWorkload.notify(operations) }
        #endif
        return nil
    }

    private static func fail(_ text: String) -> Int32 {
        let octets = Array(text.utf8)
        _ = unsafe write(2, octets, octets.count)
        return 2
    }
}
