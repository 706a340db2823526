import { type RequestId, uuidToNumber } from '../../src/model/ids.ts';
import { commonWord, rareWord, tenant } from './records.ts';

/** A question as a query of the API, and as the best SQL that we could write by hand for the same store. */
export interface Question {
  readonly name: string;
  /** Aim for the 95th percentile, milliseconds; null where none is set. */
  readonly aimMs: number | null;
  /** Draws the next call. */
  readonly draw: (random: () => number, ids: readonly RequestId[]) => QueryCall;
}

/** One call. */
export interface QueryCall {
  readonly body: { readonly filter: unknown; readonly limit: number };
  /** Condition over `requests` after the tenant's. */
  readonly handWritten: string;
}

const rmt = (field: string, operators: unknown): unknown => ({ request_response_rmt: { [field]: operators } });
const and = (left: unknown, right: unknown): unknown => ({ left, operator: 'and', right });
const or = (left: unknown, right: unknown): unknown => ({ left, operator: 'or', right });
const team = (random: () => number): string => `team-${Math.floor(random() * 50)}`;
const org = `toUInt128('${uuidToNumber(tenant)}')`;

function bodyLike(word: string): string {
  return `(created_at, request_id) IN (SELECT created_at, request_id FROM hand_bodies WHERE org_id = ${org} AND request_kind != 'binary' AND lowerUTF8(request_body) LIKE '%${word}%')`;
}

/** The most common questions. */
export const questions: readonly Question[] = [
  { name: 'newest 10', aimMs: 20, draw: () => ({ body: { filter: {}, limit: 10 }, handWritten: '1' }) },
  {
    name: 'page of a property, 25',
    aimMs: 20,
    draw: (random) => {
      const value = team(random);
      return {
        body: { filter: rmt('properties', { Team: { equals: value } }), limit: 25 },
        handWritten: `properties['Team'] = '${value}'`,
      };
    },
  },
  {
    name: 'three nested conditions, 25',
    aimMs: 40,
    draw: (random) => {
      const value = team(random);
      const failed = or(rmt('status', { gte: 400 }), rmt('latency', { gt: 15_000 }));
      return {
        body: { filter: and(rmt('properties', { Team: { equals: value } }), failed), limit: 25 },
        handWritten: `properties['Team'] = '${value}' AND (status >= 400 OR latency > 15000)`,
      };
    },
  },
  {
    name: 'request_id equals',
    aimMs: 15,
    draw: (random, ids) => {
      const id = ids[Math.floor(random() * ids.length)] as RequestId;
      const ms = Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
      return {
        body: { filter: rmt('request_id', { equals: id }), limit: 10 },
        handWritten: `created_at = fromUnixTimestamp64Milli(${ms}, 'UTC') AND request_id = toUInt128('${uuidToNumber(id)}')`,
      };
    },
  },
  {
    name: 'body: rare word, 10',
    aimMs: 40,
    draw: () => ({ body: { filter: rmt('request_body', { contains: rareWord }), limit: 10 }, handWritten: bodyLike(rareWord) }),
  },
  {
    name: 'body: word in one of four, 10',
    aimMs: null,
    draw: () => ({ body: { filter: rmt('request_body', { contains: commonWord }), limit: 10 }, handWritten: bodyLike(commonWord) }),
  },
];
