"""Certificates for tests: an authority of its own for each, worth nothing elsewhere."""

from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

HOURS = timedelta(hours=1)


class Authority:
    """Signs certificates; whoever trusts ``ca_file`` takes them for good."""

    def __init__(self, folder: Path, name: str = "Test authority") -> None:
        self._folder = folder
        self._made = 0
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _named(name)
        own = _unsigned(self._name, self._name, self._key, -HOURS, 24 * HOURS)
        limit = x509.BasicConstraints(ca=True, path_length=None)
        self._certificate = own.add_extension(limit, critical=True).sign(
            self._key, hashes.SHA256()
        )
        self.ca_file = folder / f"{name}.pem".replace(" ", "-").lower()
        self.ca_file.write_bytes(_pem(self._certificate))

    def certificate(
        self,
        *hosts: str,
        begins: timedelta = -HOURS,
        ends: timedelta = 24 * HOURS,
        self_signed: bool = False,
    ) -> Path:
        """A file with a new key and its certificate for names and addresses.

        Valid from ``begins`` to ``ends``, as of now. ``self_signed``: by its own key
        and not by this authority.
        """
        key = ec.generate_private_key(ec.SECP256R1())
        subject = _named(hosts[0])
        issuer, signer = (subject, key) if self_signed else (self._name, self._key)
        names = x509.SubjectAlternativeName([_general(host) for host in hosts])
        unsigned = _unsigned(subject, issuer, key, begins, ends)
        made = unsigned.add_extension(names, critical=False).sign(
            signer, hashes.SHA256()
        )
        self._made += 1
        file = self._folder / f"certificate-{self._made}.pem"
        file.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
            + _pem(made)
        )
        return file


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _general(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _unsigned(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    begins: timedelta,
    ends: timedelta,
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + begins)
        .not_valid_after(now + ends)
    )


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)
