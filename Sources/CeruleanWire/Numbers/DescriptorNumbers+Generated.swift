// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
// Written by Scripts/generate-numbers.py from data/; do not edit.

extension NumberTable {
    /// UUID, identifier, name.
    static let descriptors = NumberTable(#"""
2900	org.bluetooth.descriptor.gatt.characteristic_extended_properties	Characteristic Extended Properties
2901	org.bluetooth.descriptor.gatt.characteristic_user_description	Characteristic User Descriptor
2902	org.bluetooth.descriptor.gatt.client_characteristic_configuration	Client Characteristic Configuration
2903	org.bluetooth.descriptor.gatt.server_characteristic_configuration	Server Characteristic Configuration
2904	org.bluetooth.descriptor.gatt.characteristic_presentation_format	Characteristic Presentation Format
2905	org.bluetooth.descriptor.gatt.characteristic_aggregate_format	Characteristic Aggregate Format
2906	org.bluetooth.descriptor.valid_range	Valid Range
2907	org.bluetooth.descriptor.external_report_reference	External Report Reference
2908	org.bluetooth.descriptor.report_reference	Report Reference
2909	org.bluetooth.descriptor.number_of_digitals	Number of Digitals
290A	org.bluetooth.descriptor.value_trigger_setting	Value Trigger Setting
290B	org.bluetooth.descriptor.environmental_sensing_configuration	Environmental Sensing Configuration
290C	org.bluetooth.descriptor.environmental_sensing_measurement	Environmental Sensing Measurement
290D	org.bluetooth.descriptor.environmental_sensing_trigger_setting	Environmental Sensing Trigger Setting
290E	org.bluetooth.descriptor.time_trigger_setting	Time Trigger Setting
290F	org.bluetooth.descriptor.complete_bredr_transport_block_data	Complete BR-EDR Transport Block Data
2910	org.bluetooth.descriptor.observation_schedule	Observation Schedule
2911	org.bluetooth.descriptor.valid_range_accuracy	Valid Range and Accuracy
"""#)
}
