import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callApi } from '../../api/testing/api-harness.ts';
import { Deployment } from '../../api/testing/import-harness.ts';
import { PositionCorrections } from '../../intake/spans/corrections.ts';
import { RedactionRules } from '../../metadata/organization/redaction-rules.ts';
import { redactionTargets, type RedactionRule } from '../../model/redaction-rule.ts';
import { systemClock } from '../../platform/clock.ts';
import type { TreeNode } from '../../otlp/tree/position.ts';
import type { Store } from '../../store/store.ts';
import { type IngestRig, newId, openRig, until } from '../testing/ingest-harness.ts';

/**
 * Every function of the store, and what keeps a text from being written by it without the rules. A new function that writes needs a line
 * here, and its way a test below.
 */
const writers: Readonly<Record<keyof Store, string>> = {
  insertsByMonth: 'reads',
  insert: 'records, whose texts the interpreter redacts: calls, logs, spans, imports, and dead letters when they are replayed',
  changeStored: 'RequestChanges.change; what spans tell of other records, whose texts the interpreter redacts',
  changeStoredSession: 'SessionChanges.setProperties',
  setSessionTag: 'SessionChanges.tag',
  changeNext: 'BulkJobs.order; an undo writes what the history has',
  usageRows: 'the completion that the interpreter redacts',
  changeStoredCosts: 'costs and references of prices: no text of a caller',
  moveBodies: 'bodies that are stored already',
  indexWords: 'no text',
  jobLists: 'no text',
  erase: 'no text',
  removeExpired: 'no text',
  removeOrphans: 'no text',
  setAside: 'no text',
  migrate: 'no text',
  run: 'reads',
  rowChanges: 'reads',
  bodyRemovals: 'reads',
  findRows: 'reads',
  findTold: 'reads',
  hasSpans: 'reads',
  hasTracedCalls: 'reads',
  spanTexts: 'what log records tell of spans, whose texts the interpreter redacts',
  joinRecords: 'what records that are stored already have; what spans tell, whose texts the interpreter redacts',
  latestChangeNumber: 'reads',
  countCalls: 'reads',
  latestArrival: 'reads',
  latestStoredNumber: 'reads',
  listParts: 'reads',
  damage: 'reads',
  checkPart: 'reads',
  isAlive: 'reads',
  hasFreeSpace: 'reads',
  measureFreeSpace: 'reads',
  size: 'reads',
  lanes: 'reads',
  startThreads: 'reads',
  copy: 'rows that the other store has already, whose texts were redacted when they came',
  close: 'reads',
};

const secret = 'ann@example.com';
const everywhere: RedactionRule = { kind: 'email', pattern: null, replacement: '[email]', appliesTo: redactionTargets };

let rig: IngestRig;
let rules: RedactionRules;
let deployment: Deployment;

beforeAll(async () => {
  rig = await openRig();
  rules = new RedactionRules(rig.database, systemClock);
  deployment = new Deployment(rig);
  const { organizationId } = deployment.spool;
  await rig.database.queries.insertInto('organizations').values({ id: organizationId, name: 'ours', created_at: 0 }).execute();
  await rules.replace(organizationId, [everywhere]);
  await deployment.start();
});
afterAll(async () => {
  await deployment.stop();
  await rig.close();
});

const item = (extra: object = {}) => ({ request_id: newId(), request_created_at: '2026-01-31T12:00:00.000Z', ...extra });

async function storedItem(extra: object = {}): Promise<string> {
  const made = item(extra);
  await deployment.import([made]);
  await deployment.whenStored();
  return made.request_id;
}

async function call(method: 'POST' | 'PUT', path: string, body: object): Promise<void> {
  const response = await callApi(deployment.api, { method, path }, { body });
  if (response.status !== 200) throw new Error(await response.text());
}

/** All that the store and the metadata database have. */
async function everythingStored(): Promise<string> {
  const tables = ['requests', 'bodies', 'changes', 'session_changes', 'session_tags'];
  const rows = await Promise.all(tables.map((table) => deployment.spool.read(`SELECT * FROM ${table} WHERE org_id = {tenant:UInt128}`)));
  const jobs = await rig.database.queries.selectFrom('jobs').selectAll().execute();
  return JSON.stringify([rows, jobs]);
}

/** Where the secret stands. */
async function secretsStored(): Promise<readonly string[]> {
  return (await everythingStored()).match(new RegExp(`.{0,60}${secret}`, 'g')) ?? [];
}

const session = (name: string): object => ({ properties: { 'Svc-Session-Id': name } });

const node = (given: Partial<TreeNode>): TreeNode => ({
  spanId: 'inner',
  parentSpanId: 'outer',
  level: 'inner',
  sessionId: '',
  sessionName: '',
  userId: '',
  ...given,
});

