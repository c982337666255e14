import { createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { isIPv4 } from 'node:net';

/** Certificates for tests, made by hand in DER, since Node can read but not make them. */
export interface MadeCertificate {
  readonly certificate: string;
  readonly key: string;
  readonly name: string;
  readonly privateKey: KeyObject;
}

export interface CertificateRequest {
  name: string;
  /** Who signs. Unset: the certificate signs itself. */
  issuer?: MadeCertificate;
  ca?: boolean;
  /** DNS names and IPv4 addresses. */
  hosts?: readonly string[];
  organizations?: readonly string[];
  notBefore?: Date;
  notAfter?: Date;
}

const DAY_MS = 86_400_000;
const OID = {
  commonName: [0x55, 0x04, 0x03],
  organization: [0x55, 0x04, 0x0a],
  basicConstraints: [0x55, 0x1d, 0x13],
  subjectAltName: [0x55, 0x1d, 0x11],
  ecdsaWithSha256: [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02],
};

export function makeCertificate(request: CertificateRequest): MadeCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = request.issuer ?? { name: request.name, privateKey };
  const now = Date.now();
  const algorithm = sequence(oid(OID.ecdsaWithSha256));
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([0x01]), randomBytes(8)])),
    algorithm,
    distinguishedName(issuer.name),
    sequence(time(request.notBefore ?? new Date(now - DAY_MS)), time(request.notAfter ?? new Date(now + DAY_MS))),
    distinguishedName(request.name, request.organizations),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions(request))),
  );
  const signature = createSign('sha256').update(body).sign(issuer.privateKey);
  const whole = sequence(body, algorithm, der(0x03, Buffer.concat([Buffer.from([0]), signature])));
  return {
    certificate: pem('CERTIFICATE', whole),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    name: request.name,
    privateKey,
  };
}

function extensions({ ca = false, hosts = [] }: CertificateRequest): Buffer[] {
  const critical = der(0x01, Buffer.from([0xff]));
  const constraints = ca ? sequence(der(0x01, Buffer.from([0xff]))) : sequence();
  const list = [sequence(oid(OID.basicConstraints), critical, der(0x04, constraints))];
  if (hosts.length > 0) {
    const names = hosts.map((host) =>
      isIPv4(host) ? der(0x87, Buffer.from(host.split('.').map(Number))) : der(0x82, Buffer.from(host)),
    );
    list.push(sequence(oid(OID.subjectAltName), der(0x04, sequence(...names))));
  }
  return list;
}

function distinguishedName(name: string, organizations: readonly string[] = []): Buffer {
  const part = (type: number[], value: string) => der(0x31, sequence(oid(type), der(0x0c, Buffer.from(value))));
  return sequence(...organizations.map((one) => part(OID.organization, one)), part(OID.commonName, name));
}

function time(date: Date): Buffer {
  return der(0x18, Buffer.from(`${date.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`));
}

function oid(bytes: readonly number[]): Buffer {
  return der(0x06, Buffer.from(bytes));
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
}

function pem(label: string, content: Buffer): string {
  const lines = content.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}
