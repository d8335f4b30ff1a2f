// SPDX-License-Identifier: Apache-2.0

public import CeruleanWire

extension Advertisement {
    /// The decoded fields of advertisement and scan response, merged; decoded anew at each call.
    public var fields: AdvertisementFields {
        guard let raw else { return reported ?? AdvertisementFields() }
        return AdvertisementFields(advertisement: raw, scanResponse: scanResponse ?? [])
    }
}
