import { expect, it } from 'vitest';
import { sectionOf, withSection } from './marked-section.ts';

it('replaces what is between the marks, and nothing else', () => {
  const text = 'before\n<!-- x: begin -->\nold\n<!-- x: end -->\nafter\n';
  const changed = withSection(text, 'x', 'new');
  expect(changed).toBe('before\n<!-- x: begin -->\nnew\n<!-- x: end -->\nafter\n');
  expect(withSection(changed, 'x', 'new')).toBe(changed);
});

it('tells what is between the marks', () => {
  const text = 'before\n<!-- x: begin -->\none\n\ntwo\n<!-- x: end -->\nafter\n';
  expect(sectionOf(text, 'x')).toBe('one\n\ntwo');
  expect(withSection(text, 'x', sectionOf(text, 'x'))).toBe(text);
});

it('refuses a text without the marks', () => {
  expect(() => withSection('text', 'x', 'new')).toThrow('<!-- x: begin -->');
  expect(() => sectionOf('text', 'x')).toThrow('<!-- x: begin -->');
});
