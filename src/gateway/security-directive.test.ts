import { describe, expect, it } from 'vitest';
import type { Directives } from './directives.ts';
import { readRequestHead } from './request-head.ts';

const read = (...raw: string[]): Directives => readRequestHead(raw).directives;

describe('the question for a security check', () => {
  it.each(['Svc-Security-Enabled', 'Helicone-Security-Enabled', 'Helicone-LLM-Security-Enabled', 'svc-llm-security-enabled'])(
    'is asked by %s',
    (name) => {
      expect([read(name, 'true').tags.securityCheck, read(name, ' TRUE ').tags.securityCheck]).toEqual([true, true]);
      expect([read(name, 'false').tags.securityCheck, read(name, 'false').warnings]).toEqual([undefined, []]);
    },
  );

  it('is neither yes nor no: the call is not made', () => {
    const { refusal } = read('Svc-Security-Enabled', '1');
    expect([refusal?.code, refusal?.message]).toEqual(['invalid_directive', 'Svc-Security-Enabled takes true or false; got "1".']);
  });

  it('is asked by the last of several lines', () => {
    expect(read('Svc-Security-Enabled', 'true', 'Helicone-LLM-Security-Enabled', 'false').tags).toEqual({ properties: [] });
  });

  it('for a more thorough kind is answered with a warning', () => {
    expect(read('Helicone-LLM-Security-Advanced', 'true').warnings).toEqual([
      'Helicone-LLM-Security-Advanced is not supported by this version and was ignored',
    ]);
  });
});
