import { afterEach, expect, test, vi } from 'vitest';
import { systemDependencies } from './dependencies.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

test('a hint keeps its lines, and no escape sequence of a service reaches the terminal', () => {
  const written: string[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
  systemDependencies({}).hint('No request has it.\nDid you mean \u001b]52;c;cm0=\u0007?');
  expect(written).toEqual(['No request has it.\nDid you mean \ufffd]52;c;cm0=\ufffd?\n']);
});
