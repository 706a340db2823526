import { afterEach, expect, test, vi } from 'vitest';
import { systemDependencies } from './dependencies.ts';
import { painter } from './paint.ts';

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

test('of what is printed only our own colours, line breaks and tabs reach the terminal', () => {
  const written: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
  const { print } = systemDependencies({});
  print(`${painter(true)('red', 'firing')}\tSpend\u202edneps\n\u001b]52;c;cm0=\u0007\u009b2J\r`);
  expect(written).toEqual(['\u001b[31mfiring\u001b[0m\tSpend\ufffddneps\n\ufffd]52;c;cm0=\ufffd\ufffd2J\ufffd\n']);
});

test('progress names files as they are, but for what would move the cursor', () => {
  const written: string[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written.push(String(text));
    return true;
  });
  const before = process.stderr.isTTY;
  process.stderr.isTTY = true;
  systemDependencies({}).progress('a\u001b[2J.jsonl: 3 lines');
  process.stderr.isTTY = before;
  expect(written).toEqual(['\ra\ufffd[2J.jsonl: 3 lines\u001b[K']);
});
