import { afterEach, expect, it } from 'vitest';
import { closeAll, rigWith } from '../testing/scripted-provider.ts';
import type { AuthenticatedCall } from '../call/call.ts';
import type { IncomingRequest } from '../http/incoming-request.ts';
import { readRequestHead } from '../directives/request-head.ts';
import { planTargets } from '../retry/listed-targets.ts';
import { readTargets } from '../directives/targets.ts';

afterEach(closeAll);

const keys = { 'aws-access-key': 'AKID-of-entry', 'aws-secret-key': 'planted-secret', 'aws-session-token': 'token-of-entry' };
const bedrock = 'https://bedrock-runtime.eu-west-1.amazonaws.com';

async function legTo(entry: object): Promise<string> {
  const rig = await rigWith({});
  // A signature is of its time too.
  const clock = { ...rig.ports.clock, now: () => 1_700_000_000_000 };
  const head = readRequestHead(['content-type', 'application/json', 'aws-secret-key', 'of-the-caller', 'aws-access-key', 'of-the-caller']);
  const request = { method: 'POST', headers: {} } as IncomingRequest;
  const admitted = { call: { request, head, path: '/model/m/converse' } } as unknown as AuthenticatedCall;
  const { targets: legs } = planTargets(
    { ...rig.ports, clock },
    admitted,
    { buffered: Buffer.from('{"a":1}') },
    readTargets([entry], 'Svc-Fallbacks'),
  );
  const { credentials, passed } = legs[0] ?? { credentials: [], passed: [] };
  return [...credentials, ...passed].join(' ');
}

const signatureIn = (lines: string): string | undefined => /Signature=([0-9a-f]{64})/.exec(lines)?.[1];

it('keys of an account at Amazon in an entry sign for Bedrock the body that is sent there, and go there no more than to anybody else', async () => {
  const plain = await legTo({ 'target-url': bedrock, headers: keys });
  const replaced = await legTo({ 'target-url': bedrock, headers: keys, bodyKeyOverride: { a: 2 } });
  expect([plain, plain.includes('planted-secret'), plain.includes('of-the-caller')]).toEqual([
    expect.stringContaining('Credential=AKID-of-entry/'),
    false,
    false,
  ]);
  expect(signatureIn(plain)).toBe(signatureIn(await legTo({ 'target-url': bedrock, headers: keys })));
  expect([signatureIn(plain), signatureIn(replaced)]).toEqual([expect.any(String), expect.any(String)]);
  expect(signatureIn(plain)).not.toBe(signatureIn(replaced));
  const elsewhere = await legTo({ 'target-url': 'https://api.openai.com', headers: keys });
  expect(elsewhere).not.toMatch(/entry|secret|caller/);
});
