//! The functions for IP addresses and networks. None of them accesses the network.

use std::net::IpAddr;

use regorus::Value;

use super::{Function, text};

pub(super) const FUNCTIONS: [(&str, u8, Function); 3] =
    [("net.cidr_contains", 2, contains), ("net.cidr_intersects", 2, intersects), ("net.cidr_is_valid", 1, is_valid)];

/// The addresses with a common prefix.
#[derive(Clone, Copy)]
struct Range {
    is_v6: bool,
    /// The address, with its first bit as the highest.
    bits: u128,
    prefix: u32,
}

impl Range {
    fn parse_address(text: &str) -> Option<Self> {
        Some(match text.parse().ok()? {
            IpAddr::V4(address) => Self { is_v6: false, bits: u128::from(address.to_bits()) << 96, prefix: 32 },
            IpAddr::V6(address) => Self { is_v6: true, bits: address.to_bits(), prefix: 128 },
        })
    }

    fn parse(text: &str) -> Option<Self> {
        let (address, prefix) = text.split_once('/')?;
        let all = Self::parse_address(address)?;
        let is_number = !prefix.is_empty() && prefix.bytes().all(|byte| byte.is_ascii_digit());
        let prefix = prefix.parse().ok().filter(|prefix| is_number && *prefix <= all.prefix)?;
        Some(Self { prefix, ..all })
    }

    fn contains(self, other: Self) -> bool {
        // Without a prefix, no bits are compared.
        let differ = (self.bits ^ other.bits).checked_shr(128 - self.prefix).unwrap_or(0);
        self.is_v6 == other.is_v6 && self.prefix <= other.prefix && differ == 0
    }
}

fn range(text: &str) -> Result<Range, String> {
    Range::parse(text).ok_or_else(|| format!("`{text}` is no range such as `10.0.0.0/8`"))
}

fn contains(arguments: &[Value]) -> Result<Value, String> {
    let (outer, inner) = (range(text(arguments, 0)?)?, text(arguments, 1)?);
    let inner = Range::parse_address(inner).map_or_else(|| range(inner), Ok)?;
    Ok(Value::from(outer.contains(inner)))
}

fn intersects(arguments: &[Value]) -> Result<Value, String> {
    let (one, other) = (range(text(arguments, 0)?)?, range(text(arguments, 1)?)?);
    Ok(Value::from(one.contains(other) || other.contains(one)))
}

fn is_valid(arguments: &[Value]) -> Result<Value, String> {
    Ok(Value::from(Range::parse(text(arguments, 0)?).is_some()))
}
