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
      'Helicone-LLM-Security-Advanced is NOT carried out by this gateway: nothing is blocked for it; the plain check only marks the record',
    ]);
  });

  it('by the name that Helicone documents says that nothing is blocked; by ours that is known', () => {
    expect(read('Helicone-LLM-Security-Enabled', 'true').warnings).toEqual([expect.stringContaining('does NOT block the call')]);
    expect(read('Svc-Security-Enabled', 'true').warnings).toEqual([]);
  });
});

it.each(['Helicone-Moderations-Enabled', 'helicone-posthog-key', 'Helicone-Token-Limit-Exception-Handler', 'Svc-Prompt-Format'])(
  '%s, which Helicone carries out, is said not to be',
  (name) => {
    expect(read(name, 'true').warnings).toEqual([expect.stringContaining(`${name} is NOT carried out by this gateway: `)]);
  },
);
