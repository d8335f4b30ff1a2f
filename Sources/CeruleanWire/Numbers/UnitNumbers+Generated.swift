// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
// Written by Scripts/generate-numbers.py from data/; do not edit.

extension NumberTable {
    /// UUID, quantity, symbol, factor to the SI unit.
    static let units = NumberTable(#"""
2700	none		1
2701	length	m	1
2702	mass	kg	1
2703	time	s	1
2704	electric-current	A	1
2705	temperature	K	1
2706	amount	mol	1
2707	luminous-intensity	cd	1
2710	area	m²	1
2711	volume	m³	1
2712	velocity	m/s	1
2713	acceleration	m/s²	1
2714	wavenumber	1/m	1
2715	density	kg/m³	1
2716	surface-density	kg/m²	1
2717	specific-volume	m³/kg	1
2718	current-density	A/m²	1
2719	magnetic-field-strength	A/m	1
271A	amount-concentration	mol/m³	1
271B	mass-concentration	kg/m³	1
271C	luminance	cd/m²	1
271D	refractive-index		1
271E	relative-permeability		1
2720	plane-angle	rad	1
2721	solid-angle	sr	1
2722	frequency	Hz	1
2723	force	N	1
2724	pressure	Pa	1
2725	energy	J	1
2726	power	W	1
2727	electric-charge	C	1
2728	voltage	V	1
2729	capacitance	F	1
272A	resistance	Ω	1
272B	conductance	S	1
272C	magnetic-flux	Wb	1
272D	magnetic-flux-density	T	1
272E	inductance	H	1
272F	temperature	°C	1
2730	luminous-flux	lm	1
2731	illuminance	lx	1
2732	radioactivity	Bq	1
2733	absorbed-dose	Gy	1
2734	dose-equivalent	Sv	1
2735	catalytic-activity	kat	1
2740	dynamic-viscosity	Pa·s	1
2741	torque	N·m	1
2742	surface-tension	N/m	1
2743	angular-velocity	rad/s	1
2744	angular-acceleration	rad/s²	1
2745	heat-flux-density	W/m²	1
2746	heat-capacity	J/K	1
2747	specific-heat-capacity	J/(kg·K)	1
2748	specific-energy	J/kg	1
2749	thermal-conductivity	W/(m·K)	1
274A	energy-density	J/m³	1
274B	electric-field-strength	V/m	1
274C	charge-density	C/m³	1
274D	surface-charge-density	C/m²	1
274E	electric-flux-density	C/m²	1
274F	permittivity	F/m	1
2750	permeability	H/m	1
2751	molar-energy	J/mol	1
2752	molar-entropy	J/(mol·K)	1
2753	exposure	C/kg	1
2754	absorbed-dose-rate	Gy/s	1
2755	radiant-intensity	W/sr	1
2756	radiance	W/(m²·sr)	1
2757	catalytic-activity-concentration	kat/m³	1
2760	time	min	60
2761	time	h	3600
2762	time	d	86400
2763	plane-angle	°	0.017453292519943295
2764	plane-angle	′	0.0002908882086657216
2765	plane-angle	″	4.84813681109536e-06
2766	area	ha	10000
2767	volume	L	0.001
2768	mass	t	1000
2780	pressure	bar	100000
2781	pressure	mmHg	133.322387415
2782	length	Å	1e-10
2783	length	nmi	1852
2784	area	b	1e-28
2785	velocity	kn	0.5144444444444445
2786	logarithmic-ratio	Np	
2787	logarithmic-ratio	B	
27A0	length	yd	0.9144
27A1	length	pc	3.085677581491367e+16
27A2	length	in	0.0254
27A3	length	ft	0.3048
27A4	length	mi	1609.344
27A5	pressure	psi	6894.757293168361
27A6	velocity	km/h	0.2777777777777778
27A7	velocity	mph	0.44704
27A8	angular-velocity	rpm	0.10471975511965977
27A9	energy	cal	4.184
27AA	energy	kcal	4184
27AB	energy	kWh	3600000
27AC	temperature	°F	
27AD	percentage	%	0.01
27AE	per-mille	‰	0.001
27AF	rate	bpm	0.016666666666666666
27B0	electric-charge	Ah	3600
27B1	mass-concentration	mg/dL	0.01
27B2	amount-concentration	mmol/L	1
27B3	time	yr	
27B4	time	mo	
27B5	number-concentration	1/m³	1
27B6	irradiance	W/m²	1
27B7	oxygen-uptake	mL/(kg·min)	
27B8	mass	lb	0.45359237
27B9	metabolic-equivalent	MET	
27BA	rate	step/min	0.016666666666666666
27BC	rate	stroke/min	0.016666666666666666
27BD	pace	km/min	16.666666666666668
27BE	luminous-efficacy	lm/W	1
27BF	luminous-energy	lm·h	3600
27C0	luminous-exposure	lx·h	3600
27C1	mass-flow	g/s	0.001
27C2	volume-flow	L/s	0.001
27C3	sound-pressure	dB	
27C4	fraction	ppm	1e-06
27C5	fraction	ppb	1e-09
27C6	mass-concentration-rate	mg/(dL·min)	
27C7	apparent-energy	kVA·h	3600000
27C8	apparent-power	VA	1
27C9	acceleration	gₙ	9.80665
"""#)
}
