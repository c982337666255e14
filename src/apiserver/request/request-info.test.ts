import { describe, expect, it } from 'vitest';
import { decodePath, requestInfo } from './request-info.ts';

const info = (method: string, target: string) => {
  const [path = '', query = ''] = target.split('?');
  return requestInfo(method, decodePath(path) ?? '', new URLSearchParams(query));
};

describe('requestInfo', () => {
  it.each([
    ['GET', '/api/v1/pods', { verb: 'list', group: '', version: 'v1', resource: 'pods', namespace: '', name: '' }],
    ['GET', '/api/v1/namespaces/a/pods/b', { verb: 'get', namespace: 'a', resource: 'pods', name: 'b' }],
    ['GET', '/api/v1/namespaces/a', { verb: 'get', namespace: 'a', resource: 'namespaces', name: 'a' }],
    [
      'PUT',
      '/api/v1/namespaces/a/finalize',
      { verb: 'update', resource: 'namespaces', name: 'a', subresource: 'finalize' },
    ],
    ['PATCH', '/apis/apps/v1/namespaces/a/deployments/b/scale', { verb: 'patch', group: 'apps', subresource: 'scale' }],
    ['DELETE', '/api/v1/namespaces/a/pods', { verb: 'deletecollection' }],
    ['DELETE', '/api/v1/namespaces/a/pods/b', { verb: 'delete' }],
    ['GET', '/api/v1/pods?watch=1', { verb: 'watch' }],
    ['GET', '/api/v1/pods?watch=yes', { verb: 'watch' }],
    ['GET', '/api/v1/pods?watch', { verb: 'watch' }],
    ['GET', '/api/v1/pods?watch=0', { verb: 'list' }],
    ['GET', '/api/v1/pods?watch=FALSE', { verb: 'list' }],
    ['GET', '/api/v1/watch/namespaces/a/pods/b', { verb: 'watch', namespace: 'a', name: 'b' }],
    ['GET', '/apis/apps/v1/watch/deployments', { verb: 'watch', resource: 'deployments' }],
    ['GET', '/api/v1/namespaces/a/pods/b/proxy/x/y', { subresource: 'proxy' }],
    ['GET', '/api/v1/namespaces/a/pods/b%20c', { name: 'b c' }],
    ['GET', '/api/v1/namespaces/a/pods/b%2Flog', { name: 'b', subresource: 'log' }],
    ['GET', '/api/v1/namespaces/a%2Fpods', { verb: 'list', resource: 'pods', namespace: 'a' }],
    ['GET', '/api/v1/namespaces/%2e%2e/pods', { resource: 'pods', namespace: '..' }],
    ['GET', '/%61pi/v1/pods', { isResource: true, resource: 'pods' }],
    ['GET', '/healthz', { isResource: false, verb: 'get' }],
    ['GET', '/api/v1', { isResource: false }],
    ['GET', '/apis/apps/v1', { isResource: false }],
    ['GET', '/api/v1/%zz/x', { isResource: false }],
  ])('reads %s %s', (method, target, expected) => {
    expect(info(method, target)).toMatchObject(expected);
  });
});
