// SPDX-License-Identifier: Apache-2.0

import Cerulean
import CeruleanHost
import CeruleanWire

extension VerbSpecification {
    /// `notify ATTRIBUTE`: a stream of values.
    static let notify = VerbSpecification(
        name: "notify",
        summary: "print the values that a device sends",
        details: """
            Ends after --count values, after --seconds, or by Ctrl-C. A lost connection exits with 7. Instead of an attribute,
            --feature names features of a BlueST board, whose samples are decoded.
            """,
        positionals: [.optionalAttribute],
        options: [
            .value("count", "N", "end after N values"),
            .value("seconds", "S", "end after S seconds"),
            .flag("indicate", "ask for indications where the device offers both"),
            .catalog,
            .value("feature", "LIST", "BlueST: features with commas, such as sensorFusion or acceleration,gyroscope"),
            .value("st-log", "DIR", "BlueST: write ST's CSV logs, one file for each feature"),
            .value("wav", "FILE", "BlueST: write the sound of adpcmAudio or opusAudio, and show its level"),
            .flag("level", "BlueST: show the level of adpcmAudio or opusAudio instead of its samples"),
        ],
        selectsDevice: true,
        examples: ["notify heart_rate_measurement --name \"cerulean strap\" --adapter virtual --count 10 --json"],
        run: { invocation, console in
            if invocation.has("feature") { return try await FeatureNotification(invocation, console).run(invocation) }
            guard invocation.positional(0) != nil else {
                throw CommandError.usage("notify needs an ATTRIBUTE, or --feature")
            }
            let selector = try AttributeSelector(invocation.positional(0) ?? "")
            let count = try invocation.integer("count", 1...Int.max)
            let seconds = try invocation.seconds("seconds")
            let mode: SubscriptionMode? = invocation.has("indicate") ? .indications : nil
            let isJSON = invocation.has("json")
            return try await Session.onDevice(invocation) { session, peripheral in
                let target = try selector.target(on: peripheral, console)
                guard case .characteristic(let characteristic) = target else {
                    throw CommandError(.refused, "descriptor \(target.uuid) cannot notify")
                }
                let context = await ValueReport.Context.of(characteristic, on: peripheral, timeout: session.timeout)
                let notifications = try await peripheral.notifications(
                    of: characteristic, mode: mode, timeout: session.timeout)
                let loop = peripheral.host.loop
                let timer = seconds.map { loop.schedule(at: loop.now + $0) { notifications.cancel() } }
                defer { if let timer { loop.cancel(timer) } }
                var seen = 0
                for try await notification in notifications {
                    if notification.droppedBefore > 0 {
                        console.talk("\(notification.droppedBefore) values lost: output is too slow", .warning)
                    }
                    let report = ValueReport(uuid: target.uuid, value: notification.value, context: context)
                    if isJSON {
                        let head = target.members(on: peripheral, time: session.clock.text(notification.time))
                        try console.json(.object(head + report.members))
                    } else {
                        try console.line(report.text)
                    }
                    seen += 1
                    if let count, seen >= count { return .ok }
                }
                try Task.checkCancellation()
                if seconds != nil || peripheral.isConnected { return .ok }
                throw CommandError(.connectionLost, "\(peripheral) disconnected")
            }
        })
}
