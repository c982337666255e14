import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { writeKubeconfig } from './control-plane-kubeconfig.ts';

describe('a kubeconfig', () => {
  it('carries any token, certificate and namespace unharmed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), fc.option(fc.string()), (token, ca, namespace) => {
        const config = parse(
          writeKubeconfig({ server: 'https://127.0.0.1:1', ca, user: { token }, namespace: namespace ?? undefined }),
        );
        expect(config['current-context']).toBe(config.contexts[0].name);
        expect(config.users[0].user).toEqual({ token });
        expect(Buffer.from(config.clusters[0].cluster['certificate-authority-data'] ?? '', 'base64').toString()).toBe(
          ca,
        );
        expect(config.contexts[0].context.namespace ?? null).toBe(namespace);
      }),
    );
  });

  it('logs in by client certificate instead of a token', () => {
    const config = parse(writeKubeconfig({ server: 'http://127.0.0.1:1', user: { certificate: 'C', key: 'K' } }));
    expect(config.users[0].user).toEqual({ 'client-certificate-data': 'Qw==', 'client-key-data': 'Sw==' });
    expect(config.clusters[0].cluster).toEqual({ server: 'http://127.0.0.1:1' });
  });
});
