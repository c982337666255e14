import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIP } from 'node:net';
import {
  bitString,
  boolean,
  explicit,
  generalizedTime,
  implicit,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  setOf,
  utcTime,
  utf8String,
} from './der.ts';

export interface ServingCertificate {
  /** PEM of the authority that clients are to trust. */
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

const ECDSA_WITH_SHA256 = sequence(objectIdentifier('1.2.840.10045.4.3.2'));
const EXTENSION = {
  subjectKeyId: '2.5.29.14',
  keyUsage: '2.5.29.15',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
  authorityKeyId: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
};
/** The keys live as long as the process; a fixed range keeps the certificate valid whatever the clock says. */
const VALIDITY = sequence(utcTime('200101000000Z'), generalizedTime('20991231235959Z'));

/** An authority of its own and a serving certificate for these host names and addresses. The keys are never written. */
export function makeServingCertificate(hosts: readonly string[]): ServingCertificate {
  const authority = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const serving = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = name('tidewatch-ca');
  const authorityId = keyId(authority.publicKey);
  const ca = signed(authority.privateKey, issuer, issuer, authority.publicKey, [
    extension(EXTENSION.basicConstraints, sequence(boolean(true)), true),
    extension(EXTENSION.keyUsage, bitString(Buffer.from([0b10100110]), 1), true),
    extension(EXTENSION.subjectKeyId, octetString(authorityId)),
  ]);
  const certificate = signed(authority.privateKey, issuer, name('kube-apiserver'), serving.publicKey, [
    extension(EXTENSION.basicConstraints, sequence(), true),
    extension(EXTENSION.keyUsage, bitString(Buffer.from([0b10100000]), 5), true),
    extension(EXTENSION.extendedKeyUsage, sequence(objectIdentifier('1.3.6.1.5.5.7.3.1'))),
    extension(EXTENSION.authorityKeyId, sequence(implicit(0, authorityId))),
    extension(EXTENSION.subjectAltName, sequence(...hosts.map(altName))),
  ]);
  return {
    ca: pem('CERTIFICATE', ca),
    certificate: pem('CERTIFICATE', certificate),
    key: serving.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

function signed(
  issuerKey: KeyObject,
  issuer: Uint8Array,
  subject: Uint8Array,
  publicKey: KeyObject,
  extensions: readonly Uint8Array[],
): Buffer {
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x01;
  const body = sequence(
    explicit(0, integer(Buffer.from([2]))),
    integer(serial),
    ECDSA_WITH_SHA256,
    issuer,
    VALIDITY,
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    explicit(3, sequence(...extensions)),
  );
  return sequence(body, ECDSA_WITH_SHA256, bitString(sign('sha256', body, issuerKey)));
}

function extension(id: string, value: Uint8Array, critical = false): Buffer {
  const flag = critical ? [boolean(true)] : [];
  return sequence(objectIdentifier(id), ...flag, octetString(value));
}

function name(commonName: string): Buffer {
  return sequence(setOf(sequence(objectIdentifier('2.5.4.3'), utf8String(commonName))));
}

function keyId(publicKey: KeyObject): Buffer {
  return createHash('sha1')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest();
}

function altName(host: string): Buffer {
  return isIP(host) === 0 ? implicit(2, Buffer.from(host)) : implicit(7, addressBytes(host));
}

function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail] = address.split('::');
  const words = (text: string | undefined) => (text ? text.split(':') : []);
  const missing = tail === undefined ? 0 : 8 - words(head).length - words(tail).length;
  const all = [...words(head), ...Array.from({ length: missing }, () => '0'), ...words(tail)];
  return Buffer.from(all.map((word) => word.padStart(4, '0')).join(''), 'hex');
}

function pem(label: string, der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}
