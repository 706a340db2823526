import { describe, expect, test } from 'vitest';
import type { ImportRecord } from '../../client/nouns/imports.ts';
import { demoRecords } from './records.ts';

const now = Date.parse('2026-06-10T15:00:00Z');
const day = 24 * 3_600_000;
const records = demoRecords({ requests: 4000, seed: 1, now });

/** Of all texts and names in a value. */
function charactersOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value)
    .filter(([name]) => !unread.has(name))
    .reduce<number>((sum, [name, member]) => sum + (Array.isArray(value) ? 0 : name.length) + charactersOf(member), 0);
}

/** What no model reads or writes. */
const unread: ReadonlySet<string> = new Set(['model', 'id', 'object', 'usage', 'usageMetadata', 'stream', 'stream_options']);

function isModelCall({ provider, failure, response_status: status, prompt_tokens: tokens }: ImportRecord): boolean {
  return provider !== 'CUSTOM' && failure === null && status === 200 && tokens !== undefined;
}

function bodyOf(record: ImportRecord): Record<string, unknown> {
  return record.request_body as Record<string, unknown>;
}

function sessions(): Map<string, readonly ImportRecord[]> {
  const found = new Map<string, readonly ImportRecord[]>();
  for (const record of records) {
    const id = record.session_id ?? '';
    if (id !== '') found.set(id, [...(found.get(id) ?? []), record]);
  }
  return found;
}

function total(of: readonly ImportRecord[], field: 'prompt_tokens' | 'prompt_cache_read_tokens'): number {
  return of.reduce((sum, record) => sum + (record[field] ?? 0), 0);
}

test('the same seed and time make the same requests, another seed others', () => {
  const options = { requests: 300, seed: 7, now };
  expect(demoRecords(options)).toEqual(demoRecords(options));
  expect(demoRecords({ ...options, seed: 8 })).not.toEqual(demoRecords(options));
});

test('nothing is from the future, and there are about as many as were asked for', () => {
  expect(records.filter(({ request_created_at: at }) => Date.parse(at) >= now)).toEqual([]);
  expect(Math.abs(records.length - 4000)).toBeLessThan(600);
});

describe('counts of tokens fit their texts', () => {
  const calls = records.filter(isModelCall);

  test('of what was sent, at three to five characters a token', () => {
    const odd = calls.filter((record) => {
      const characters = charactersOf(bodyOf(record));
      const tokens = record.prompt_tokens ?? 0;
      return tokens > characters / 3 + 8 || tokens < characters / 5 - 25;
    });
    expect(odd.map((record) => [record.model, record.prompt_tokens, charactersOf(bodyOf(record))])).toEqual([]);
  });

  test('of what came back, without the reasoning that no body has', () => {
    const odd = calls.filter((record) => {
      const characters = charactersOf(record.response_body);
      const tokens = (record.completion_tokens ?? 0) - (record.reasoning_tokens ?? 0);
      return tokens > characters / 3 + 4 || tokens < characters / 5 - 30;
    });
    expect(odd.map((record) => [record.model, record.completion_tokens, JSON.stringify(record.response_body)])).toEqual([]);
  });

  test('and no more comes from the cache of a provider than was sent', () => {
    const odd = calls.filter(
      ({ prompt_tokens: sent, prompt_cache_read_tokens: read, prompt_cache_write_tokens: written }) =>
        (read ?? 0) + (written ?? 0) > (sent ?? 0),
    );
    expect(odd).toEqual([]);
  });
});

describe('answers fit their questions', () => {
  test('an answer about an order has the number and the place that its tool found', () => {
    const answers = records.filter((record) => {
      const text = JSON.stringify(record.response_body ?? null);
      return record.failure === null && text.includes('is with the carrier in ');
    });
    expect(answers.length).toBeGreaterThan(10);
    for (const { request_body: asked, response_body: answered } of answers) {
      const [, order = '?', city = '?'] =
        /Order (\d+) has left our warehouse and is with the carrier in (\w+)/.exec(JSON.stringify(answered)) ?? [];
      const question = JSON.stringify(asked);
      expect(question).toContain(`Where is my order ${order}?`);
      expect(question).toContain(city);
    }
  });

  test.each([
    ['Find out why the nightly export is slow', 'nightly export'],
    ['Add a filter by ', 'product list'],
    ['Fix the flaky test of the checkout ', 'as floats'],
    ['Move ', 'version 3'],
    ['Keep prices in a cache', 'Prices are cached'],
  ])('an agent that is told "%s…" ends with an answer to that', (task, words) => {
    const over = records.filter(
      (record) =>
        record.session_path === '/agent' &&
        record.session_name?.startsWith(task) === true &&
        Date.parse(record.request_created_at) < now - day / 4,
    );
    const last = new Map(over.filter(isModelCall).map((record) => [record.session_id, record.response_body]));
    expect(last.size).toBeGreaterThan(0);
    for (const answer of last.values()) expect(JSON.stringify(answer)).toContain(words);
  });

  test('tools of the support desk are logged with what the model asked and was told', () => {
    const tools = records.filter(({ model }) => model?.startsWith('tool:') === true);
    expect(new Set(tools.map(({ model }) => model))).toEqual(new Set(['tool:find_order', 'tool:find_charges']));
    for (const tool of tools) {
      const { input } = tool.request_body as { readonly input: object };
      const told = records.filter(({ session_id: id, provider }) => id === tool.session_id && provider !== 'CUSTOM');
      expect(told.some(({ response_body: body }) => JSON.stringify(body).includes(Object.values(input)[0] as string))).toBe(true);
    }
  });
});

