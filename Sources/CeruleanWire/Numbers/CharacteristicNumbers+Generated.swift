// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
// Written by Scripts/generate-numbers.py from data/; do not edit.

extension NumberTable {
    /// UUID, identifier, name.
    static let characteristics = NumberTable(#"""
1233	com.google.service.deprecated.fast_pair.model_id	Deprecated Fast Pair Model ID
1234	com.google.service.deprecated.fast_pair.key_based_pairing	Deprecated Fast Pair Key-based Pairing
1235	com.google.service.deprecated.fast_pair.passkey	Deprecated Fast Pair Passkey
1236	com.google.service.deprecated.fast_pair.account_key	Deprecated Fast Pair Account Key
1237	com.google.service.deprecated.fast_pair.data	Deprecated Fast Pair Data
1524	com.nordicsemi.characteristic.throughput	Throughput Characteristic
2A00	org.bluetooth.characteristic.gap.device_name	Device Name
2A01	org.bluetooth.characteristic.gap.appearance	Appearance
2A02	org.bluetooth.characteristic.gap.peripheral_privacy_flag	Peripheral Privacy Flag
2A03	org.bluetooth.characteristic.gap.reconnection_address	Reconnection Address
2A04	org.bluetooth.characteristic.gap.peripheral_preferred_connection_parameters	Peripheral Preferred Connection Parameters
2A05	org.bluetooth.characteristic.gatt.service_changed	Service Changed
2A06	org.bluetooth.characteristic.alert_level	Alert Level
2A07	org.bluetooth.characteristic.tx_power_level	Tx Power Level
2A08	org.bluetooth.characteristic.date_time	Date Time
2A09	org.bluetooth.characteristic.day_of_week	Day of Week
2A0A	org.bluetooth.characteristic.day_date_time	Day Date Time
2A0B	org.bluetooth.characteristic.exact_time.100	Exact Time 100
2A0C	org.bluetooth.characteristic.exact_time.256	Exact Time 256
2A0D	org.bluetooth.characteristic.dst_offset	DST Offset
2A0E	org.bluetooth.characteristic.time_zone	Time Zone
2A0F	org.bluetooth.characteristic.local_time_information	Local Time Information
2A10	org.bluetooth.characteristic.secondary_time_zone	Secondary Time Zone
2A11	org.bluetooth.characteristic.time_with_dst	Time with DST
2A12	org.bluetooth.characteristic.time_accuracy	Time Accuracy
2A13	org.bluetooth.characteristic.time_source	Time Source
2A14	org.bluetooth.characteristic.reference_time_information	Reference Time Information
2A15	org.bluetooth.characteristic.time_broadcast	Time Broadcast
2A16	org.bluetooth.characteristic.time_update_control_point	Time Update Control Point
2A17	org.bluetooth.characteristic.time_update_state	Time Update State
2A18	org.bluetooth.characteristic.glucose_measurement	Glucose Measurement
2A19	org.bluetooth.characteristic.battery_level	Battery Level
2A1A	org.bluetooth.characteristic.battery_power_state	Battery Power State
2A1B	org.bluetooth.characteristic.battery_level_state	Battery Level State
2A1C	org.bluetooth.characteristic.temperature_measurement	Temperature Measurement
2A1D	org.bluetooth.characteristic.temperature_type	Temperature Type
2A1E	org.bluetooth.characteristic.intermediate_temperature	Intermediate Temperature
2A1F	org.bluetooth.characteristic.temperature_celsius	Temperature Celsius
2A20	org.bluetooth.characteristic.temperature_fahrenheit	Temperature Fahrenheit
2A21	org.bluetooth.characteristic.measurement_interval	Measurement Interval
2A22	org.bluetooth.characteristic.boot_keyboard_input_report	Boot Keyboard Input Report
2A23	org.bluetooth.characteristic.system_id	System ID
2A24	org.bluetooth.characteristic.model_number_string	Model Number String
2A25	org.bluetooth.characteristic.serial_number_string	Serial Number String
2A26	org.bluetooth.characteristic.firmware_revision_string	Firmware Revision String
2A27	org.bluetooth.characteristic.hardware_revision_string	Hardware Revision String
2A28	org.bluetooth.characteristic.software_revision_string	Software Revision String
2A29	org.bluetooth.characteristic.manufacturer_name_string	Manufacturer Name String
2A2A	org.bluetooth.characteristic.ieee_11073-20601_regulatory_certification_data_list	IEEE 11073-20601 Regulatory Certification Data List
2A2B	org.bluetooth.characteristic.current_time	Current Time
2A2C	org.bluetooth.characteristic.magnetic_declination	Magnetic Declination
2A2F	org.bluetooth.characteristic.position_2d	Position 2D
2A30	org.bluetooth.characteristic.position_3d	Position 3D
2A31	org.bluetooth.characteristic.scan_refresh	Scan Refresh
2A32	org.bluetooth.characteristic.boot_keyboard_output_report	Boot Keyboard Output Report
2A33	org.bluetooth.characteristic.boot_mouse_input_report	Boot Mouse Input Report
2A34	org.bluetooth.characteristic.glucose_measurement_context	Glucose Measurement Context
2A35	org.bluetooth.characteristic.blood_pressure_measurement	Blood Pressure Measurement
2A36	org.bluetooth.characteristic.intermediate_cuff_pressure	Intermediate Cuff Pressure
2A37	org.bluetooth.characteristic.heart_rate_measurement	Heart Rate Measurement
2A38	org.bluetooth.characteristic.body_sensor_location	Body Sensor Location
2A39	org.bluetooth.characteristic.heart_rate_control_point	Heart Rate Control Point
2A3A	org.bluetooth.characteristic.removable	Removable
2A3B	org.bluetooth.characteristic.service_required	Service Required
2A3C	org.bluetooth.characteristic.scientific_temperature_celsius	Scientific Temperature Celsius
2A3D	org.bluetooth.characteristic.string	String
2A3E	org.bluetooth.characteristic.network_availability	Network Availability
2A3F	org.bluetooth.characteristic.alert_status	Alert Status
2A40	org.bluetooth.characteristic.ringer_control_point	Ringer Control point
2A41	org.bluetooth.characteristic.ringer_setting	Ringer Setting
2A42	org.bluetooth.characteristic.alert_category_id_bit_mask	Alert Category ID Bit Mask
2A43	org.bluetooth.characteristic.alert_category_id	Alert Category ID
2A44	org.bluetooth.characteristic.alert_notification_control_point	Alert Notification Control Point
2A45	org.bluetooth.characteristic.unread_alert_status	Unread Alert Status
2A46	org.bluetooth.characteristic.new_alert	New Alert
2A47	org.bluetooth.characteristic.supported_new_alert_category	Supported New Alert Category
2A48	org.bluetooth.characteristic.supported_unread_alert_category	Supported Unread Alert Category
2A49	org.bluetooth.characteristic.blood_pressure_feature	Blood Pressure Feature
2A4A	org.bluetooth.characteristic.hid_information	HID Information
2A4B	org.bluetooth.characteristic.report_map	Report Map
2A4C	org.bluetooth.characteristic.hid_control_point	HID Control Point
2A4D	org.bluetooth.characteristic.report	Report
2A4E	org.bluetooth.characteristic.protocol_mode	Protocol Mode
2A4F	org.bluetooth.characteristic.scan_interval_window	Scan Interval Window
2A50	org.bluetooth.characteristic.pnp_id	PnP ID
2A51	org.bluetooth.characteristic.glucose_feature	Glucose Feature
2A52	org.bluetooth.characteristic.record_access_control_point	Record Access Control Point
2A53	org.bluetooth.characteristic.rsc_measurement	RSC Measurement
2A54	org.bluetooth.characteristic.rsc_feature	RSC Feature
2A55	org.bluetooth.characteristic.sc_control_point	SC Control Point
2A56	org.bluetooth.characteristic.digital	Digital
2A57	org.bluetooth.characteristic.digital_output	Digital Output
2A58	org.bluetooth.characteristic.analog	Analog
2A59	org.bluetooth.characteristic.analog_output	Analog Output
2A5A	org.bluetooth.characteristic.aggregate	Aggregate
2A5B	org.bluetooth.characteristic.csc_measurement	CSC Measurement
2A5C	org.bluetooth.characteristic.csc_feature	CSC Feature
2A5D	org.bluetooth.characteristic.sensor_location	Sensor Location
2A5E	org.bluetooth.characteristic.plx_spot_check_measurement	PLX Spot-Check Measurement
2A5F	org.bluetooth.characteristic.plx_continuous_measurement	PLX Continuous Measurement Characteristic
2A60	org.bluetooth.characteristic.plx_features	PLX Features
2A62	org.bluetooth.characteristic.pulse_oximetry_control_point	Pulse Oximetry Control Point
2A63	org.bluetooth.characteristic.cycling_power_measurement	Cycling Power Measurement
2A64	org.bluetooth.characteristic.cycling_power_vector	Cycling Power Vector
2A65	org.bluetooth.characteristic.cycling_power_feature	Cycling Power Feature
2A66	org.bluetooth.characteristic.cycling_power_control_point	Cycling Power Control Point
2A67	org.bluetooth.characteristic.location_and_speed	Location and Speed Characteristic
2A68	org.bluetooth.characteristic.navigation	Navigation
2A69	org.bluetooth.characteristic.position_quality	Position Quality
2A6A	org.bluetooth.characteristic.ln_feature	LN Feature
2A6B	org.bluetooth.characteristic.ln_control_point	LN Control Point
2A6C	org.bluetooth.characteristic.elevation	Elevation
2A6D	org.bluetooth.characteristic.pressure	Pressure
2A6E	org.bluetooth.characteristic.temperature	Temperature
2A6F	org.bluetooth.characteristic.humidity	Humidity
2A70	org.bluetooth.characteristic.true_wind_speed	True Wind Speed
2A71	org.bluetooth.characteristic.true_wind_direction	True Wind Direction
2A72	org.bluetooth.characteristic.apparent_wind_speed	Apparent Wind Speed
2A73	org.bluetooth.characteristic.apparent_wind_direction	Apparent Wind Direction
2A74	org.bluetooth.characteristic.gust_factor	Gust Factor
2A75	org.bluetooth.characteristic.pollen_concentration	Pollen Concentration
2A76	org.bluetooth.characteristic.uv_index	UV Index
2A77	org.bluetooth.characteristic.irradiance	Irradiance
2A78	org.bluetooth.characteristic.rainfall	Rainfall
2A79	org.bluetooth.characteristic.wind_chill	Wind Chill
2A7A	org.bluetooth.characteristic.heat_index	Heat Index
2A7B	org.bluetooth.characteristic.dew_point	Dew Point
2A7D	org.bluetooth.characteristic.descriptor_value_changed	Descriptor Value Changed
2A7E	org.bluetooth.characteristic.aerobic_heart_rate_lower_limit	Aerobic Heart Rate Lower Limit
2A7F	org.bluetooth.characteristic.aerobic_threshold	Aerobic Threshold
2A80	org.bluetooth.characteristic.age	Age
2A81	org.bluetooth.characteristic.anaerobic_heart_rate_lower_limit	Anaerobic Heart Rate Lower Limit
2A82	org.bluetooth.characteristic.anaerobic_heart_rate_upper_limit	Anaerobic Heart Rate Upper Limit
2A83	org.bluetooth.characteristic.anaerobic_threshold	Anaerobic Threshold
2A84	org.bluetooth.characteristic.aerobic_heart_rate_upper_limit	Aerobic Heart Rate Upper Limit
2A85	org.bluetooth.characteristic.date_of_birth	Date of Birth
2A86	org.bluetooth.characteristic.date_of_threshold_assessment	Date of Threshold Assessment
2A87	org.bluetooth.characteristic.email_address	Email Address
2A88	org.bluetooth.characteristic.fat_burn_heart_rate_lower_limit	Fat Burn Heart Rate Lower Limit
2A89	org.bluetooth.characteristic.fat_burn_heart_rate_upper_limit	Fat Burn Heart Rate Upper Limit
2A8A	org.bluetooth.characteristic.first_name	First Name
2A8B	org.bluetooth.characteristic.five_zone_heart_rate_limits	Five Zone Heart Rate Limits
2A8C	org.bluetooth.characteristic.gender	Gender
2A8D	org.bluetooth.characteristic.heart_rate_max	Heart Rate Max
2A8E	org.bluetooth.characteristic.height	Height
2A8F	org.bluetooth.characteristic.hip_circumference	Hip Circumference
2A90	org.bluetooth.characteristic.last_name	Last Name
2A91	org.bluetooth.characteristic.maximum_recommended_heart_rate	Maximum Recommended Heart Rate
2A92	org.bluetooth.characteristic.resting_heart_rate	Resting Heart Rate
2A93	org.bluetooth.characteristic.sport_type_for_aerobic_and_anaerobic_thresholds	Sport Type for Aerobic and Anaerobic Thresholds
2A94	org.bluetooth.characteristic.three_zone_heart_rate_limits	Three Zone Heart Rate Limits
2A95	org.bluetooth.characteristic.two_zone_heart_rate_limit	Two Zone Heart Rate Limit
2A96	org.bluetooth.characteristic.vo2_max	VO2 Max
2A97	org.bluetooth.characteristic.waist_circumference	Waist Circumference
2A98	org.bluetooth.characteristic.weight	Weight
2A99	org.bluetooth.characteristic.database_change_increment	Database Change Increment
2A9A	org.bluetooth.characteristic.user_index	User Index
2A9B	org.bluetooth.characteristic.body_composition_feature	Body Composition Feature
2A9C	org.bluetooth.characteristic.body_composition_measurement	Body Composition Measurement
2A9D	org.bluetooth.characteristic.weight_measurement	Weight Measurement
2A9E	org.bluetooth.characteristic.weight_scale_feature	Weight Scale Feature
2A9F	org.bluetooth.characteristic.user_control_point	User Control Point
2AA0	org.bluetooth.characteristic.Magnetic_flux_density_2D	Magnetic Flux Density - 2D
2AA1	org.bluetooth.characteristic.Magnetic_flux_density_3D	Magnetic Flux Density - 3D
2AA2	org.bluetooth.characteristic.language	Language
2AA3	org.bluetooth.characteristic.barometric_pressure_trend	Barometric Pressure Trend
2AA4	org.bluetooth.characteristic.bond_management_control_point	Bond Management Control Point
2AA5	org.bluetooth.characteristic.bond_management_feature	Bond Management Features
2AA6	org.bluetooth.characteristic.gap.central_address_resolution	Central Address Resolution
2AA7	org.bluetooth.characteristic.cgm_measurement	CGM Measurement
2AA8	org.bluetooth.characteristic.cgm_feature	CGM Feature
2AA9	org.bluetooth.characteristic.cgm_status	CGM Status
2AAA	org.bluetooth.characteristic.cgm_session_start_time	CGM Session Start Time
2AAB	org.bluetooth.characteristic.cgm_session_run_time	CGM Session Run Time
2AAC	org.bluetooth.characteristic.cgm_specific_ops_control_point	CGM Specific Ops Control Point
2AAD	org.bluetooth.characteristic.indoor_positioning_configuration	Indoor Positioning Configuration
2AAE	org.bluetooth.characteristic.latitude	Latitude
2AAF	org.bluetooth.characteristic.longitude	Longitude
2AB0	org.bluetooth.characteristic.local_north_coordinate	Local North Coordinate
2AB1	org.bluetooth.characteristic.local_east_coordinate	Local East Coordinate
2AB2	org.bluetooth.characteristic.floor_number	Floor Number
2AB3	org.bluetooth.characteristic.altitude	Altitude
2AB4	org.bluetooth.characteristic.uncertainty	Uncertainty
2AB5	org.bluetooth.characteristic.location_name	Location Name
2AB6	org.bluetooth.characteristic.uri	URI
2AB7	org.bluetooth.characteristic.http_headers	HTTP Headers
2AB8	org.bluetooth.characteristic.http_status_code	HTTP Status Code
2AB9	org.bluetooth.characteristic.http_entity_body	HTTP Entity Body
2ABA	org.bluetooth.characteristic.http_control_point	HTTP Control Point
2ABB	org.bluetooth.characteristic.https_security	HTTPS Security
2ABC	org.bluetooth.characteristic.tds_control_point	TDS Control Point
2ABD	org.bluetooth.characteristic.ots_feature	OTS Feature
2ABE	org.bluetooth.characteristic.object_name	Object Name
2ABF	org.bluetooth.characteristic.object_type	Object Type
2AC0	org.bluetooth.characteristic.object_size	Object Size
2AC1	org.bluetooth.characteristic.object_first_created	Object First-Created
2AC2	org.bluetooth.characteristic.object_last_modified	Object Last-Modified
2AC3	org.bluetooth.characteristic.object_id	Object ID
2AC4	org.bluetooth.characteristic.object_properties	Object Properties
2AC5	org.bluetooth.characteristic.object_action_control_point	Object Action Control Point
2AC6	org.bluetooth.characteristic.object_list_control_point	Object List Control Point
2AC7	org.bluetooth.characteristic.object_list_filter	Object List Filter
2AC8	org.bluetooth.characteristic.object_changed	Object Changed
2AC9	org.bluetooth.characteristic.resolvable_private_address_only	Resolvable Private Address Only
2ACC	org.bluetooth.characteristic.fitness_machine_feature	Fitness Machine Feature
2ACD	org.bluetooth.characteristic.treadmill_data	Treadmill Data
2ACE	org.bluetooth.characteristic.cross_trainer_data	Cross Trainer Data
2ACF	org.bluetooth.characteristic.step_climber_data	Step Climber Data
2AD0	org.bluetooth.characteristic.stair_climber_data	Stair Climber Data
2AD1	org.bluetooth.characteristic.rower_data	Rower Data
2AD2	org.bluetooth.characteristic.indoor_bike_data	Indoor Bike Data
2AD3	org.bluetooth.characteristic.training_status	Training Status
2AD4	org.bluetooth.characteristic.supported_speed_range	Supported Speed Range
2AD5	org.bluetooth.characteristic.supported_inclination_range	Supported Inclination Range
2AD6	org.bluetooth.characteristic.supported_resistance_level_range	Supported Resistance Level Range
2AD7	org.bluetooth.characteristic.supported_heart_rate_range	Supported Heart Rate Range
2AD8	org.bluetooth.characteristic.supported_power_range	Supported Power Range
2AD9	org.bluetooth.characteristic.fitness_machine_control_point	Fitness Machine Control Point
2ADA	org.bluetooth.characteristic.fitness_machine_status	Fitness Machine Status
2ADB	org.bluetooth.characteristic.mesh_provisioning_data_in	Mesh Provisioning Data In
2ADC	org.bluetooth.characteristic.mesh_provisioning_data_out	Mesh Provisioning Data Out
2ADD	org.bluetooth.characteristic.mesh_proxy_data_in	Mesh Proxy Data In
2ADE	org.bluetooth.characteristic.mesh_proxy_data_out	Mesh Proxy Data Out
2AE0	org.bluetooth.characteristic.average_current	Average Current
2AE1	org.bluetooth.characteristic.average_voltage	Average Voltage
2AE2	org.bluetooth.characteristic.boolean	Boolean
2AE3	org.bluetooth.characteristic.chromatic_distance	Chromatic Distance From Planckian
2AE4	org.bluetooth.characteristic.chromaticity.coordinates	Chromaticity Coordinates
2AE5	org.bluetooth.characteristic.chromaticity.cct_duv	Chromaticity In CCT And Duv Values
2AE6	org.bluetooth.characteristic.chromaticity.tolerance	Chromaticity Tolerance
2AE7	org.bluetooth.characteristic.color_rendering_index	CIE 13.3-1995 Color Rendering Index
2AE8	org.bluetooth.characteristic.coefficient	Coefficient
2AE9	org.bluetooth.characteristic.correlated_color_temperature	Correlated Color Temperature
2AEA	org.bluetooth.characteristic.count.16	Count 16
2AEB	org.bluetooth.characteristic.count.24	Count 24
2AEC	org.bluetooth.characteristic.country_code	Country Code
2AED	org.bluetooth.characteristic.date_utc	Date UTC
2AEE	org.bluetooth.characteristic.electric_current	Electric Current
2AEF	org.bluetooth.characteristic.electric_current.range	Electric Current Range
2AF0	org.bluetooth.characteristic.electric_current.specification	Electric Current Specification
2AF1	org.bluetooth.characteristic.electric_current.statistics	Electric Current Statistics
2AF2	org.bluetooth.characteristic.energy	Energy
2AF3	org.bluetooth.characteristic.energy.period_day	Energy In A Period Of Day
2AF4	org.bluetooth.characteristic.event_statistics	Event Statistics
2AF5	org.bluetooth.characteristic.fixed_string.16	Fixed String 16
2AF6	org.bluetooth.characteristic.fixed_string.24	Fixed String 24
2AF7	org.bluetooth.characteristic.fixed_string.36	Fixed String 36
2AF8	org.bluetooth.characteristic.fixed_string.8	Fixed String 8
2AF9	org.bluetooth.characteristic.generic_level	Generic Level
2AFA	org.bluetooth.characteristic.global_trade_item_number	Global Trade Item Number
2AFB	org.bluetooth.characteristic.illuminance	Illuminance
2AFC	org.bluetooth.characteristic.luminous.efficacy	Luminous Efficacy
2AFD	org.bluetooth.characteristic.luminous.energy	Luminous Energy
2AFE	org.bluetooth.characteristic.luminous.exposure	Luminous Exposure
2AFF	org.bluetooth.characteristic.luminous.flux	Luminous Flux
2B00	org.bluetooth.characteristic.luminous.flux_range	Luminous Flux Range
2B01	org.bluetooth.characteristic.luminous.intensity	Luminous Intensity
2B02	org.bluetooth.characteristic.b02_mass_flow	B02 Mass Flow
2B03	org.bluetooth.characteristic.perceived_lightness	Perceived Lightness
2B04	org.bluetooth.characteristic.percentage_8	Percentage 8
2B05	org.bluetooth.characteristic.power	Power
2B06	org.bluetooth.characteristic.power.specification	Power Specification
2B07	org.bluetooth.characteristic.relative_runtime.current_range	Relative Runtime In A Current Range
2B08	org.bluetooth.characteristic.relative_runtime.generic_level_range	Relative Runtime In A Generic Level Range
2B09	org.bluetooth.characteristic.relative_value.voltage_range	Relative Value In A Voltage Range
2B0A	org.bluetooth.characteristic.relative_value.illuminance_range	Relative Value In An Illuminance Range
2B0B	org.bluetooth.characteristic.relative_value.day_period	Relative Value In A Period Of Day
2B0C	org.bluetooth.characteristic.relative_value.temperature_range	Relative Value In A Temperature Range
2B0D	org.bluetooth.characteristic.temperature.8	Temperature 8
2B0E	org.bluetooth.characteristic.temperature.8.day_period	Temperature 8 In A Period Of Day
2B0F	org.bluetooth.characteristic.temperature.8.statistics	Temperature 8 Statistics
2B10	org.bluetooth.characteristic.temperature.range	Temperature Range
2B11	org.bluetooth.characteristic.temperature.statistics	Temperature Statistics
2B12	org.bluetooth.characteristic.time.decihour.8	Time Decihour 8
2B13	org.bluetooth.characteristic.time.exponential.8	Time Exponential 8
2B14	org.bluetooth.characteristic.time.hour.24	Time Hour 24
2B15	org.bluetooth.characteristic.time.millisecond.24	Time Millisecond 24
2B16	org.bluetooth.characteristic.time.second.16	Time Second 16
2B17	org.bluetooth.characteristic.time.second.8	Time Second 8
2B18	org.bluetooth.characteristic.voltage	Voltage
2B19	org.bluetooth.characteristic.voltage.specification	Voltage Specification
2B1A	org.bluetooth.characteristic.voltage.statistics	Voltage Statistics
2B1B	org.bluetooth.characteristic.volume_flow	Volume Flow
2B1C	org.bluetooth.characteristic.chromaticity.coordinate	Chromaticity Coordinate
2B1D	org.bluetooth.characteristic.rc_feature	RC Feature
2B1E	org.bluetooth.characteristic.rc_settings	RC Settings
2B1F	org.bluetooth.characteristic.reconnection_configuration_control_point	Reconnection Configuration Control Point
2B20	org.bluetooth.characteristic.idd_status_changed	IDD Status Changed
2B21	org.bluetooth.characteristic.idd_status	IDD Status
2B22	org.bluetooth.characteristic.idd_annunciation_status	IDD Annunciation Status
2B23	org.bluetooth.characteristic.idd_features	IDD Features
2B24	org.bluetooth.characteristic.idd_status_reader_control_point	IDD Status Reader Control Point
2B25	org.bluetooth.characteristic.idd_command_control_point	IDD Command Control Point
2B26	org.bluetooth.characteristic.idd_command_data	IDD Command Data
2B27	org.bluetooth.characteristic.idd_record_access_control_point	IDD Record Access Control Point
2B28	org.bluetooth.characteristic.idd_history_data	IDD History Data
2B29	org.bluetooth.characteristic.client_supported_features	Client Supported Features
2B2A	org.bluetooth.characteristic.database_hash	Database Hash
2B2B	org.bluetooth.characteristic.bss.control_point	BSS Control Point
2B2C	org.bluetooth.characteristic.bss.response	BSS Response
2B2D	org.bluetooth.characteristic.emergency.id	Emergency ID
2B2E	org.bluetooth.characteristic.emergency.text	Emergency Text
2B34	org.bluetooth.characteristic.enhanced_blood_pressure_measurement	Enhanced Blood Pressure Measurement
2B35	org.bluetooth.characteristic.enhanced_intermediate_cuff_pressure	Enhanced Intermediate Cuff Pressure
2B36	org.bluetooth.characteristic.blood_pressure_record	Blood Pressure Record
2B38	org.bluetooth.characteristic.bredr.handover_data	BR-EDR Handover Data
2B39	org.bluetooth.characteristic.sig_data	Bluetooth SIG Data
2B3A	org.bluetooth.characteristic.server.supported_features	Server Supported Features
2B3B	org.bluetooth.characteristic.phyisical_activity_monitor.features	Physical Activity Monitor Features
2B3C	org.bluetooth.characteristic.general_activity.instantaneous	General Activity Instantaneous Data
2B3D	org.bluetooth.characteristic.general_activity.summary	General Activity Summary Data
2B3E	org.bluetooth.characteristic.cardiorespiratory_activity.instantaneous	CardioRespiratory Activity Instantaneous Data
2B3F	org.bluetooth.characteristic.cardiorespiratory_activity.summary	CardioRespiratory Activity Summary Data
2B40	org.bluetooth.characteristic.step_counter_activity.summary	Step Counter Activity Summary Data
2B41	org.bluetooth.characteristic.sleep_activity.instantaneous	Sleep Activity Instantaneous Data
2B42	org.bluetooth.characteristic.sleep_activity.summary	Sleep Activity Summary Data
2B43	org.bluetooth.characteristic.physical_activity_monitor.cp	Physical Activity Monitor Control Point
2B44	org.bluetooth.characteristic.activity_current_session	Activity Current Session
2B45	org.bluetooth.characteristic.physical_activity.session.descriptor	Physical Activity Session Descriptor
2B46	org.bluetooth.characteristic.preferred_units	Preferred Units
2B47	org.bluetooth.characteristic.high_resolution_height	High Resolution Height
2B48	org.bluetooth.characteristic.middle_name	Middle Name
2B49	org.bluetooth.characteristic.stride_length	Stride Length
2B4A	org.bluetooth.characteristic.handedness	Handedness
2B4B	org.bluetooth.characteristic.device_wearing_position	Device Wearing Position
2B4C	org.bluetooth.characteristic.four_zone_heart_rate_limits	Four Zone Heart Rate Limits
2B4D	org.bluetooth.characteristic.high_intensity_exercise_threshold	High Intensity Exercise Threshold
2B4E	org.bluetooth.characteristic.activity_goal	Activity Goal
2B4F	org.bluetooth.characteristic.sedentary_interval.notification	Sedentary Interval Notification
2B50	org.bluetooth.characteristic.caloric_intake	Caloric Intake
2B51	org.bluetooth.characteristic.tmap_role	TMAP Role
2B77	org.bluetooth.characteristic.audio_input.state	Audio Input State
2B78	org.bluetooth.characteristic.gain_settings_attribute	Gain Settings Attribute
2B79	org.bluetooth.characteristic.audio_input.type	Audio Input Type
2B7A	org.bluetooth.characteristic.audio_input.status	Audio Input Status
2B7B	org.bluetooth.characteristic.audio_input.control_point	Audio Input Control Point
2B7C	org.bluetooth.characteristic.audio_input.description	Audio Input Description
2B7D	org.bluetooth.characteristic.volume.state	Volume State
2B7E	org.bluetooth.characteristic.volume.cp	Volume Control Point
2B7F	org.bluetooth.characteristic.volume.flags	Volume Flags
2B80	org.bluetooth.characteristic.volume.offset_state	Volume Offset State
2B81	org.bluetooth.characteristic.audio.location	Audio Location
2B82	org.bluetooth.characteristic.volume.offset_control_point	Volume Offset Control Point
2B83	org.bluetooth.characteristic.audio.output_description	Audio Output Description
2B84	org.bluetooth.characteristic.set.identity_resolving_key	Set Identity Resolving Key
2B85	org.bluetooth.characteristic.set.coordinated_size	Coordinated Set Size
2B86	org.bluetooth.characteristic.set.member_lock	Set Member Lock
2B87	org.bluetooth.characteristic.set.member_rank	Set Member Rank
2B8C	org.bluetooth.characteristic.concentration.co2	Carbon Dioxide Concentration
2B8E	org.bluetooth.characteristic.device_time.feature	Device Time Feature
2B8F	org.bluetooth.characteristic.device_time.parameters	Device Time Parameters
2B90	org.bluetooth.characteristic.device_time	Device Time
2B91	org.bluetooth.characteristic.device_time.cp	Device Time Control Point
2B92	org.bluetooth.characteristic.time_change_log_data	Time Change Log Data
2B93	org.bluetooth.characteristic.media_player.name	Media Player Name
2B94	org.bluetooth.characteristic.media_player.icon_object_id	Media Player Icon Object ID
2B95	org.bluetooth.characteristic.media_player.icon_url	Media Player Icon URL
2B96	org.bluetooth.characteristic.track.changed	Track Changed
2B97	org.bluetooth.characteristic.track.title	Track Title
2B98	org.bluetooth.characteristic.track.duration	Track Duration
2B99	org.bluetooth.characteristic.track.position	Track Position
2B9A	org.bluetooth.characteristic.playback.speed	Playback Speed
2B9B	org.bluetooth.characteristic.seeking.speed	Seeking Speed
2B9C	org.bluetooth.characteristic.track.current_segment_object_id	Current Track Segments Object ID
2B9D	org.bluetooth.characteristic.track._object_id	Current Track Object ID
2B9E	org.bluetooth.characteristic.track-next_object_id	Next Track Object ID
2B9F	org.bluetooth.characteristic.track.parent_group_object_id	Parent Group Object ID
2BA0	org.bluetooth.characteristic.track.current_group_object_id	Current Group Object ID
2BA1	org.bluetooth.characteristic.media_player.playing_order	Playing Order
2BA2	org.bluetooth.characteristic.media_player.playing_orders_supported	Playing Orders Supported
2BA3	org.bluetooth.characteristic.media_player.state	Media State
2BA4	org.bluetooth.characteristic.media_player.cp	Media Control Point
2BA5	org.bluetooth.characteristic.media_player.control_point_opcodes_supported	Media Control Point Opcodes Supported
2BA6	org.bluetooth.characteristic.media_player.search_results_object_id	Search Results Object ID
2BA7	org.bluetooth.characteristic.media_player.search_control_point	Search Control Point
2BA9	org.bluetooth.characteristic.media_player.icon_object_type	Media Player Icon Object Type
2BAA	org.bluetooth.characteristic.track.segments_object_type	Track Segments Object Type
2BAB	org.bluetooth.characteristic.track.object_type	Track Object Type
2BAC	org.bluetooth.characteristic.group.object_type	Group Object Type
2BAD	org.bluetooth.characteristic.constant_tone_extension_enable	Constant Tone Extension Enable
2BAE	org.bluetooth.characteristic.advertising_constant_tone_extension.minimum_length	Advertising Constant Tone Extension Minimum Length
2BAF	org.bluetooth.characteristic.advertising_constant_tone_extension.minimum_transmit_count	Advertising Constant Tone Extension Minimum Transmit Count
2BB0	org.bluetooth.characteristic.advertising_constant_tone_extension.transmit_duration	Advertising Constant Tone Extension Transmit Duration
2BB1	org.bluetooth.characteristic.advertising_constant_tone_extension.interval	Advertising Constant Tone Extension Interval
2BB2	org.bluetooth.characteristic.advertising_constant_tone_extension.phy	Advertising Constant Tone Extension PHY
2BB3	org.bluetooth.characteristic.bearer.provider_name	Bearer Provider Name
2BB4	org.bluetooth.characteristic.bearer.uci	Bearer UCI
2BB5	org.bluetooth.characteristic.bearer.technology	Bearer Technology
2BB6	org.bluetooth.characteristic.bearer.uri_schemes_supported_list	Bearer URI Schemes Supported List
2BB7	org.bluetooth.characteristic.bearer.signal_strength	Bearer Signal Strength
2BB8	org.bluetooth.characteristic.bearer.signal_strength_reporting_interval	Bearer Signal Strength Reporting Interval
2BB9	org.bluetooth.characteristic.bearer.list_current_calls	Bearer List Current Calls
2BBA	org.bluetooth.characteristic.content_control_id	Content Control ID
2BBB	org.bluetooth.characteristic.status_flags	Status Flags
2BBC	org.bluetooth.characteristic.bearer.incoming_call_target_uri	Incoming Call Target Bearer URI
2BBD	org.bluetooth.characteristic.call.state	Call State
2BBE	org.bluetooth.characteristic.call.cp	Call Control Point
2BBF	org.bluetooth.characteristic.call.control_point_optional_decodes	Call Control Point Optional Opcodes
2BC0	org.bluetooth.characteristic.call.termination_reason	Termination Reason
2BC1	org.bluetooth.characteristic.call.incoming	Incoming Call
2BC2	org.bluetooth.characteristic.call.friendly_name	Call Friendly Name
2BC3	org.bluetooth.characteristic.call.mute	Mute
2BC4	org.bluetooth.characteristic.sink.ase	Sink ASE
2BC5	org.bluetooth.characteristic.source.ase	Source ASE
2BC6	org.bluetooth.characteristic.ase.cp	ASE Control Point
2BC7	org.bluetooth.characteristic.broadcast.audio_scan_control_point	Broadcast Audio Scan Control Point
2BC8	org.bluetooth.characteristic.broadcast.receive_state	Broadcast Receive State
2BC9	org.bluetooth.characteristic.sink.pac	Sink PAC
2BCA	org.bluetooth.characteristic.sink.audio_locations	Sink Audio Locations
2BCB	org.bluetooth.characteristic.source.pac	Source PAC
2BCC	org.bluetooth.characteristic.source.audio.locations	Source Audio Locations
2BCD	org.bluetooth.characteristic.audio.available_contexts	Available Audio Contexts
2BCE	org.bluetooth.characteristic.audio.supported_contexts	Supported Audio Contexts
2BCF	org.bluetooth.characteristic.concentration.ammonia	Ammonia Concentration
2BD0	org.bluetooth.characteristic.concentration.carbon_monoxide	Carbon Monoxide Concentration
2BD1	org.bluetooth.characteristic.concentration.methane	Methane Concentration
2BD2	org.bluetooth.characteristic.concentration.nitrogen_dioxide	Nitrogen Dioxide Concentration
2BD3	org.bluetooth.characteristic.concentration.non_methane_volatile_organic	Non-Methane Volatile Organic Compounds Concentration
2BD4	org.bluetooth.characteristic.concentration.ozone	Ozone Concentration
2BD5	org.bluetooth.characteristic.concentration.pm1	Particulate Matter - PM1 Concentration
2BD6	org.bluetooth.characteristic.concentration.pm2_5	Particulate Matter - PM2.5 Concentration
2BD7	org.bluetooth.characteristic.concentration.pm10	Particulate Matter - PM10 Concentration
2BD8	org.bluetooth.characteristic.concentration.sulfur_dioxide	Sulfur Dioxide Concentration
2BD9	org.bluetooth.characteristic.concentration.sulfur_hexafluoride	Sulfur Hexafluoride Concentration
2BDA	org.bluetooth.characteristic.hearing_aid.features	Hearing Aid Features
2BDB	org.bluetooth.characteristic.hearing_aid.preset_control_point	Hearing Aid Preset Control Point
2BDC	org.bluetooth.characteristic.active_preset_index	Active Preset Index
2BDD	org.bluetooth.characteristic.stored_health_observations	Stored Health Observations
2BDE	org.bluetooth.characteristic.fixed_string_64	Fixed String 64
2BDF	org.bluetooth.characteristic.high_temperature	High Temperature
2BE0	org.bluetooth.characteristic.high_voltage	High Voltage
2BE1	org.bluetooth.characteristic.light_distribution	Light Distribution
2BE2	org.bluetooth.characteristic.light_output	Light Output
2BE3	org.bluetooth.characteristic.light_source_type	Light Source Type
2BE4	org.bluetooth.characteristic.noise	Noise
2BE5	org.bluetooth.characteristic.relative_runtime_in_a_correlated_color_temperature_range	Relative Runtime in a Correlated Color Temperature Range
2BE6	org.bluetooth.characteristic.time_second_32	Time Second 32
2BE7	org.bluetooth.characteristic.voc_concentration	VOC Concentration
2BE8	org.bluetooth.characteristic.voltage_frequency	Voltage Frequency
2BE9	org.bluetooth.characteristic.battery_critical_status	Battery Critical Status
2BEA	org.bluetooth.characteristic.battery_health_status	Battery Health Status
2BEB	org.bluetooth.characteristic.battery_health_information	Battery Health Information
2BEC	org.bluetooth.characteristic.battery_information	Battery Information
2BED	org.bluetooth.characteristic.battery_level_status	Battery Level Status
2BEE	org.bluetooth.characteristic.battery_time_status	Battery Time Status
2BEF	org.bluetooth.characteristic.estimated_service_date	Estimated Service Date
2BF0	org.bluetooth.characteristic.battery_energy_status	Battery Energy Status
2BF1	org.bluetooth.characteristic.observation_schedule_changed	Observation Schedule Changed
2BF2	org.bluetooth.characteristic.current_elapsed_time	Current Elapsed Time
2BF3	org.bluetooth.characteristic.health_sensor_features	Health Sensor Features
2BF4	org.bluetooth.characteristic.ghs_control_point	GHS Control Point
2BF5	org.bluetooth.characteristic.le_gatt_security_levels	LE GATT Security Levels
2BF6	org.bluetooth.characteristic.esl_address	ESL Address
2BF7	org.bluetooth.characteristic.ap_sync_key_material	AP Sync Key Material
2BF8	org.bluetooth.characteristic.esl_response_key_material	ESL Response Key Material
2BF9	org.bluetooth.characteristic.esl_current_absolute_time	ESL Current Absolute Time
2BFA	org.bluetooth.characteristic.esl_display_information	ESL Display Information
2BFB	org.bluetooth.characteristic.esl_image_information	ESL Image Information
2BFC	org.bluetooth.characteristic.esl_sensor_information	ESL Sensor Information
2BFD	org.bluetooth.characteristic.esl_led_information	ESL LED Information
2BFE	org.bluetooth.characteristic.esl_control_point	ESL Control Point
2BFF	org.bluetooth.characteristic.medical_devices	UDI for Medical Devices
2C00	org.bluetooth.characteristic.gmap_role	GMAP Role
2C01	org.bluetooth.characteristic.ugg_features	UGG Features
2C02	org.bluetooth.characteristic.ugt_features	UGT Features
2C03	org.bluetooth.characteristic.bgs_features	BGS Features
2C04	org.bluetooth.characteristic.bgr_features	BGR Features
2C05	org.bluetooth.characteristic.percentage_8_steps	Percentage 8 Steps
FFE1	com.ti.characteristic.sensortag.key_state	SensorTag Key State
00000001000E11E1AC360002A5D5C51B	com.st.characteristic.bluest.terminal	BlueST Terminal
00000001000F11E1AC360002A5D5C51B	com.st.characteristic.bluest.registers	BlueST Registers
00000002000E11E1AC360002A5D5C51B	com.st.characteristic.bluest.standard_error	BlueST Standard Error
00000002000F11E1AC360002A5D5C51B	com.st.characteristic.bluest.feature_commands	BlueST Feature Commands
000015241212EFDE1523785FEABCD123	com.nordicsemi.characteristic.blinky.button_state	Blinky Button State
000015251212EFDE1523785FEABCD123	com.nordicsemi.characteristic.blinky.led_state	Blinky LED State
000015311212EFDE1523785FEABCD123	com.nordicsemi.characteristic.dfu.legacy.control_point	Legacy DFU Control Point
000015321212EFDE1523785FEABCD123	com.nordicsemi.characteristic.dfu.legacy.packet	Legacy DFU Packet
000015341212EFDE1523785FEABCD123	com.nordicsemi.characteristic.dfu.legacy.version	Legacy DFU Version
000016241212EFDE1623785FEABCD123	com.lego.characteristic.lwp3.hub	LEGO® Wireless Protocol v3 Hub Characteristic
000016261212EFDE1623785FEABCD123	com.lego.characteristic.lwp3.bootloader	LEGO® Wireless Protocol v3 Bootloader Characteristic
0A852C5950D34492BFD322FE58A24F01	com.helium.characteristic.public_key	Helium Hotspot Public Key
14387801130C49E7B8772881C89CB258	com.nordicsemi.characteristic.wifi.provisioning.service_version	Wi-Fi Provisioning Service Version
14387802130C49E7B8772881C89CB258	com.nordicsemi.characteristic.wifi.provisioning.control_point	Wi-Fi Provisioning Control Point
14387803130C49E7B8772881C89CB258	com.nordicsemi.characteristic.wifi.provisioning.data_out	Wi-Fi Provisioning Data Out
180EFDEF75794B4AB2DF72733B7FA2FE	com.helium.characteristic.lights	Helium Hotspot Lights
21490001494A457398AFF126AF76F490	com.nordicsemi.characteristic.dm	Distance Measurement Characteristic
21490002494A457398AFF126AF76F490	com.nordicsemi.characteristic.am	Azimuth Measurement Characteristic
21490003494A457398AFF126AF76F490	com.nordicsemi.characteristic.em	Elevation Measurement Characteristic
21490004494A457398AFF126AF76F490	com.nordicsemi.characteristic.ddf	DDF Feature
21490005494A457398AFF126AF76F490	com.nordicsemi.characteristic.control_point	Control Point
22EAC6E924D64BB5BE44B36ACE7C7BFB	com.apple.characteristic.data_source	Apple Data Source
2F7CABCE808D411F9A0CBB92BA96C102	com.apple.characteristic.media.entity_update	Apple Entity Update
398168AA01114EC0B1FA171671270608	com.helium.characteristic.wifi_connect	Helium Hotspot WiFi Connect
4051EB11BF0A4C748730A48F4193FCEA	com.plux.characteristic.bitalino.commands	BITalino Commands
40FDBA6B672E47C4808AE529ADFF3633	com.plux.characteristic.bitalino.frames	BITalino Frames
495353431E4D4BD9BA6123C647249616	com.microchip.characteristic.uart_from_device	Microchip UART From Device
49535343884143F4A8D4ECBE34729BB3	com.microchip.characteristic.uart_to_device	Microchip UART To Device
506A55C4B5E746FA83268ACAEB1189EB	com.nordicsemi.characteristic.thingy.sensorhub.temperature	Sensor Hub Temperature
51838AFF2D9AB32AB32A8187E41664BA	com.nordicsemi.characteristic.thingy.sensorhub.pressure	Sensor Hub Pressure
54220001F6A54007A371722F4EBD8436	com.memfault.characteristic.mds.supported_features	MDS Supported Features Characteristic
54220002F6A54007A371722F4EBD8436	com.memfault.characteristic.mds.device_identifier	MDS Device Identifier Characteristic
54220003F6A54007A371722F4EBD8436	com.memfault.characteristic.mds.data_uri	MDS Device Data URI Characteristic
54220004F6A54007A371722F4EBD8436	com.memfault.characteristic.mds.authorization	MDS Device Authorization Characteristic
54220005F6A54007A371722F4EBD8436	com.memfault.characteristic.mds.data_export	MDS Device Data Export Characteristic
57A70001935011EDA1EB0242AC120002	com.nordicsemi.characteristic.status	Status Characteristic
69D1D8F345E149A898219BBDFDAAD9D9	com.apple.characteristic.control_point	Apple Control Point
6E400002B5A3F393E0A9E50E24DCCA9E	com.nordicsemi.characteristic.uart_rx	UART RX Characteristic
6E400003B5A3F393E0A9E50E24DCCA9E	com.nordicsemi.characteristic.uart_tx	UART TX Characteristic
713D0001503E4C75BA943148F18D941E	com.redbearlab.characteristic.vendor	Red Bear Vendor
713D0002503E4C75BA943148F18D941E	com.redbearlab.characteristic.from_board	Red Bear From Board
713D0003503E4C75BA943148F18D941E	com.redbearlab.characteristic.to_board	Red Bear To Board
713D0004503E4C75BA943148F18D941E	com.redbearlab.characteristic.reset	Red Bear Reset
713D0005503E4C75BA943148F18D941E	com.redbearlab.characteristic.version	Red Bear Version
753E3050DF064B53B0905E1D810C4383	com.nordicsemi.characteristic.thingy.sensorhub.humidity	Sensor Hub Humidity
7731DE63BC6A41008AB189B2356B038B	com.helium.characteristic.wifi_ssid	Helium Hotspot WiFi SSID
7DFC60017D1C495186AA8D9728F8D66C	com.apple.characteristic.7DFC6001	Apple Reserved Characteristic
7DFC60027D1C495186AA8D9728F8D66C	com.apple.characteristic.7DFC6002	Apple Reserved Characteristic
7DFC60037D1C495186AA8D9728F8D66C	com.apple.characteristic.7DFC6003	Apple Reserved Characteristic
7DFC60047D1C495186AA8D9728F8D66C	com.apple.characteristic.7DFC6004	Apple Reserved Characteristic
7DFC60057D1C495186AA8D9728F8D66C	com.apple.characteristic.7DFC6005	Apple Reserved Characteristic
7DFC61017D1C495186AA8D9728F8D66C	com.apple.characteristic.7DFC6101	Apple Reserved Characteristic
7DFC61027D1C495186AA8D9728F8D66C	com.apple.characteristic.7DFC6102	Apple Reserved Characteristic
7DFC61037D1C495186AA8D9728F8D66C	com.apple.characteristic.7DFC6103	Apple Reserved Characteristic
7DFC61047D1C495186AA8D9728F8D66C	com.apple.characteristic.7DFC6104	Apple Reserved Characteristic
7DFC61057D1C495186AA8D9728F8D66C	com.apple.characteristic.7DFC6105	Apple Reserved Characteristic
7DFC61067D1C495186AA8D9728F8D66C	com.apple.characteristic.7DFC6106	Apple Reserved Characteristic
7DFC61077D1C495186AA8D9728F8D66C	com.apple.characteristic.7DFC6107	Apple Reserved Characteristic
7DFC61087D1C495186AA8D9728F8D66C	com.apple.characteristic.7DFC6108	Apple Reserved Characteristic
7DFC62017D1C495186AA8D9728F8D66C	com.apple.characteristic.7DFC6201	Apple Reserved Characteristic
7DFC62027D1C495186AA8D9728F8D66C	com.apple.characteristic.7DFC6202	Apple Reserved Characteristic
7DFC62037D1C495186AA8D9728F8D66C	com.apple.characteristic.7DFC6203	Apple Reserved Characteristic
7DFC70047D1C495186AA8D9728F8D66C	com.apple.characteristic.7DFC7004	Apple Reserved Characteristic
7DFC70057D1C495186AA8D9728F8D66C	com.apple.characteristic.7DFC7005	Apple Reserved Characteristic
7DFC70067D1C495186AA8D9728F8D66C	com.apple.characteristic.7DFC7006	Apple Reserved Characteristic
7DFC70077D1C495186AA8D9728F8D66C	com.apple.characteristic.7DFC7007	Apple Reserved Characteristic
7DFC70087D1C495186AA8D9728F8D66C	com.apple.characteristic.7DFC7008	Apple Reserved Characteristic
7DFC70097D1C495186AA8D9728F8D66C	com.apple.characteristic.7DFC7009	Apple Reserved Characteristic
7DFC700A7D1C495186AA8D9728F8D66C	com.apple.characteristic.7DFC700A	Apple Reserved Characteristic
7DFC700B7D1C495186AA8D9728F8D66C	com.apple.characteristic.7DFC700B	Apple Reserved Characteristic
7DFC700C7D1C495186AA8D9728F8D66C	com.apple.characteristic.7DFC700C	Apple Reserved Characteristic
7DFC71037D1C495186AA8D9728F8D66C	com.apple.characteristic.7DFC7103	Apple Reserved Characteristic
7DFC71047D1C495186AA8D9728F8D66C	com.apple.characteristic.7DFC7104	Apple Reserved Characteristic
7DFC71057D1C495186AA8D9728F8D66C	com.apple.characteristic.7DFC7105	Apple Reserved Characteristic
7DFC71067D1C495186AA8D9728F8D66C	com.apple.characteristic.7DFC7106	Apple Reserved Characteristic
7DFC71077D1C495186AA8D9728F8D66C	com.apple.characteristic.7DFC7107	Apple Reserved Characteristic
7DFC71087D1C495186AA8D9728F8D66C	com.apple.characteristic.7DFC7108	Apple Reserved Characteristic
7DFC71097D1C495186AA8D9728F8D66C	com.apple.characteristic.7DFC7109	Apple Reserved Characteristic
7DFC710B7D1C495186AA8D9728F8D66C	com.apple.characteristic.7DFC710B	Apple Reserved Characteristic
7DFC710C7D1C495186AA8D9728F8D66C	com.apple.characteristic.7DFC710C	Apple Reserved Characteristic
7DFC710D7D1C495186AA8D9728F8D66C	com.apple.characteristic.7DFC710D	Apple Reserved Characteristic
7DFC80037D1C495186AA8D9728F8D66C	com.apple.characteristic.7DFC7003	Apple Reserved Characteristic
7DFC80047D1C495186AA8D9728F8D66C	com.apple.characteristic.7DFC8004	Apple Reserved Characteristic
7DFC90017D1C495186AA8D9728F8D66C	com.apple.characteristic.7DFC9001	Apple Reserved Characteristic
82754BBB6ED34D69A0E1F19F6B654EC2	com.nordicsemi.characteristic.thingy.sensorhub.red	Sensor Hub Red Color
8CC6E0B398C540CCB1D8692940E6994B	com.helium.characteristic.wifi_remove	Helium Hotspot WiFi Remove
8E400001F3154F609FB8838830DAEA50	com.nordicsemi.characteristic.dfu.buttonless_experimental	Experimental Buttonless DFU
8EC90001F3154F609FB8838830DAEA50	com.nordicsemi.characteristic.dfu.secure.control_point	DFU Control Point
8EC90002F3154F609FB8838830DAEA50	com.nordicsemi.characteristic.dfu.secure.packet	DFU Packet
8EC90003F3154F609FB8838830DAEA50	com.nordicsemi.characteristic.dfu.buttonless_experimental_without_bonds	Buttonless DFU Without Bonds
8EC90004F3154F609FB8838830DAEA50	com.nordicsemi.characteristic.dfu.buttonless_experimental_with_bonds	Buttonless DFU With Bonds
932C32BD000247A2835AA8D455B859DD	com.philips-hue.characteristic.toggle	Philips Hue Light On/Off Toggle
932C32BD000347A2835AA8D455B859DD	com.philips-hue.characteristic.brightness	Philips Hue Light Brightness Level
932C32BD000547A2835AA8D455B859DD	com.philips-hue.characteristic.color	Philips Hue Light Color
9B3C81D857B14A8AB8DF0E56F7CA51C2	com.apple.characteristic.media.remote_command	Apple Remote Command
9C4314F28A0C45FDA58DD4A7E64C3A57	com.helium.characteristic.wifi_mac_address	Helium Hotspot WiFi MAC Address
9FBF120D630142D98C5825E699A21DBD	com.apple.characteristic.notification_source	Apple Notification Source
A3C875018ED34BDF8A39A01BEBEDE295	com.google.characteristic.eddystone.capabilities	Eddystone Capabilities
A3C875028ED34BDF8A39A01BEBEDE295	com.google.characteristic.eddystone.active_slot	Eddystone Active Slot
A3C875038ED34BDF8A39A01BEBEDE295	com.google.characteristic.eddystone.advertising_interval	Eddystone Advertising Interval
A3C875048ED34BDF8A39A01BEBEDE295	com.google.characteristic.eddystone.radio_tx_power	Eddystone Radio Tx Power
A3C875058ED34BDF8A39A01BEBEDE295	com.google.characteristic.eddystone.advertised_tx_power	Eddystone (Advanced) Advertised Tx Power
A3C875068ED34BDF8A39A01BEBEDE295	com.google.characteristic.eddystone.lock_state	Eddystone Lock State
A3C875078ED34BDF8A39A01BEBEDE295	com.google.characteristic.eddystone.unlock	Eddystone Unlock
A3C875088ED34BDF8A39A01BEBEDE295	com.google.characteristic.eddystone.key.public_ecdh	Eddystone Public ECDH Key
A3C875098ED34BDF8A39A01BEBEDE295	com.google.characteristic.eddystone.key.eid_identity	Eddystone EID Identity Key
A3C8750A8ED34BDF8A39A01BEBEDE295	com.google.characteristic.eddystone.adv_slot_data	Eddystone ADV Slot Data
A3C8750B8ED34BDF8A39A01BEBEDE295	com.google.characteristic.eddystone.advanced_factory_reset	Eddystone Advanced Factory Reset
A3C8750C8ED34BDF8A39A01BEBEDE295	com.google.characteristic.eddystone.remain_connectable	Eddystone (Advanced) Remain Connectable
AD79CBCE65DF4BC6BDD48CE2B6B75C59	com.nordicsemi.characteristic.thingy.sensorhub.iaq	Sensor Hub IAQ
ADAF0001C33242A893BD25E905756CB8	com.adafruit.characteristic.measurement_period	Adafruit Sensor Measurement Period
ADAF0002C33242A893BD25E905756CB8	com.adafruit.characteristic.service_version	Adafruit Sensor Service Version
ADAF010046696C655472616E73666572	com.adafruit.characteristic.file_transfer_version	Adafruit Version
ADAF0101C33242A893BD25E905756CB8	com.adafruit.characteristic.temperature	Adafruit Temperature
ADAF020046696C655472616E73666572	com.adafruit.characteristic.file_transfer_raw	Adafruit Raw TX/RX
ADAF0201C33242A893BD25E905756CB8	com.adafruit.characteristic.acceleration	Adafruit Acceleration
ADAF0301C33242A893BD25E905756CB8	com.adafruit.characteristic.light_level	Adafruit Light Level
ADAF0401C33242A893BD25E905756CB8	com.adafruit.characteristic.gyro	Adafruit Gyro
ADAF0501C33242A893BD25E905756CB8	com.adafruit.characteristic.magnetic	Adafruit Magnetic
ADAF0601C33242A893BD25E905756CB8	com.adafruit.characteristic.pressed	Adafruit Pressed
ADAF0701C33242A893BD25E905756CB8	com.adafruit.characteristic.humidity	Adafruit Humidity
ADAF0801C33242A893BD25E905756CB8	com.adafruit.characteristic.pressure	Adafruit Pressure
ADAF0901C33242A893BD25E905756CB8	com.adafruit.characteristic.pixel_pin	Adafruit Pixel Pin
ADAF0902C33242A893BD25E905756CB8	com.adafruit.characteristic.pixel_pin_type	Adafruit Pixel Pin Type
ADAF0903C33242A893BD25E905756CB8	com.adafruit.characteristic.pixel_data	Adafruit Pixel Data
ADAF0904C33242A893BD25E905756CB8	com.adafruit.characteristic.pixel_buffer_size	Adafruit Pixel Buffer Size
ADAF0A01C33242A893BD25E905756CB8	com.adafruit.characteristic.color	Adafruit Color
ADAF0B01C33242A893BD25E905756CB8	com.adafruit.characteristic.sound_samples	Adafruit Sound Samples
ADAF0B02C33242A893BD25E905756CB8	com.adafruit.characteristic.number_of_channels	Adafruit Number of Channels
ADAF0C01C33242A893BD25E905756CB8	com.adafruit.characteristic.tone	Adafruit Tone
ADAF0D01C33242A893BD25E905756CB8	com.adafruit.characteristic.quaternions	Adafruit Quaternions
ADAF0D02C33242A893BD25E905756CB8	com.adafruit.characteristic.quaternion_calibration_in	Adafruit Calibration In
ADAF0D03C33242A893BD25E905756CB8	com.adafruit.characteristic.quaternion_calibration_out	Adafruit Calibration Out
ADAF0E01C33242A893BD25E905756CB8	com.adafruit.characteristic.proximity	Adafruit Proximity
B833D34FD871422CBF9E8E6EC117D57E	com.helium.characteristic.diagnostics	Helium Hotspot Diagnostics
C6B2F38C23AB46D8A6ABA3A870BBD5D7	com.apple.characteristic.media.entity_attribute	Apple Entity Attribute
D083B2BDBE164600B39761512CA2F5AD	com.helium.characteristic.onboarding_key	Helium Hotspot Onboarding Key
D435F5DE01A44E7D84BADFD347F60275	com.helium.characteristic.assert_location	Helium Hotspot Assert Location
D75150337E7B45BE803FC8737B171A29	com.helium.characteristic.wifi_services	Helium Hotspot WiFi Services
DA2E7828FBCE4E01AE9E261174997C48	io.runtime.mcumgr.ble.smp	SMP Characteristic
DB7F9F3692CE4509A2EFAF72BA38FB48	com.nordicsemi.characteristic.thingy.sensorhub.green	Sensor Hub Green Color
DF3B16CAC9854DA2A6D29B9B9ABDB858	com.helium.characteristic.add_gateway	Helium Hotspot Add Gateway
E125BDA46FB811EABC550242AC130003	com.helium.characteristic.wifi_configured_services	Helium Hotspot WiFi Configured Services
E2A00002EC314EC3A97A1C34D87E9878	com.nordicsemi.characteristic.edge_impulse.uart_rx	Edge Impulse Remote Management RX Characteristic
E2A00003EC314EC3A97A1C34D87E9878	com.nordicsemi.characteristic.edge_impulse.uart_tx	Edge Impulse Remote Management TX Characteristic
E5866BD60288447698CAEF7DA6B4D289	com.helium.characteristic.ethernet_online	Helium Hotspot Ethernet Online
E95D0D2D251D470AA062FA1922DFA9A8	org.microbit.characteristic.scrolling_delay	micro:bit Scrolling Delay
E95D1B25251D470AA062FA1922DFA9A8	org.microbit.characteristic.temperature_period	micro:bit Temperature Period
E95D23C4251D470AA062FA1922DFA9A8	org.microbit.characteristic.client.requirements	micro:bit Client Requirements
E95D386C251D470AA062FA1922DFA9A8	org.microbit.characteristic.magnetometer_period	micro:bit Magnetometer Period
E95D5404251D470AA062FA1922DFA9A8	org.microbit.characteristic.client.event	micro:bit Client Event
E95D5899251D470AA062FA1922DFA9A8	org.microbit.characteristic.pin.ad_configuration	micro:bit Pin AD Configuration
E95D7B77251D470AA062FA1922DFA9A8	org.microbit.characteristic.led.matrix_state	micro:bit LED Matrix State
E95D8D00251D470AA062FA1922DFA9A8	org.microbit.characteristic.pin.data	micro:bit Pin Data
E95D9250251D470AA062FA1922DFA9A8	org.microbit.characteristic.temperature	micro:bit Temperature
E95D93B1251D470AA062FA1922DFA9A8	org.microbit.characteristic.dfu.control	micro:bit DFU Control
E95D93EE251D470AA062FA1922DFA9A8	org.microbit.characteristic.led.text	micro:bit LED Text
E95D9715251D470AA062FA1922DFA9A8	org.microbit.characteristic.magnetometer_bearing	micro:bit Magnetometer Bearing
E95D9775251D470AA062FA1922DFA9A8	org.microbit.characteristic.event	micro:bit Event
E95DB84C251D470AA062FA1922DFA9A8	org.microbit.characteristic.requirements	micro:bit Requirements
E95DB9FE251D470AA062FA1922DFA9A8	org.microbit.characteristic.pin.io_configuration	micro:bit Pin I/O Configuration
E95DCA4B251D470AA062FA1922DFA9A8	org.microbit.characteristic.accelerometer_data	micro:bit Accelerometer Data
E95DD822251D470AA062FA1922DFA9A8	org.microbit.characteristic.pwm_control	micro:bit PWM Control
E95DDA90251D470AA062FA1922DFA9A8	org.microbit.characteristic.button.a_state	micro:bit Button A State
E95DDA91251D470AA062FA1922DFA9A8	org.microbit.characteristic.button.b_state	micro:bit Button B State
E95DFB11251D470AA062FA1922DFA9A8	org.microbit.characteristic.magnetometer_data	micro:bit Magnetometer Data
E95DFB24251D470AA062FA1922DFA9A8	org.microbit.characteristic.accelerometer_period	micro:bit Accelerometer Period
EF6801019B3549339B1052FFA9740042	com.nordicsemi.characteristic.thingy.device_name	Thingy Device Name
EF6801029B3549339B1052FFA9740042	com.nordicsemi.characteristic.thingy.advertising_param	Thingy Advertising Parameters
EF6801049B3549339B1052FFA9740042	com.nordicsemi.characteristic.thingy.connection_param	Thingy Connection Parameters
EF6801059B3549339B1052FFA9740042	com.nordicsemi.characteristic.thingy.eddystone_url	Thingy Eddystone URL
EF6801069B3549339B1052FFA9740042	com.nordicsemi.characteristic.thingy.cloud_token	Thingy Cloud Token
EF6801079B3549339B1052FFA9740042	com.nordicsemi.characteristic.thingy.fw_version	Thingy FW Version
EF6801089B3549339B1052FFA9740042	com.nordicsemi.characteristic.thingy.mtu_request	Thingy MTU Request
EF6802019B3549339B1052FFA9740042	com.nordicsemi.characteristic.thingy.temperature	Thingy Temperature
EF6802029B3549339B1052FFA9740042	com.nordicsemi.characteristic.thingy.pressure	Thingy Pressure
EF6802039B3549339B1052FFA9740042	com.nordicsemi.characteristic.thingy.humidity	Thingy Humidity
EF6802049B3549339B1052FFA9740042	com.nordicsemi.characteristic.thingy.gas	Thingy Air Quality
EF6802059B3549339B1052FFA9740042	com.nordicsemi.characteristic.thingy.color	Thingy Color
EF6802069B3549339B1052FFA9740042	com.nordicsemi.characteristic.thingy.configuration	Thingy Configuration
EF6803019B3549339B1052FFA9740042	com.nordicsemi.characteristic.thingy.led	Thingy LED State
EF6803029B3549339B1052FFA9740042	com.nordicsemi.characteristic.thingy.button	Thingy Button State
EF6803039B3549339B1052FFA9740042	com.nordicsemi.characteristic.thingy.ext_pin	Thingy EXT Pin
EF6804019B3549339B1052FFA9740042	com.nordicsemi.characteristic.thingy.motion_config	Thingy Motion Config
EF6804029B3549339B1052FFA9740042	com.nordicsemi.characteristic.thingy.tap	Thingy Tap
EF6804039B3549339B1052FFA9740042	com.nordicsemi.characteristic.thingy.orientation	Thingy Orientation
EF6804049B3549339B1052FFA9740042	com.nordicsemi.characteristic.thingy.quaternion	Thingy Quaternion
EF6804059B3549339B1052FFA9740042	com.nordicsemi.characteristic.thingy.pedometer	Thingy Pedometer
EF6804069B3549339B1052FFA9740042	com.nordicsemi.characteristic.thingy.raw_data	Thingy Raw Data
EF6804079B3549339B1052FFA9740042	com.nordicsemi.characteristic.thingy.euler	Thingy Euler
EF6804089B3549339B1052FFA9740042	com.nordicsemi.characteristic.thingy.rotation_matrix	Thingy Rotation Matrix
EF6804099B3549339B1052FFA9740042	com.nordicsemi.characteristic.thingy.heading	Thingy Heading
EF68040A9B3549339B1052FFA9740042	com.nordicsemi.characteristic.thingy.gravity_vector	Thingy Gravity Vector
EF6805019B3549339B1052FFA9740042	com.nordicsemi.characteristic.thingy.sound_config	Thingy Sound Config
EF6805029B3549339B1052FFA9740042	com.nordicsemi.characteristic.thingy.speaker_data	Thingy Speaker Data
EF6805039B3549339B1052FFA9740042	com.nordicsemi.characteristic.thingy.speaker_status	Thingy Speaker Status
EF6805049B3549339B1052FFA9740042	com.nordicsemi.characteristic.thingy.microphone	Thingy Microphone
F000AA0104514000B000000000000000	com.ti.characteristic.sensortag.infrared_temperature_data	SensorTag Infrared Temperature Data
F000AA0204514000B000000000000000	com.ti.characteristic.sensortag.infrared_temperature_config	SensorTag Infrared Temperature Config
F000AA0304514000B000000000000000	com.ti.characteristic.sensortag.infrared_temperature_period	SensorTag Infrared Temperature Period
F000AA1104514000B000000000000000	com.ti.characteristic.sensortag.accelerometer_data	SensorTag Accelerometer Data
F000AA1204514000B000000000000000	com.ti.characteristic.sensortag.accelerometer_config	SensorTag Accelerometer Config
F000AA1304514000B000000000000000	com.ti.characteristic.sensortag.accelerometer_period	SensorTag Accelerometer Period
F000AA2104514000B000000000000000	com.ti.characteristic.sensortag.humidity_data	SensorTag Humidity Data
F000AA2204514000B000000000000000	com.ti.characteristic.sensortag.humidity_config	SensorTag Humidity Config
F000AA2304514000B000000000000000	com.ti.characteristic.sensortag.humidity_period	SensorTag Humidity Period
F000AA3104514000B000000000000000	com.ti.characteristic.sensortag.magnetometer_data	SensorTag Magnetometer Data
F000AA3204514000B000000000000000	com.ti.characteristic.sensortag.magnetometer_config	SensorTag Magnetometer Config
F000AA3304514000B000000000000000	com.ti.characteristic.sensortag.magnetometer_period	SensorTag Magnetometer Period
F000AA4104514000B000000000000000	com.ti.characteristic.sensortag.barometer_data	SensorTag Barometer Data
F000AA4204514000B000000000000000	com.ti.characteristic.sensortag.barometer_config	SensorTag Barometer Config
F000AA4304514000B000000000000000	com.ti.characteristic.sensortag.barometer_calibration	SensorTag Barometer Calibration
F000AA4404514000B000000000000000	com.ti.characteristic.sensortag.barometer_period	SensorTag Barometer Period
F000AA5104514000B000000000000000	com.ti.characteristic.sensortag.gyroscope_data	SensorTag Gyroscope Data
F000AA5204514000B000000000000000	com.ti.characteristic.sensortag.gyroscope_config	SensorTag Gyroscope Config
F000AA5304514000B000000000000000	com.ti.characteristic.sensortag.gyroscope_period	SensorTag Gyroscope Period
F000AA6104514000B000000000000000	com.ti.characteristic.sensortag.self_test_data	SensorTag Self-Test Data
F000AA6204514000B000000000000000	com.ti.characteristic.sensortag.self_test_config	SensorTag Self-Test Config
F000AA6504514000B000000000000000	com.ti.characteristic.sensortag.io_data	SensorTag IO Data
F000AA6604514000B000000000000000	com.ti.characteristic.sensortag.io_config	SensorTag IO Config
F000AA7104514000B000000000000000	com.ti.characteristic.sensortag.luxometer_data	SensorTag Luxometer Data
F000AA7204514000B000000000000000	com.ti.characteristic.sensortag.luxometer_config	SensorTag Luxometer Config
F000AA7304514000B000000000000000	com.ti.characteristic.sensortag.luxometer_period	SensorTag Luxometer Period
F000AA8104514000B000000000000000	com.ti.characteristic.sensortag.movement_data	SensorTag Movement Data
F000AA8204514000B000000000000000	com.ti.characteristic.sensortag.movement_config	SensorTag Movement Config
F000AA8304514000B000000000000000	com.ti.characteristic.sensortag.movement_period	SensorTag Movement Period
F000AC0104514000B000000000000000	com.ti.characteristic.sensortag.register_data	SensorTag Register Access Data
F000AC0204514000B000000000000000	com.ti.characteristic.sensortag.register_address	SensorTag Register Access Address
F000AC0304514000B000000000000000	com.ti.characteristic.sensortag.register_device	SensorTag Register Access Device
F000AD0104514000B000000000000000	com.ti.characteristic.sensortag.display_data	SensorTag Display Data
F000AD0204514000B000000000000000	com.ti.characteristic.sensortag.display_config	SensorTag Display Config
F000CCC104514000B000000000000000	com.ti.characteristic.sensortag.connection_control_current	SensorTag Connection Control Current
F000CCC204514000B000000000000000	com.ti.characteristic.sensortag.connection_control_request	SensorTag Connection Control Request
F000CCC304514000B000000000000000	com.ti.characteristic.sensortag.connection_control_disconnect	SensorTag Connection Control Disconnect
F000FFC104514000B000000000000000	com.ti.characteristic.image_identity	Texas Instruments Image Identify
F000FFC204514000B000000000000000	com.ti.characteristic.image_block	Texas Instruments Image Block
F000FFC504514000B000000000000000	com.ti.characteristic.oad_control	Texas Instruments OAD Control
F5D2EAB541E84F7CAEF7C9FFF4C544C0	com.nordicsemi.characteristic.thingy.sensorhub.blue	Sensor Hub Blue Color
FA3CF070D0C7466896C486125C8AC5DF	com.nordicsemi.characteristic.thingy.sensorhub.battery	Sensor Hub Battery
FE2C1233836648148EB001DE32100BEA	com.google.service.fast_pair.model_id	Fast Pair Model ID
FE2C1234836648148EB001DE32100BEA	com.google.service.fast_pair.key_based_pairing	Fast Pair Key-based Pairing
FE2C1235836648148EB001DE32100BEA	com.google.service.fast_pair.passkey	Fast Pair Passkey
FE2C1236836648148EB001DE32100BEA	com.google.service.fast_pair.account_key	Fast Pair Account Key
FE2C1237836648148EB001DE32100BEA	com.google.service.fast_pair.data	Fast Pair Data
"""#)
}
