import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { auditAnswerSchema } from '../../contract/audit.ts';
import { problemSchema } from '../../contract/problem.ts';
import { GatelogError } from '../../model/errors.ts';
import { endpoints } from '../endpoints.ts';
import { openApiDocument } from '../openapi.ts';
import { type ApiRig, checked, keyOf, openApiRig, propertyPath, queryPath } from '../testing/api-harness.ts';

let rig: ApiRig;
let last = 0;

beforeAll(async () => {
  rig = await openApiRig();
});
afterAll(() => rig.close());

const admin = { key: keyOf('admin') };
const list = async (query = '') => (await checked(await rig.call('GET', `/v1/audit${query}`, admin), 200, auditAnswerSchema)).data;
beforeEach(async () => {
  last = (await list('?limit=1'))[0]?.id ?? 0;
});
/** Entries since the beginning of the test, the oldest first. */
const noted = async () => (await list()).filter(({ id }) => id > last).toReversed();

describe('the audit log has', () => {
  it('each answered change: who, what, of what', async () => {
    await rig.call('PUT', propertyPath(rig.stored), { body: { Team: 'a' } });
    const made = (await (await rig.call('POST', '/v1/api-keys', { ...admin, body: { api_key_name: 'x' } })).json()) as {
      readonly data: { readonly id: string };
    };
    await rig.call('DELETE', `/v1/api-keys/${made.data.id}`, admin);
    expect(await noted()).toMatchObject([
      { action: 'updateRequestProperties', target: rig.stored, who: null, key: expect.any(String) as string, filter: null },
      { action: 'addApiKey', target: made.data.id },
      { action: 'revokeApiKey', target: made.data.id },
    ]);
  });

  it('nothing of what was refused, of a trial, of a list without bodies', async () => {
    await rig.call('PUT', propertyPath(rig.stored), { key: keyOf('r'), body: { Team: 'a' } });
    await rig.call('PUT', propertyPath(rig.stored), { text: '{' });
    await rig.call('PUT', propertyPath(rig.foreign), { body: { Team: 'a' } });
    await rig.call('POST', '/v1/request/property', { body: { filter: 'all', set: { Team: 'b' } } });
    await rig.call('POST', queryPath, { body: { filter: 'all', includeBodies: false } });
    await rig.call('GET', `/v1/request/${rig.stored}?includeBody=false`);
    await rig.call('GET', `/v1/request/${rig.foreign}`);
    await rig.call('GET', '/v1/export?format=jsonl').then((answer) => answer.text());
    await rig.call('GET', '/v1/api-keys', admin);
    expect(await noted()).toEqual([]);
  });

  it('who got the signed address by which bodies are read', async () => {
    const { data } = (await (await rig.call('GET', `/v1/request/${rig.stored}`)).json()) as {
      readonly data: { readonly signed_body_url: string };
    };
    const { pathname, search } = new URL(data.signed_body_url);
    expect((await rig.call('GET', pathname + search, { key: null })).status).toBe(200);
    const [shown, read] = await noted();
    expect(read).toMatchObject({ action: 'getSignedBodies', target: rig.stored, key: shown?.key, who: null });
    expect(read?.key).toEqual(expect.any(String));
  });

  it('each page and export with bodies, with its filter', async () => {
    const filter = { request_response_rmt: { user_id: { equals: 'u' } } };
    await rig.call('POST', queryPath, { body: { filter, limit: 5 } });
    await rig.call('GET', `/v1/request/${rig.stored}`);
    await rig.call('GET', `/v1/request/${rig.stored}/beginning`);
    await rig.call('POST', '/v1/request/query-ids', { body: { requestIds: [rig.stored] } });
    await (await rig.call('POST', '/v1/export', { body: { filter, includeBodies: true } })).text();
    expect(await noted()).toMatchObject([
      { action: 'queryRequests', target: null, filter: { filter, limit: 5 } },
      { action: 'getRequest', target: rig.stored },
      { action: 'getRequestBeginning', target: rig.stored },
      { action: 'queryRequestsById', filter: { requestIds: [rig.stored] } },
      { action: 'exportRequests', filter: { filter, includeBodies: true } },
    ]);
  });

  it('sign-ins and sign-outs with a key', async () => {
    const answer = await rig.call('POST', '/v1/session-cookie', { key: null, body: { apiKey: keyOf('r') } });
    const cookie = (answer.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? '';
    await rig.call('DELETE', '/v1/session-cookie', { key: null, headers: { cookie, 'Svc-Csrf': '1' } });
    await rig.call('POST', '/v1/session-cookie', { key: null, body: { apiKey: 'sk-svc-us-unknown' } });
    expect((await noted()).map(({ action }) => action)).toEqual(['signIn', 'signOut']);
  });

  it('itself, when it is exported', async () => {
    const text = await (await rig.call('GET', '/v1/audit/export?format=csv&action=signIn', admin)).text();
    expect(text.split('\r\n')[0]).toBe('id,at,who,key,action,target,filter,address');
    expect((await (await rig.call('GET', '/v1/audit/export', admin)).text()).trim().split('\n').length).toBeGreaterThan(1);
    expect((await noted()).map(({ action }) => action)).toEqual(['exportAuditLog', 'exportAuditLog']);
  });
});

describe('the audit log', () => {
  it('is for administrators, and no endpoint changes it', async () => {
    for (const key of [keyOf('r'), keyOf('rw'), keyOf('w')]) {
      for (const path of ['/v1/audit', '/v1/audit/export']) await checked(await rig.call('GET', path, { key }), 403, problemSchema);
    }
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      expect((await rig.call(method, '/v1/audit', { ...admin, body: {} })).status).toBe(405);
    }
  });

  it('refuses a cursor, a time and a format that are none', async () => {
    for (const query of ['?cursor=x', '?startDate=yesterday', '?limit=5000', '/export?format=xml']) {
      expect(await checked(await rig.call('GET', `/v1/audit${query}`, admin), 422, problemSchema)).toMatchObject({
        code: 'invalid_parameter',
      });
    }
  });

  it('that cannot be written lets nothing be confirmed', async () => {
    const api = rig.withPorts({ noteAudit: () => Promise.reject(new GatelogError('audit_unavailable', 'no disk')) });
    const change = await rig.call('PUT', propertyPath(rig.stored), { api, body: { Team: 'a' } });
    expect(await checked(change, 503, problemSchema)).toMatchObject({ code: 'audit_unavailable' });
    expect((await rig.call('POST', '/v1/export', { api, body: { includeBodies: true } })).status).toBe(503);
  });
});

