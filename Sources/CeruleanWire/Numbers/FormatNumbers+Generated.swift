// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file
// Written by Scripts/generate-numbers.py from data/; do not edit.

extension NumberTable {
    /// Presentation format, name, bits.
    static let formats = NumberTable(#"""
0001	bool	1
0002	uint2	2
0003	uint4	4
0004	uint8	8
0005	uint12	12
0006	uint16	16
0007	uint24	24
0008	uint32	32
0009	uint48	48
000A	uint64	64
000B	uint128	128
000C	sint8	8
000D	sint12	12
000E	sint16	16
000F	sint24	24
0010	sint32	32
0011	sint48	48
0012	sint64	64
0013	sint128	128
0014	float32	32
0015	float64	64
0016	sfloat	16
0017	float	32
0018	uint16x2	32
0019	utf8	0
001A	utf16	0
001B	struct	0
001C	medASN1	0
"""#)
}