describe('there is something to find', () => {
  test('today’s most expensive session is a runaway, and others of its name are ordinary', () => {
    const today = [...sessions().values()].filter(
      (members) => Date.parse(members[0]?.request_created_at ?? '') >= Date.parse('2026-06-10T00:00:00Z'),
    );
    const [first = [], second = []] = today.toSorted((one, other) => total(other, 'prompt_tokens') - total(one, 'prompt_tokens'));
    expect(first[0]).toMatchObject({ session_name: 'Find out why the nightly export is slow', client: 'claude-code' });
    expect(first.filter(({ session_path: place }) => place === '/agent').length).toBeGreaterThanOrEqual(64);
    expect(total(first, 'prompt_cache_read_tokens')).toBe(0);
    expect(total(first, 'prompt_tokens')).toBeGreaterThan(20 * total(second, 'prompt_tokens'));
    const ordinary = [...sessions().values()].filter(
      (members) => members[0]?.session_name === first[0]?.session_name && members[0]?.session_id !== first[0]?.session_id,
    );
    expect(ordinary.length).toBeGreaterThan(3);
    for (const members of ordinary) expect(members.length).toBeLessThan(20);
  });

  test.each(['00:40', '04:00', '23:59'])('and at %s it is wholly of that day and over', (clock) => {
    const end = Date.parse(`2026-06-10T${clock}:00Z`);
    const all = demoRecords({ requests: 300, seed: 1, now: end }).filter(({ session_path: place }) => place === '/agent');
    const runaway = all.filter(({ request_body: body }) => JSON.stringify(body).includes('The time is '));
    expect(runaway.length).toBeGreaterThanOrEqual(64);
    expect(Date.parse(runaway[0]?.request_created_at ?? '')).toBeGreaterThanOrEqual(Date.parse('2026-06-10T00:00:00Z'));
    expect(JSON.stringify(runaway.at(-1)?.response_body)).toContain('No size of batch');
  });

  test('ordinary sessions read most of their input from the cache of the provider', () => {
    const [share = 0] = [...sessions().values()]
      .filter((members) => members[0]?.client === 'claude-code' && members.length > 8 && members.length < 40)
      .map((members) => total(members, 'prompt_cache_read_tokens') / total(members, 'prompt_tokens'))
      .toSorted((one, other) => one - other);
    expect(share).toBeGreaterThan(0.6);
  });

  test('a prompt has two versions, of which the second sends much more', () => {
    const versions = grouped();
    const mean = (version: string): number => {
      const of = versions.get(version)?.filter(isModelCall) ?? [];
      return total(of, 'prompt_tokens') / of.length;
    };
    expect(mean('4')).toBeGreaterThan(3 * mean('3'));
    expect(
      records.every(({ prompt_id: id, prompt_version: version }) => id === undefined || (id === 'support-answer' && version !== undefined)),
    ).toBe(true);
  });

  test('failures are of several kinds', () => {
    const all = demoRecords({ requests: 15_000, seed: 1, now });
    const kinds = new Set(
      all.map(({ failure, response_status: status }) => `${failure?.kind ?? ''} ${status ?? ''} ${failure?.type ?? ''}`.trim()),
    );
    for (const kind of [
      'status 429 rate_limit_error',
      'status 500 server_error',
      'reply 200 overloaded_error',
      'stream 502',
      'refused 429 rate_limited',
      'no_reply 0',
    ]) {
      expect(kinds).toContain(kind);
    }
  });

  test('clients, teams, answers from the cache, ratings, scores and a model without a price', () => {
    expect(new Set(records.map(({ client }) => client))).toEqual(
      new Set(['claude-code', 'codex', 'ai-sdk', 'openai-node', 'google-genai']),
    );
    expect(new Set(records.map(({ properties }) => properties?.['Team']))).toEqual(new Set(['support', 'search', 'platform', 'finance']));
    expect(records.some(({ model }) => model === 'acme-rerank-7b')).toBe(true);
    expect(records.some(({ feedback_rating: rating }) => rating === false)).toBe(true);
    expect(records.some(({ scores }) => scores?.['helpfulness'] !== undefined)).toBe(true);
    const hits = records.filter(({ cached }) => cached === true);
    expect(hits.length).toBeGreaterThan(100);
    const ids = new Map(records.map((record) => [record.request_id, record]));
    for (const hit of hits) {
      const source = ids.get(hit.cache_reference_id ?? '');
      expect(source?.request_body).toEqual(hit.request_body);
      expect((source?.request_created_at ?? '') <= hit.request_created_at).toBe(true);
    }
  });
});

function grouped(): Map<string | null | undefined, ImportRecord[]> {
  const groups = new Map<string | null | undefined, ImportRecord[]>();
  for (const record of records) groups.set(record.prompt_version, [...(groups.get(record.prompt_version) ?? []), record]);
  return groups;
}
