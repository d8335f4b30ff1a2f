// SPDX-License-Identifier: Apache-2.0

@preconcurrency import CoreBluetooth
import Testing

@Suite struct ModernConsumerTests {
    /// Whether there is an adapter or not, the first state tells.
    @Test func theStateReachesAnActor() async {
        let central = ModernCentral()
        for await event in central.events {
            guard case .state(let state) = event else { continue }
            #expect(state != .unknown)
            break
        }
    }

    @MainActor @Test func modelsOfTheMainActorStart() {
        let model = ViewModel()
        #expect(model.state == .unknown)
        #expect(model.peripherals.isEmpty)
        #expect(Isolated().states.isEmpty)
    }
}
