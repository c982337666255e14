import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ApiError } from './api-error.ts';

describe('ApiError', () => {
  it('says what was asked, the code, the reason and the message of the server', () => {
    const body = JSON.stringify({
      kind: 'Status',
      status: 'Failure',
      message: 'pods "a" not found',
      reason: 'NotFound',
      code: 404,
    });
    const error = ApiError.fromResponse(404, body, { request: 'GET /api/v1/namespaces/default/pods/a' });
    expect(error.message).toBe('GET /api/v1/namespaces/default/pods/a: 404 NotFound: pods "a" not found');
    expect(error).toMatchObject({ name: 'ApiError', code: 404, reason: 'NotFound', retryable: false, causes: [] });
  });

  it('takes the meaning of the HTTP code when a proxy answered with a page', () => {
    const error = ApiError.fromResponse(503, '<html>\n  upstream   down</html>', { retryAfterSeconds: 7 });
    expect(error).toMatchObject({ code: 503, reason: 'ServiceUnavailable', retryable: true, retryAfterSeconds: 7 });
    expect(error.message).toContain('<html> upstream down</html>');
  });

  it('keeps control characters out of the message, and in the Status', () => {
    const page = ApiError.fromResponse(502, '<h1>\x1b]0;owned\x07\u202eBad</h1>');
    expect(page.message).toBe('502 Unknown: <h1>U+001B]0;ownedU+0007U+202EBad</h1>');
    const message = 'first\n\tsecond\r\nthird\x9b2J';
    const told = new ApiError({ kind: 'Status', code: 409, reason: '\x1bc', message });
    expect(told.message).toBe('409 U+001Bc: first\n\tsecond\nthirdU+009B2J');
    expect(told.status.message).toBe(message);
  });

  it('prefers the Retry-After of the Status over that of the header', () => {
    const status = { code: 429, details: { retryAfterSeconds: 3 } };
    expect(new ApiError(status, { retryAfterSeconds: 9 }).retryAfterSeconds).toBe(3);
  });

  it.each([
    [{ code: 410 }, true],
    [{ code: 0, reason: 'Expired' }, true],
    [{ code: 0, reason: 'Gone' }, true],
    [{ code: 500 }, false],
  ])('knows that %j means expired: %s', (status, expired) => {
    expect(new ApiError(status).isExpired).toBe(expired);
  });

  it('knows every form of a too large resourceVersion', () => {
    const inCause = { code: 504, reason: 'Timeout', details: { causes: [{ message: 'Too large resource version' }] } };
    expect(new ApiError(inCause).isTooLargeResourceVersion).toBe(true);
    const cause = { code: 504, reason: 'Timeout', details: { causes: [{ reason: 'ResourceVersionTooLarge' }] } };
    const text = { code: 504, reason: 'Timeout', message: 'Too large resource version: 5, current: 4' };
    expect(new ApiError(cause).isTooLargeResourceVersion).toBe(true);
    expect(new ApiError(text).isTooLargeResourceVersion).toBe(true);
    expect(new ApiError({ code: 504, reason: 'Timeout', message: 'slow' }).isTooLargeResourceVersion).toBe(false);
  });

  it.each([
    [{ code: 400 }, 'rejected'],
    [{ code: 401 }, 'unauthorized'],
    [{ code: 403 }, 'forbidden'],
    [{ code: 404 }, 'not-found'],
    [{ code: 408 }, 'unavailable'],
    [{ code: 409 }, 'conflict'],
    [{ code: 409, reason: 'AlreadyExists' }, 'already-exists'],
    [{ code: 409, reason: 'Conflict' }, 'conflict'],
    [{ code: 410 }, 'expired'],
    [{ code: 410, reason: 'Expired' }, 'expired'],
    [{ code: 422, reason: 'Invalid' }, 'rejected'],
    [{ code: 429 }, 'too-many-requests'],
    [{ code: 500 }, 'unavailable'],
    [{ code: 501 }, 'unavailable'],
    [{ code: 504, reason: 'Timeout' }, 'unavailable'],
    [{ reason: 'NotFound' }, 'not-found'],
    [{ reason: 'ServerTimeout' }, 'unavailable'],
    [{ code: 403, reason: 'QuotaExceeded' }, 'forbidden'],
    [{}, 'rejected'],
  ])('takes %j for %s, by its reason, else by its code', (status, kind) => {
    expect(new ApiError(status).kind).toBe(kind);
  });

  it.each([408, 429, 500, 501, 502, 503, 504])('is worth a retry on %d', (code) => {
    expect(new ApiError({ code }).retryable).toBe(true);
  });

  it.each([400, 401, 403, 404, 409, 410, 422])('is not worth a retry on %d', (code) => {
    expect(new ApiError({ code }).retryable).toBe(false);
  });

  it('is recognised by instanceof across two copies of the package', async () => {
    const other = await import('./api-error.ts?copy=2' as string);
    expect(new other.ApiError({ code: 404 })).toBeInstanceOf(ApiError);
    expect(new Error('no')).not.toBeInstanceOf(ApiError);
  });

  it('is shown in a few lines, without the whole status', () => {
    const error = new ApiError({ code: 404, reason: 'NotFound', message: 'gone', details: { kind: 'pods' } });
    expect(inspect(error)).not.toContain('details');
    expect(error.status.details?.kind).toBe('pods');
  });
});
