// SPDX-License-Identifier: Apache-2.0

/// A BITalino board.
public enum BITalino {}
