import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type LockFile, lockFileProblems, WITHOUT_INTEGRITY } from './lock-file.ts';

const integrity = 'sha512-WqkyubNWpI4OYBOipSrjIssMdJO8K1i9Zts/Wm8Er10/0msOEwCyWWWvZnAI7WW3kQsTong6DJp8Cbb+vd4cPA==';

const problemsOf = (packages: LockFile['packages']) => lockFileProblems({ packages }, []);

describe('a lock file', () => {
  it('is in order when every package has an integrity and names no registry', () => {
    expect(problemsOf({ '': { version: '0.1.0' }, 'node_modules/yaml': { version: '2.9.1', integrity } })).toEqual([]);
  });

  it('must have an integrity for every package', () => {
    expect(problemsOf({ 'node_modules/yaml': { version: '2.9.1' } })).toEqual([
      'node_modules/yaml has no integrity: delete its entry and run `npm install`.',
    ]);
    expect(problemsOf({ 'node_modules/yaml': { version: '2.9.1', integrity: 'sha1-qqqq' } })).toEqual([
      'node_modules/yaml has the weak integrity sha1-qqqq: delete its entry and run `npm install`.',
    ]);
  });

  it('must not name a registry', () => {
    const resolved = 'https://registry.example/yaml/-/yaml-2.9.1.tgz';
    expect(problemsOf({ 'node_modules/yaml': { version: '2.9.1', integrity, resolved } })).toEqual([
      'node_modules/yaml names the host registry.example: install with omit-lockfile-registry-resolved=true, as .npmrc says.',
    ]);
  });

  it('needs no integrity for links, and for what another package brings along', () => {
    expect(problemsOf({ 'node_modules/own': { link: true, resolved: 'packages/own' } })).toEqual([]);
    expect(problemsOf({ 'node_modules/a/node_modules/b': { version: '1.0.0', inBundle: true } })).toEqual([]);
  });

  describe('with packages that are known to lack an integrity', () => {
    const foreign = { version: '2.6.6', optional: true, os: ['darwin'] };

    it('is in order when they are optional and for another platform', () => {
      expect(lockFileProblems({ packages: { 'node_modules/@b/cli-darwin-x64': foreign } }, ['@b/cli-'])).toEqual([]);
    });

    it('is not when one of them is for every platform', () => {
      const packages = { 'node_modules/@b/cli-darwin-x64': foreign, 'node_modules/@b/cli-core': { version: '2.6.6' } };
      expect(lockFileProblems({ packages }, ['@b/cli-'])).toHaveLength(1);
    });

    it('is not when all of them have one', () => {
      const packages = { 'node_modules/@b/cli-darwin-x64': { ...foreign, integrity } };
      expect(lockFileProblems({ packages }, ['@b/cli-'])).toEqual([
        'Every @b/cli-… has an integrity: remove it from the list of those that lack one.',
      ]);
    });
  });

  it('of this repository is in order', () => {
    const text = readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8');
    const lock: LockFile = JSON.parse(text);
    expect(Object.keys(lock.packages).length).toBeGreaterThan(100);
    expect(lockFileProblems(lock, WITHOUT_INTEGRITY)).toEqual([]);
  });
});
