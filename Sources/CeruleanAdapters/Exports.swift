// SPDX-License-Identifier: Apache-2.0

// Where things stand on a virtual air; the rest of that module is for those who build controllers.
@_exported public import struct CeruleanVirtual.Position