describe('every endpoint', () => {
  const changes = new Set(['PUT', 'PATCH', 'DELETE']);

  it('that changes something by its method is in the audit log', () => {
    const silent = endpoints.filter(({ declaration: { method }, audits }) => changes.has(method.toUpperCase()) && audits !== 'changes');
    expect(silent.map(({ declaration }) => declaration.operationId)).toEqual([]);
  });

  it('that posts and is not in the audit log only reads, or only sends records', () => {
    const silent = endpoints.filter(({ declaration: { method }, audits }) => method === 'post' && audits === 'nothing');
    expect(silent.filter(({ action }) => action !== 'read' && action !== 'send')).toEqual([]);
  });

  it('whose answer may hold bodies is in the audit log', () => {
    const { paths, components } = openApiDocument('') as Document;
    const withBodies = Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).flatMap(([method, { operationId, responses }]) =>
        holdsBodies(responses['200'], components.schemas, new Set()) ? [{ operationId, at: `${method} ${path}` }] : [],
      ),
    );
    const reads = new Set(endpoints.filter(({ audits }) => audits === 'reads').map(({ declaration }) => declaration.operationId));
    expect(withBodies.length).toBeGreaterThan(3);
    expect(withBodies.filter(({ operationId }) => !reads.has(operationId))).toEqual([]);
    for (const raw of ['streamRequests', 'exportRequests', 'exportRequestsByAddress', 'getRequestBeginning']) expect(reads).toContain(raw);
  });
});

interface Document {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly operationId: string; readonly responses: Record<string, unknown> }>>>
  >;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

/** Whether a description, or what it refers to, has the members of a request with its bodies. Filters have some of them, but not all. */
function holdsBodies(node: unknown, schemas: Document['components']['schemas'], seen: Set<string>): boolean {
  if (typeof node !== 'object' || node === null) return false;
  if ('request_body' in node && 'signed_body_url' in node) return true;
  return Object.entries(node).some(([name, value]) => {
    if (name !== '$ref' || typeof value !== 'string') return holdsBodies(value, schemas, seen);
    const schema = value.split('/').at(-1) ?? '';
    if (seen.has(schema)) return false;
    seen.add(schema);
    return holdsBodies(schemas[schema], schemas, seen);
  });
}
