import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { makeServingCertificate } from './certificate.ts';

describe('makeServingCertificate', () => {
  const made = makeServingCertificate(['127.0.0.1', '::1', 'localhost']);
  const authority = new X509Certificate(made.ca);
  const serving = new X509Certificate(made.certificate);

  it('makes an authority and a certificate that it signed', () => {
    expect(authority.ca).toBe(true);
    expect(authority.verify(authority.publicKey)).toBe(true);
    expect(serving.ca).toBe(false);
    expect(serving.verify(authority.publicKey)).toBe(true);
    expect(serving.checkIssued(authority)).toBe(true);
  });

  it('names the hosts and addresses, and no others', () => {
    expect(serving.checkHost('localhost')).toBe('localhost');
    expect(serving.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(serving.checkIP('::1')).toBe('::1');
    expect(serving.checkHost('example.com')).toBeUndefined();
    expect(serving.checkIP('127.0.0.2')).toBeUndefined();
  });

  it('makes another one each time', () => {
    expect(makeServingCertificate(['localhost']).ca).not.toBe(made.ca);
  });
});
