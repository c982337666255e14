import { describe, expect, it } from 'vitest';
import { listQuery } from './list-options.ts';

describe('listQuery', () => {
  it('leaves out what is unset or empty, and keeps resourceVersion 0', () => {
    expect(listQuery({ resourceVersion: '0', limit: 0, continue: '', allowWatchBookmarks: false })).toBe(
      'resourceVersion=0',
    );
    expect(listQuery({ resourceVersion: '' })).toBe('');
  });

  it('escapes selectors', () => {
    expect(listQuery({ labelSelector: 'a in (b,c)', watch: true })).toBe('labelSelector=a+in+%28b%2Cc%29&watch=true');
  });

  it('says no to initial events when asked to', () => {
    expect(listQuery({ sendInitialEvents: false })).toBe('sendInitialEvents=false');
    expect(listQuery({ sendInitialEvents: true })).toBe('sendInitialEvents=true');
  });
});
