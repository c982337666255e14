import { describe, expect, it } from 'vitest';
import { encodeRequest, type Http1Request } from './http1-request.ts';

const plain: Http1Request = { method: 'GET', target: '/x?y=1', host: 'server:6443', headers: {} };

describe('encodeRequest', () => {
  it('writes the line, the host, the headers, and the length of a body', () => {
    const headers = { 'user-agent': 'me', 'Impersonate-Group': ['a', 'b'] };
    expect(encodeRequest({ ...plain, method: 'PUT', headers, body: 'ö' })).toEqual({
      method: 'PUT',
      safe: false,
      head:
        'PUT /x?y=1 HTTP/1.1\r\nhost: server:6443\r\nconnection: keep-alive\r\nuser-agent: me\r\n' +
        'Impersonate-Group: a\r\nImpersonate-Group: b\r\ncontent-length: 2\r\n\r\n',
      body: Buffer.from('ö'),
    });
    expect(encodeRequest({ ...plain, headers: { Host: 'other' } }).head).toBe(
      'GET /x?y=1 HTTP/1.1\r\nconnection: keep-alive\r\nHost: other\r\n\r\n',
    );
  });

  it('says that a body is empty where one is expected, and nothing elsewhere', () => {
    const lengthOf = (method: string, body?: string) =>
      /content-length: (\d+)/.exec(encodeRequest({ ...plain, method, body }).head)?.[1];
    expect(['POST', 'PUT', 'PATCH'].map((method) => lengthOf(method))).toEqual(['0', '0', '0']);
    expect(['GET', 'DELETE'].map((method) => lengthOf(method))).toEqual([undefined, undefined]);
    expect(lengthOf('DELETE', '{}')).toBe('2');
    expect(encodeRequest({ ...plain, method: 'POST', body: new Uint8Array() }).body).toBeUndefined();
  });

  it('knows which methods may be sent twice', () => {
    const safe = (method: string) => encodeRequest({ ...plain, method }).safe;
    expect(['GET', 'HEAD', 'OPTIONS'].every(safe)).toBe(true);
    expect(['POST', 'PATCH', 'PUT', 'DELETE'].some(safe)).toBe(false);
  });

  it.each(['a\rb', 'a\nb', 'a\r\nx: y', 'a\0b', 'a\x7fb', 'a\u0100'])(
    'refuses %j in a header, and does not repeat it',
    (value) => {
      expect(() => encodeRequest({ ...plain, headers: { 'x-secret': value } })).toThrow(/^invalid x-secret header$/);
      expect(() => encodeRequest({ ...plain, headers: { 'x-secret': ['fine', value] } })).toThrow(
        /^invalid x-secret header$/,
      );
      expect(() => encodeRequest({ ...plain, headers: { [value]: 'x' } })).toThrow(/^invalid header name$/);
      expect(() => encodeRequest({ ...plain, target: `/${value}` })).toThrow(/^invalid request path$/);
      expect(() => encodeRequest({ ...plain, method: value })).toThrow(/^invalid request method$/);
      expect(() => encodeRequest({ ...plain, host: value })).toThrow(/^invalid host header$/);
    },
  );

  it('refuses a blank in the path', () => {
    expect(() => encodeRequest({ ...plain, target: '/x HTTP/1.1' })).toThrow('invalid request path');
  });

  it.each(['Connection', 'content-length', 'transfer-encoding', 'keep-alive', 'upgrade', 'expect'])(
    'keeps %s for itself',
    (name) => {
      expect(() => encodeRequest({ ...plain, headers: { [name]: '1' } })).toThrow(`invalid ${name} header`);
    },
  );
});