const ways: Readonly<Record<string, () => Promise<void>>> = {
  'a property of a stored request': async () => {
    await call('PUT', `/v1/request/${await storedItem()}/property`, { key: secret, value: `one ${secret}` });
  },
  'a property of a request that is not stored yet': async () => {
    const writer = deployment.spool.openWriter();
    const id = await deployment.spool.write(writer, {});
    await call('PUT', `/v1/request/${id}/property`, { key: 'Later', value: `two ${secret}` });
    await deployment.whenStored();
  },
  'the name of a score': async () => {
    await call('POST', `/v1/request/${await storedItem()}/score`, { scores: { [secret]: 1, plain: 2 } });
  },
  'properties of a session': async () => {
    await storedItem(session('s1'));
    await call('PUT', '/v1/session/s1/property', { key: secret, value: `three ${secret}` });
  },
  'the name of a session': async () => {
    await storedItem(session('s2'));
    await call('PUT', '/v1/session/s2/property', { key: 'Svc-Session-Name', value: `four ${secret}` });
  },
  'the tag of a session': async () => {
    await storedItem(session('s3'));
    await call('POST', '/v1/session/s3/tag', { tag: `five ${secret}` });
  },
  'a job over many requests': async () => {
    await storedItem({ properties: { Bulk: 'yes' } });
    await call('POST', '/v1/request/property', {
      filter: 'all',
      set: { [secret]: `six ${secret}` },
      dryRun: false,
    });
  },
  'an import, in each of its texts': async () => {
    await storedItem({
      model: `model of ${secret}`,
      model_override: '',
      request_model: '',
      country_code: secret,
      provider: `provider of ${secret}`,
      cache_reference_id: secret,
      assets: [secret],
      attempts: [{ provider: secret, status: 500, ms: 1, error: secret }],
      scores: { [secret]: 1 },
      properties: { [secret]: secret, 'Svc-Session-Name': secret },
      request_user_id: secret,
      request_path: `/${secret}`,
    });
  },
};

describe('what is written after a call passes the rules', () => {
  it('every function of the store that writes texts is known to be behind them', () => {
    const store = rig.store as unknown as Readonly<Record<string, unknown>>;
    expect(Object.keys(writers).toSorted()).toEqual(Object.keys(store).toSorted());
  });

  it.each(Object.keys(ways))('%s', async (name) => {
    await ways[name]?.();
    expect(await secretsStored()).toEqual([]);
  });

  it('what comes is there, with what the rules leave of it', async () => {
    const id = await storedItem();
    await call('PUT', `/v1/request/${id}/property`, { key: 'Owner', value: `by ${secret}` });
    await call('POST', `/v1/request/${id}/score`, { scores: { [`of ${secret}`]: 3 } });
    const stored = await everythingStored();
    expect(stored).toContain('"Owner":"by [email]"');
    expect(stored).toContain('"of [email]":');
  });

  it('a session and a path that a late span completes', async () => {
    const { spool } = deployment;
    const trace = { traceId: 'trace', spanId: 'inner' };
    const id = await spool.write(spool.openWriter(), { open: { tags: { properties: [], sessionId: 'trace' }, trace } });
    await deployment.whenStored();
    let now = 0;
    const corrections = new PositionCorrections({
      changeRequest: (principal, requestId, change) => deployment.changer.change(principal, requestId, change),
      joined: { find: (_organizationId, requestId) => requestId },
      maxSpans: 100,
      now: () => now,
      observe: () => undefined,
      intervalMs: 10,
    });
    const request = { requestId: id, spanId: 'inner', sessionId: 'trace', sessionPath: '', isRooted: false };
    corrections.note(spool.principal, [{ traceId: 'trace', nodes: [node({})], requests: [request] }]);
    const outer = node({ spanId: 'outer', parentSpanId: '', level: `for ${secret}`, sessionId: `of ${secret}` });
    corrections.note(spool.principal, [{ traceId: 'trace', nodes: [outer], requests: [] }]);
    now = 60_000;
    await until(async () => (await everythingStored()).includes('of [email]'));
    await corrections.close();
    expect(await secretsStored()).toEqual([]);
  });

  it('a rule that cannot be applied to a change refuses it, and says which', async () => {
    const slow: RedactionRule = { ...everywhere, kind: 'regex', pattern: 'a.*b|a' };
    await rules.replace(deployment.spool.organizationId, [everywhere, slow]);
    const id = await storedItem();
    const body = { key: 'Long', value: 'a'.repeat(8000) };
    let refused = '';
    // A change of the rules by another process holds within a second.
    await until(async () => {
      const response = await callApi(deployment.api, { method: 'PUT', path: `/v1/request/${id}/property` }, { body });
      refused = await response.text();
      return response.status === 422;
    });
    await rules.replace(deployment.spool.organizationId, [everywhere]);
    expect(refused).toContain('rule 2 takes more than');
  });
});
