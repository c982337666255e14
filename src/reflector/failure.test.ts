import { describe, expect, it } from 'vitest';
import { TransportError } from '../api/transport-error.ts';
import { failureKind, isConnectionFailure, phaseAfter, retryAfterMs } from './failure.ts';
import { ReflectorError } from './reflector-error.ts';
import { apiError, expired, systemError, tooManyRequests } from './scripted-fixture.ts';

describe('failureKind', () => {
  it.each([
    [expired(), 'expired'],
    [apiError(0, { reason: 'Gone' }), 'expired'],
    [apiError(504, { reason: 'Timeout', details: { causes: [{ reason: 'ResourceVersionTooLarge' }] } }), 'tooLarge'],
    [
      apiError(504, { reason: 'Timeout', details: { causes: [{ message: 'Too large resource version' }] } }),
      'tooLarge',
    ],
    [apiError(504), 'unavailable'],
    [apiError(599), 'unavailable'],
    [apiError(408), 'unavailable'],
    [apiError(401), 'unauthorized'],
    [apiError(403), 'forbidden'],
    [apiError(404), 'absent'],
    [apiError(429), 'tooManyRequests'],
    [apiError(400), 'rejected'],
    [apiError(422), 'rejected'],
    [new TransportError('refused', 'x'), 'refused'],
    [new TransportError('tls', 'x'), 'unreachable'],
    [systemError('ECONNREFUSED'), 'refused'],
    [new Error('fetch failed', { cause: systemError('ECONNREFUSED') }), 'refused'],
    [systemError('ENOTFOUND'), 'unreachable'],
    [systemError('UND_ERR_HEADERS_TIMEOUT'), 'unreachable'],
    [new ReflectorError('silent', 'x'), 'silent'],
    [new TypeError('x'), 'other'],
    [Object.assign(new Error('x'), { code: 7 }), 'other'],
    ['text', 'other'],
    [undefined, 'other'],
  ])('%s is %s', (error, kind) => {
    expect(failureKind(error)).toBe(kind);
  });
});

describe('what follows from a failure', () => {
  it('is a phase of its own only for 401, 403 and 404', () => {
    expect(phaseAfter('forbidden')).toBe('forbidden');
    expect(phaseAfter('absent')).toBe('gone');
    expect(phaseAfter('unauthorized')).toBe('unauthorized');
    expect(phaseAfter('refused')).toBe('backoff');
  });

  it.each([
    [new TransportError('refused', 'x'), true],
    [new TransportError('reset', 'x'), true],
    [new TransportError('dns', 'x'), true],
    [new TransportError('timeout', 'x'), true],
    [systemError('ECONNREFUSED'), true],
    [systemError('EHOSTUNREACH'), true],
    [new TransportError('credentials', 'x'), false],
    [new TransportError('tls-ca', 'x'), false],
    [new TransportError('closed', 'x'), false],
    [apiError(503), false],
    [apiError(429), false],
    [new ReflectorError('silent', 'x'), false],
    [new TypeError('x'), false],
  ])('is that the server may be away, or not: %s', (error, isAway) => {
    expect(isConnectionFailure(error)).toBe(isAway);
  });

  it('is a wait that the server may lengthen', () => {
    expect(retryAfterMs(tooManyRequests(3))).toBe(3000);
    expect(retryAfterMs(tooManyRequests())).toBe(0);
    expect(retryAfterMs(new Error('x'))).toBe(0);
  });
});
