// SPDX-License-Identifier: Apache-2.0

public import Cerulean
import CeruleanHost
import CeruleanWire

extension Node {
    /// How a board is calibrated: by commands to the feature, or by texts on its console, as some SensorTile.box want
    /// it.
    private enum CalibrationWay {
        case commands(UInt32)
        case console(DebugConsole)
    }

    /// The features that boards calibrate. bluest.md §9.
    private static let calibrated: [Feature] = [.sensorFusion, .sensorFusionCompact, .compass, .eulerAngle]

    /// How far the calibration of sensor fusion, compass or Euler angle is: 100 is done. bluest.md §9.
    ///
    /// - Throws: `BluetoothError`.
    public func calibrationStatus(of feature: Feature, timeout: Duration = .seconds(2)) async throws(BluetoothError)
        -> Int
    {
        try await calibration(.status, of: feature, by: try calibrationWay(of: feature), timeout: timeout)
    }

    /// Calibrates sensor fusion, compass or Euler angle: the board must be turned about all axes meanwhile.
    ///
    /// Asks for the progress every half second and ends the calibration when it is done. A board that does not answer
    /// the command is asked on its console.
    ///
    /// - Parameters:
    ///   - feature: What is calibrated.
    ///   - timeout: For all of it.
    ///   - progress: Called with 0 to 100.
    /// - Throws: `BluetoothError` with `timedOut` or `cancelled`; the board is told to stop before.
    public func calibrate(
        _ feature: Feature, timeout: Duration = .seconds(60), progress: (Int) -> Void = { _ in }
    ) async throws(BluetoothError) {
        let loop = core.port.loop
        let deadline = loop.now + timeout
        let way = try await startCalibration(of: feature, timeout: min(timeout, .seconds(2)))
        do throws(BluetoothError) {
            try await followCalibration(of: feature, by: way, until: deadline, progress)
        } catch {
            if error.code == .cancelled, case .commands(let mask) = way,
                let key = core.allKeys(BlueSTUUID.commands, needing: [.write]).first
            {
                let stop = FeatureCommand.calibration(.stop, mask: mask).forConfigurationService
                await core.port.writeLast(stop, to: key, timeout: .seconds(2))
            }
            throw error
        }
    }

    private func followCalibration(
        of feature: Feature, by way: CalibrationWay, until deadline: MonotonicTime, _ progress: (Int) -> Void
    ) async throws(BluetoothError) {
        let loop = core.port.loop
        while true {
            let status = try await calibration(.status, of: feature, by: way, timeout: .seconds(2))
            progress(status)
            if status >= 100 { break }
            guard loop.now < deadline else {
                _ = try? await calibration(.stop, of: feature, by: way, timeout: .seconds(2))
                throw BluetoothError(
                    .timedOut, "calibration of \(feature) on \(name)", detail: "it stands at \(status) of 100")
            }
            do { try await loop.sleep(for: .milliseconds(500)) } catch {
                throw BluetoothError(.cancelled, "calibration of \(feature) on \(name)")
            }
        }
        _ = try await calibration(.stop, of: feature, by: way, timeout: .seconds(2))
    }

    private func startCalibration(
        of feature: Feature, timeout: Duration
    ) async throws(BluetoothError) -> CalibrationWay {
        let way = try calibrationWay(of: feature)
        do throws(BluetoothError) {
            _ = try await calibration(.start, of: feature, by: way, timeout: timeout)
            return way
        } catch {
            guard error.code == .timedOut, case .commands = way, let console else { throw error }
            _ = try await calibration(.start, of: feature, by: .console(console), timeout: timeout)
            return .console(console)
        }
    }

    private func calibrationWay(of feature: Feature) throws(BluetoothError) -> CalibrationWay {
        guard Self.calibrated.contains(feature) else {
            throw BluetoothError(
                .unsupported, "calibration of \(feature) on \(name)",
                detail: "only \(Self.calibrated.map(\.id).joined(separator: ", ")) are calibrated")
        }
        let mask = try self.feature(feature).mask
        if mask != 0, !core.allKeys(BlueSTUUID.commands, needing: [.notify, .indicate]).isEmpty {
            return .commands(mask)
        }
        if let console { return .console(console) }
        throw BluetoothError(
            .unsupported, "calibration of \(feature) on \(name)", detail: "the board takes no commands")
    }

    private func calibration(
        _ step: FeatureCommand.Calibration, of feature: Feature, by way: CalibrationWay, timeout: Duration
    ) async throws(BluetoothError) -> Int {
        switch way {
        case .commands(let mask):
            let response = try await ask(.calibration(step, mask: mask), timeout: timeout)
            if case .calibration(let status) = response.meaning { return status }
        case .console(let console):
            // The console has no command that ends it.
            if step == .stop { return 100 }
            let command = step == .start ? "startMagnCalib" : "getMagnCalibStatus"
            for line in try await console.ask(command, silence: .milliseconds(300), timeout: timeout) {
                let words = line.split(separator: " ")
                if words.count == 2, words[0] == "magnCalibStatus", let status = Int(words[1]) {
                    return min(100, max(0, status))
                }
            }
            if step == .start { return 0 }
        }
        throw BluetoothError(.badData, "calibration of \(feature) on \(name)", detail: "the answer holds no status")
    }
}
