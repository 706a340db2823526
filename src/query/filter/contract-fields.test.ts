import { describe, expect, test } from 'vitest';
import { legacyDialect, requestDialect } from '../requests/query.ts';
import { parseFilter } from './parse.ts';

/** The contract's field tables, row by row: which operators each field takes, and that it takes no others. */

const families = {
  TEXT: ['equals', 'not-equals', 'like', 'ilike', 'contains', 'not-contains'],
  NUMBER: ['equals', 'not-equals', 'gte', 'lte', 'gt', 'lt'],
  TIMESTAMP: ['equals', 'gte', 'lte', 'gt', 'lt'],
  BOOL: ['equals'],
} as const;
type Family = keyof typeof families;

const every = [...new Set(Object.values<readonly string[]>(families).flat())];
const valueOf: Readonly<Record<Family, unknown>> = { TEXT: 'x', NUMBER: 1, TIMESTAMP: '2026-01-01T00:00:00Z', BOOL: true };
const wrong: Readonly<Record<Family, unknown>> = { TEXT: 1, NUMBER: 'one', TIMESTAMP: true, BOOL: 'true' };

type Row = readonly [group: string, field: string, family: Family];

const rowsOf = (group: string, fields: string, family: Family): Row[] => fields.split(', ').map((field) => [group, field, family]);

const rmt = 'request_response_rmt';
const sessions = 'sessions_request_response_rmt';

const table: readonly Row[] = [
  ...rowsOf(
    rmt,
    'country_code, provider, model, user_id, failure_type, client, client_version, organization_id, node_id, job_id, trace_id, span_id, request_id, target_url, scores_column, request_body, response_body, cache_reference_id, assets, prompt_id, prompt_version, request_referrer',
    'TEXT',
  ),
  ...rowsOf(
    rmt,
    'latency, cost, time_to_first_byte, time_to_first_token, status, prompt_tokens, completion_tokens, prompt_cache_read_tokens, prompt_cache_write_tokens, total_tokens',
    'NUMBER',
  ),
  ...rowsOf(rmt, 'request_created_at, response_created_at', 'TIMESTAMP'),
  ...rowsOf(rmt, 'failed, streamed, threat, cache_enabled, cached, svc-score-feedback, is_passthrough_billing', 'BOOL'),
  ...rowsOf(sessions, 'session_session_id, session_session_name, session_tag', 'TEXT'),
  ...rowsOf(
    sessions,
    'session_total_cost, session_total_tokens, session_prompt_tokens, session_completion_tokens, session_total_requests',
    'NUMBER',
  ),
  ...rowsOf(sessions, 'session_created_at, session_latest_request_created_at', 'TIMESTAMP'),
  ...rowsOf('response', 'body_tokens, status', 'NUMBER'),
  ...rowsOf('response', 'body_model, body_completion, model', 'TEXT'),
  ...rowsOf('request', 'prompt, user_id, auth_hash, org_id, id, node_id, model, modelOverride, path, country_code, prompt_id', 'TEXT'),
  ...rowsOf('request', 'created_at', 'TIMESTAMP'),
  ...rowsOf('feedback', 'id', 'NUMBER'),
  ...rowsOf('feedback', 'created_at', 'TIMESTAMP'),
  ...rowsOf('feedback', 'rating', 'BOOL'),
  ...rowsOf('feedback', 'response_id', 'TEXT'),
];

const isTaken = (filter: unknown): boolean => parseFilter(filter, requestDialect).ok;

describe('the contract lists', () => {
  test.each(table)('%s.%s as %s', (group, field, family) => {
    const taken = every.filter((operator) => isTaken({ [group]: { [field]: { [operator]: valueOf[family] } } }));
    expect(taken).toEqual(every.filter((operator) => (families[family] as readonly string[]).includes(operator)));
    for (const operator of families[family]) expect(isTaken({ [group]: { [field]: { [operator]: wrong[family] } } })).toBe(false);
  });

  const named: readonly (readonly [string, (inner: unknown) => unknown, Family])[] = [
    ['request_response_rmt.properties', (inner) => ({ [rmt]: { properties: { name: inner } } }), 'TEXT'],
    ['request_response_rmt.search_properties', (inner) => ({ [rmt]: { search_properties: { name: inner } } }), 'TEXT'],
    ['request_response_rmt.scores', (inner) => ({ [rmt]: { scores: { name: inner } } }), 'NUMBER'],
    ['session.properties', (inner) => ({ session: { properties: { name: inner } } }), 'TEXT'],
    ['values', (inner) => ({ values: { name: inner } }), 'TEXT'],
    ['properties', (inner) => ({ properties: { name: inner } }), 'TEXT'],
  ];

  test.each(named)('%s by name', (_, wrap, family) => {
    const taken = every.filter((operator) => isTaken(wrap({ [operator]: valueOf[family] })));
    expect(taken).toEqual(every.filter((operator) => (families[family] as readonly string[]).includes(operator)));
    expect(isTaken(wrap({ equals: wrong[family] }))).toBe(false);
  });

  test('request_response_rmt.property_key with equals only', () => {
    const taken = every.filter((operator) => isTaken({ [rmt]: { property_key: { [operator]: 'x' } } }));
    expect(taken).toEqual(['equals']);
  });

  test('no other field and no other wrapper', () => {
    for (const group of new Set(table.map(([name]) => name))) expect(isTaken({ [group]: { nonsense: { equals: 'x' } } })).toBe(false);
    expect(isTaken({ nonsense: { id: { equals: 'x' } } })).toBe(false);
  });

  test('the same for the legacy query', () => {
    for (const [group, field, family] of table) {
      expect(parseFilter({ [group]: { [field]: { equals: valueOf[family] } } }, legacyDialect).ok).toBe(true);
    }
  });
});
