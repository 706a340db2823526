import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { issuedApiKeyAnswerSchema } from '../contract/settings/api-keys.ts';
import type { Action, KeyPermissions } from '../model/principal.ts';
import { endpoints } from './endpoints.ts';
import type { Endpoint } from './endpoint/endpoint.ts';
import { type ApiRig, checked, keyOf, openApiRig } from './testing/api-harness.ts';
import { csrf } from './testing/browser.ts';
import { signedInPerson } from './testing/people.ts';

/** Every endpoint with every caller that there is. */

/** How a call is answered as far as its caller decides. */
type Outcome = 'taken' | 'who?' | 'may not' | 'no Svc-Csrf';
interface Caller {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly outcome: (action: Action, isRead: boolean) => Outcome;
}

const all: readonly Action[] = ['send', 'read', 'update', 'own', 'administer'];
const allowed: Record<KeyPermissions, readonly Action[]> = {
  r: ['read'],
  w: ['send'],
  rw: ['send', 'read', 'update'],
  admin: all,
};
const unknownId = 'f0000000-0000-4000-8000-000000000000';

let rig: ApiRig;
let callers: readonly Caller[];

beforeAll(async () => {
  rig = await openApiRig(0, { GATELOG_OIDC_ISSUER: 'https://accounts.example.com', GATELOG_OIDC_CLIENT_ID: 'gatelog' });
  callers = [
    { name: 'nobody', headers: {}, outcome: nobody },
    { name: 'an unknown key', headers: bearer('sk-svc-us-unknownunknownunknownunknown'), outcome: nobody },
    ...(['r', 'w', 'rw', 'admin'] as const).map((permissions) => byKey(`a key with ${permissions}`, keyOf(permissions), permissions)),
    ...(await Promise.all((['r', 'rw', 'admin'] as const).map((permissions) => signedIn(permissions)))).flat(),
    ...(await removed()),
  ];
});
afterAll(() => rig.close());

function nobody(): Outcome {
  return 'who?';
}

function bearer(key: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${key}` };
}

function byKey(name: string, key: string, permissions: KeyPermissions): Caller {
  return { name, headers: bearer(key), outcome: (action) => (allowed[permissions].includes(action) ? 'taken' : 'may not') };
}

/** A person in a browser, another page in it, and a key of the person. */
async function signedIn(permissions: 'r' | 'rw' | 'admin'): Promise<readonly Caller[]> {
  const { headers, key } = await personWithKey(permissions);
  const own = (action: Action): Outcome => (action === 'own' || allowed[permissions].includes(action) ? 'taken' : 'may not');
  const foreign = (action: Action, isRead: boolean): Outcome => (isRead ? own(action) : 'no Svc-Csrf');
  return [
    { name: `a person with ${permissions}`, headers: { ...csrf, ...headers }, outcome: own },
    { name: `a page in the browser of a person with ${permissions}`, headers, outcome: foreign },
    byKey(`the key of a person with ${permissions}`, key, permissions),
  ];
}

async function removed(): Promise<readonly Caller[]> {
  const { headers, key, id } = await personWithKey('rw');
  await rig.call('DELETE', `/v1/people/${id}`, { key: keyOf('admin') });
  return [
    { name: 'a removed person', headers: { ...csrf, ...headers }, outcome: nobody },
    { name: 'the key of a removed person', headers: bearer(key), outcome: nobody },
  ];
}

async function personWithKey(permissions: 'r' | 'rw' | 'admin') {
  const { id, cookie, call } = await signedInPerson(rig, permissions);
  const answer = await call('POST', '/v1/api-keys', { api_key_name: 'mine', key_permissions: permissions });
  const { data } = await checked(answer, 200, issuedApiKeyAnswerSchema);
  return { id, headers: { cookie }, key: data.apiKey };
}

interface Answered {
  readonly outcome: string;
  readonly isGood: boolean;
}

/** @param id in the place of every part of the path. */
async function callAs({ headers }: Caller, { declaration: { method, path } }: Endpoint, given: unknown, id = unknownId): Promise<Answered> {
  const left = new AbortController();
  const address = path.replaceAll(/\{\w+\}/g, id);
  const body = method === 'get' ? undefined : given;
  const answer = await rig.call(method.toUpperCase(), address, { key: null, headers, body, signal: left.signal });
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream') === true;
  const text = isStream ? '' : await answer.text();
  left.abort();
  return { outcome: outcomeOf(answer.status, text), isGood: answer.ok };
}

/** @returns an {@link Outcome}, or what else was answered. */
function outcomeOf(status: number, text: string): string {
  if (status === 401) return 'who?';
  if (status === 403) return text.includes('csrf_header_missing') ? 'no Svc-Csrf' : 'may not';
  // The rig takes no spans.
  return status < 500 || status === 503 ? 'taken' : `${status}: ${text}`;
}

describe('every endpoint', () => {
  it('needs an action that its document and its readers can look up', async () => {
    const lines = endpoints.map(
      ({ action, declaration: { method, path } }) => `${action.padEnd(11)}${method.toUpperCase().padEnd(7)}${path}`,
    );
    await expect(`${lines.toSorted().join('\n')}\n`).toMatchFileSnapshot('testing/golden/actions.txt');
  });

  it('takes calls of those alone who may make them', async () => {
    const wrong: string[] = [];
    for (const endpoint of endpoints) {
      const { action, declaration } = endpoint;
      for (const caller of callers) {
        const { outcome } = await callAs(caller, endpoint, {});
        const wanted = caller.outcome(action, declaration.method === 'get' || action === 'read');
        if (outcome !== wanted) wrong.push(`${declaration.method} ${declaration.path} by ${caller.name}: ${outcome} instead of ${wanted}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('that has changed something, or has given out bodies, is in the audit log once, and nothing else is', async () => {
    const caller = callers.find(({ name }) => name === 'a key with admin');
    if (caller === undefined) throw new Error('none');
    const answered: string[] = [];
    const before = await audited();
    for (const endpoint of endpoints) {
      const { isGood } = await callAs(caller, endpoint, exampleOf(endpoint), rig.stored);
      if (isGood && endpoint.audits !== 'nothing') answered.push(endpoint.declaration.operationId);
    }
    const entries = (await audited()).slice(before.length);
    const changes = new Set(endpoints.filter(({ audits }) => audits === 'changes').map(({ declaration }) => declaration.operationId));
    expect(entries.filter((action) => changes.has(action))).toEqual(answered.filter((action) => changes.has(action)));
    expect(answered).toEqual(expect.arrayContaining(entries.filter((action) => !changes.has(action))));
    expect(new Set(entries).size).toBeGreaterThan(20);
  });
});

/** What the document shows as a body that can be sent, in earnest. */
function exampleOf({ declaration }: Endpoint): unknown {
  const example: unknown = declaration.request?.body?.content['application/json']?.example;
  if (typeof example !== 'object' || example === null || Array.isArray(example)) return example ?? {};
  return Object.fromEntries(Object.entries(example).map(([name, value]) => [name, name === 'dryRun' ? false : (value as unknown)]));
}

/** Actions in the audit log, the oldest first. */
async function audited(): Promise<readonly string[]> {
  const found: string[] = [];
  let behind: Awaited<ReturnType<ApiRig['ports']['searchAudit']>>['next'];
  do {
    const page = await rig.ports.searchAudit({ organizationId: rig.organizationId, limit: 1000, behind });
    found.unshift(...page.entries.map(({ action }) => action).toReversed());
    behind = page.next;
  } while (behind !== undefined);
  return found;
}
