"""Reads the client's address that a proxy tells, in the one spelling that counts."""

from ipaddress import IPv6Address, ip_address


def plain_address(forwarded_for: str) -> str:
    """The last entry of an X-Forwarded-For, without port and brackets.

    Waitress by itself keeps the port of an IPv6 client, which then had a rate limit of
    its own for each connection; and of ``::ffff:192.0.2.7`` it keeps ``::ffff``, so
    that all such clients had one together. What is no address stays as it is.
    """
    last = forwarded_for.rpartition(",")[2].strip().strip('"')
    host = last[1:].partition("]")[0] if last.startswith("[") else last
    if host.count(":") == 1:  # IPv4 with a port
        host = host.partition(":")[0]
    try:
        address = ip_address(host)
    except ValueError:
        return last
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return str(mapped or address)
