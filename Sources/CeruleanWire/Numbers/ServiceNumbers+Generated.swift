// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
// Written by Scripts/generate-numbers.py from data/; do not edit.

extension NumberTable {
    /// UUID, identifier, name.
    static let services = NumberTable(#"""
1800	org.bluetooth.service.generic_access	Generic Access
1801	org.bluetooth.service.generic_attribute	Generic Attribute
1802	org.bluetooth.service.immediate_alert	Immediate Alert
1803	org.bluetooth.service.link_loss	Link Loss
1804	org.bluetooth.service.tx_power	Tx Power
1805	org.bluetooth.service.current_time	Current Time Service
1806	org.bluetooth.service.reference_time_update	Reference Time Update Service
1807	org.bluetooth.service.next_dst_change	Next DST Change Service
1808	org.bluetooth.service.glucose	Glucose
1809	org.bluetooth.service.health_thermometer	Health Thermometer
180A	org.bluetooth.service.device_information	Device Information
180D	org.bluetooth.service.heart_rate	Heart Rate
180E	org.bluetooth.service.phone_alert_status	Phone Alert Status Service
180F	org.bluetooth.service.battery_service	Battery Service
1810	org.bluetooth.service.blood_pressure	Blood Pressure
1811	org.bluetooth.service.alert_notification	Alert Notification Service
1812	org.bluetooth.service.human_interface_device	Human Interface Device
1813	org.bluetooth.service.scan_parameters	Scan Parameters
1814	org.bluetooth.service.running_speed_and_cadence	Running Speed and Cadence
1815	org.bluetooth.service.automation_io	Automation IO
1816	org.bluetooth.service.cycling_speed_and_cadence	Cycling Speed and Cadence
1818	org.bluetooth.service.cycling_power	Cycling Power
1819	org.bluetooth.service.location_and_navigation	Location and Navigation
181A	org.bluetooth.service.environmental_sensing	Environmental Sensing
181B	org.bluetooth.service.body_composition	Body Composition
181C	org.bluetooth.service.user_data	User Data
181D	org.bluetooth.service.weight_scale	Weight Scale
181E	org.bluetooth.service.bond_management	Bond Management Service
181F	org.bluetooth.service.continuous_glucose_monitoring	Continuous Glucose Monitoring
1820	org.bluetooth.service.internet_protocol_support	Internet Protocol Support Service
1821	org.bluetooth.service.indoor_positioning	Indoor Positioning
1822	org.bluetooth.service.pulse_oximeter	Pulse Oximeter Service
1823	org.bluetooth.service.http_proxy	HTTP Proxy
1824	org.bluetooth.service.transport_discovery	Transport Discovery
1825	org.bluetooth.service.object_transfer	Object Transfer Service
1826	org.bluetooth.service.fitness_machine	Fitness Machine
1827	org.bluetooth.service.mesh_provisioning	Mesh Provisioning Service
1828	org.bluetooth.service.mesh_proxy	Mesh Proxy Service
1829	org.bluetooth.service.reconnection_configuration	Reconnection Configuration
183A	org.bluetooth.service.insulin_delivery	Insulin Delivery
183B	org.bluetooth.service.binary_sensor	Binary Sensor
183C	org.bluetooth.service.emergency_configuration	Emergency Configuration
183E	org.bluetooth.service.physical_activity_monitor	Physical Activity Monitor
1843	org.bluetooth.service.audio_input_control	Audio Input Control
1844	org.bluetooth.service.volume.control	Volume Control
1845	org.bluetooth.service.volume.offset_control	Volume Offset Control
1846	org.bluetooth.service.coordinated_set_identification	Coordinated Set Identification
1847	org.bluetooth.service.device_time	Device Time
1848	org.bluetooth.service.control.media	Media Control
1849	org.bluetooth.service.control.generic_media	Generic Media Control
184A	org.bluetooth.service.constant_tone_extension	Constant Tone Extension
184B	org.bluetooth.service.bearer.telephone	Telephone Bearer
184C	org.bluetooth.service.bearer.generic_telephone	Generic Telephone Bearer
184D	org.bluetooth.service.control.microphone	Microphone Control
184E	org.bluetooth.service.control.audio_stream	Audio Stream Control
184F	org.bluetooth.service.audio.broadcast_scan	Broadcast Audio Scan
1850	org.bluetooth.service.audio.published_capabilities	Published Audio Capabilities
1851	org.bluetooth.service.audio.basic_announcement	Basic Audio Announcement
1852	org.bluetooth.service.audio.broadcast_announcement	Broadcast Audio Announcement
1853	org.bluetooth.service.audio.common	Common Audio
1854	org.bluetooth.service.hearing_access	Hearing Access
1855	org.bluetooth.service.telephony_and_media_audio	Telephony and Media Audio
1856	org.bluetooth.service.public_broadcast_announcement	Public Broadcast Announcement
1857	org.bluetooth.service.electronic_shelf_label	Electronic Shelf Label
1858	org.bluetooth.service.gaming_audio	Gaming Audio
1859	org.bluetooth.service.mesh_proxy_solicitation	Mesh Proxy Solicitation
AA80	com.ti.service.sensortag.advertised	SensorTag
FD0D	dev.blecon.service.advertising	Blecon Advertising Service
FD6F	com.apple.service.contacttracing	Exposure Notification Service
FE0F	com.philips-hue.service.signify_netherlands	Signify Netherlands B.V. (formerly Philips Lighting) Service
FE2C	com.google.service.fast_pair	Fast Pair Service
FE59	com.nordicsemi.service.dfu.secure	Secure DFU Service
FEAA	com.google.service.eddystone	Eddystone
FEBB	com.adafruit.service.file_transfer	File Transfer Service by Adafruit
FFE0	com.ti.service.sensortag.keys	SensorTag Keys
00000000000111E19AB40002A5D5C51B	com.st.service.bluest.features	BlueST Features
00000000000E11E19AB40002A5D5C51B	com.st.service.bluest.debug	BlueST Debug
00000000000F11E19AB40002A5D5C51B	com.st.service.bluest.configuration	BlueST Configuration
000015231212EFDE1523785FEABCD123	com.nordicsemi.service.led_and_button	Nordic LED and Button Service
000015301212EFDE1523785FEABCD123	com.nordicsemi.service.dfu.legacy	Legacy DFU Service
000016231212EFDE1623785FEABCD123	com.lego.service.lwp3.hub	LEGO® Wireless Protocol v3 Hub Service
000016251212EFDE1623785FEABCD123	com.lego.service.lwp3.bootloader	LEGO® Wireless Protocol v3 Bootloader Service
0483DADD6C9D6CA95D4103AD4FFF4ABB	com.nordicsemi.service.throughput	Nordic Throughput Service
0FDA92B244A24AF284F5FA682BAA2B8D	com.helium.service.custom	Helium Hotspot Custom Service
14387800130C49E7B8772881C89CB258	com.nordicsemi.service.wifi.provisioning	Nordic Wi-Fi Provisioning Service
21490000494A457398AFF126AF76F490	com.nordicsemi.service.ddfs	Nordic Direction and Distance Finding Service
49535343FE7D4AE58FA99FAFD205E455	com.microchip.service.transparent_uart	Microchip Transparent UART
54220000F6A54007A371722F4EBD8436	com.memfault.service.mds	Memfault Diagnostic Service
57A70000935011EDA1EB0242AC120002	com.nordicsemi.service.status	Nordic Status Message Service
5A2D3BF8F0BC11E59CE95E5517507E66	com.redbearlab.service.color_switch	Red Bear Color Switch
6E400001B5A3F393E0A9E50E24DCCA9E	com.nordicsemi.service.uart	Nordic UART Service
713D0000503E4C75BA943148F18D941E	com.redbearlab.service.serial	Red Bear Serial
7905F431B5CE4E99A40F4B1E122D00D0	com.apple.service.notification_center	Apple Notification Center Service
7DFC60007D1C495186AA8D9728F8D66C	com.apple.service.7DFC6000	Apple Reserved Service
7DFC70007D1C495186AA8D9728F8D66C	com.apple.service.7DFC7000	Apple Reserved Service
7DFC80007D1C495186AA8D9728F8D66C	com.apple.service.7DFC8000	Apple Reserved Service
7DFC90007D1C495186AA8D9728F8D66C	com.apple.service.7DFC9000	Apple Reserved Service
89D3502B0F36433A8EF4C502AD55F8DC	com.apple.service.media	Apple Media Service
8D53DC1D1DB74CD3868B8A527460AA84	io.runtime.mcumgr.ble.smp	SMP Service
8E400001F3154F609FB8838830DAEA50	com.nordicsemi.service.dfu.buttonless_experimental	Experimental Buttonless DFU Service
932C32BD000047A2835AA8D455B859DD	com.philips-hue.service.light_control	Philips Hue Light Control Service
A3C875008ED34BDF8A39A01BEBEDE295	com.google.service.eddystone.configuration	Eddystone Configuration Service
A5B463529D13479F9FCB3DCDF0A13F4D	com.nordicsemi.service.thingy.sensorhub	Thingy Sensor Hub
ADAF0100C33242A893BD25E905756CB8	com.adafruit.service.temperature	Adafruit Temperature Service
ADAF0200C33242A893BD25E905756CB8	com.adafruit.service.accelerometer	Adafruit Accelerometer Service
ADAF0300C33242A893BD25E905756CB8	com.adafruit.service.light	Adafruit Light Service
ADAF0400C33242A893BD25E905756CB8	com.adafruit.service.gyroscope	Adafruit Gyroscope Service
ADAF0500C33242A893BD25E905756CB8	com.adafruit.service.magnetometer	Adafruit Magnetometer Service
ADAF0600C33242A893BD25E905756CB8	com.adafruit.service.button	Adafruit Button Service
ADAF0700C33242A893BD25E905756CB8	com.adafruit.service.humidity	Adafruit Humidity Service
ADAF0800C33242A893BD25E905756CB8	com.adafruit.service.barometric	Adafruit Barometric Service
ADAF0900C33242A893BD25E905756CB8	com.adafruit.service.addressable_pixel	Adafruit Addressable Service
ADAF0A00C33242A893BD25E905756CB8	com.adafruit.service.color	Adafruit Color Service
ADAF0B00C33242A893BD25E905756CB8	com.adafruit.service.sound	Adafruit Sound Service
ADAF0C00C33242A893BD25E905756CB8	com.adafruit.service.tone	Adafruit Tone Service
ADAF0D00C33242A893BD25E905756CB8	com.adafruit.service.quaternion	Adafruit Quaternion Service
ADAF0E00C33242A893BD25E905756CB8	com.adafruit.service.proximity	Adafruit Proximity Service
B8843ADD00004AA18794C3F462030BDA	com.philips-hue.service.light_update	Philips Hue Light Update Service
C566488A08824E1BA6D00B717E652234	com.plux.service.bitalino.exchange_data	BITalino Exchange Data
E2A00001EC314EC3A97A1C34D87E9878	com.nordicsemi.service.edge_impulse	Edge Impulse Remote Management Service
E95D0753251D470AA062FA1922DFA9A8	org.microbit.service.accelerometer	micro:bit Accelerometer Service
E95D127B251D470AA062FA1922DFA9A8	org.microbit.service.io_pin	micro:bit IO Pin Service
E95D6100251D470AA062FA1922DFA9A8	org.microbit.service.temperature	micro:bit Temperature Service
E95D93AF251D470AA062FA1922DFA9A8	org.microbit.service.event	micro:bit Event Service
E95D93B0251D470AA062FA1922DFA9A8	org.microbit.service.dfu_control	micro:bit DFU Control Service
E95D9882251D470AA062FA1922DFA9A8	org.microbit.service.button	micro:bit Button Service
E95DD91D251D470AA062FA1922DFA9A8	org.microbit.service.led	micro:bit LED Service
E95DF2D8251D470AA062FA1922DFA9A8	org.microbit.service.magnetometer	micro:bit Magnetometer Service
EF6801009B3549339B1052FFA9740042	com.nordicsemi.service.thingy.configuration	Thingy Configuration Service
EF6802009B3549339B1052FFA9740042	com.nordicsemi.service.thingy.weather_station	Thingy Weather Station Service
EF6803009B3549339B1052FFA9740042	com.nordicsemi.service.thingy.ui	Thingy UI Service
EF6804009B3549339B1052FFA9740042	com.nordicsemi.service.thingy.motion	Thingy Motion Service
EF6805009B3549339B1052FFA9740042	com.nordicsemi.service.thingy.sound	Thingy Sound Service
F000AA0004514000B000000000000000	com.ti.service.sensortag.infrared_temperature	SensorTag Infrared Temperature
F000AA1004514000B000000000000000	com.ti.service.sensortag.accelerometer	SensorTag Accelerometer
F000AA2004514000B000000000000000	com.ti.service.sensortag.humidity	SensorTag Humidity
F000AA3004514000B000000000000000	com.ti.service.sensortag.magnetometer	SensorTag Magnetometer
F000AA4004514000B000000000000000	com.ti.service.sensortag.barometer	SensorTag Barometer
F000AA5004514000B000000000000000	com.ti.service.sensortag.gyroscope	SensorTag Gyroscope
F000AA6004514000B000000000000000	com.ti.service.sensortag.self_test	SensorTag Self-Test
F000AA6404514000B000000000000000	com.ti.service.sensortag.io	SensorTag IO
F000AA7004514000B000000000000000	com.ti.service.sensortag.luxometer	SensorTag Luxometer
F000AA8004514000B000000000000000	com.ti.service.sensortag.movement	SensorTag Movement
F000AC0004514000B000000000000000	com.ti.service.sensortag.register	SensorTag Register Access
F000AD0004514000B000000000000000	com.ti.service.sensortag.display	SensorTag Display
F000CCC004514000B000000000000000	com.ti.service.sensortag.connection_control	SensorTag Connection Control
F000FFC004514000B000000000000000	com.ti.service.oad	Texas Instruments Over-the-Air Download (OAD) Service
"""#)
}
