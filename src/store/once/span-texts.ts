import { waitingTexts } from '../../model/change.ts';
import { type OrganizationId, type RequestId, timeOfUuid, uuidOfHex, uuidToNumber } from '../../model/ids.ts';
import { deleteRows } from '../../sql/commands.ts';
import { select } from '../../sql/query.ts';
import { param, sql } from '../../sql/sql.ts';
import { compileFor } from '../../sql/statement.ts';
import { tenantRows } from '../../sql/tables.ts';
import { dateTimes } from '../../sql/time.ts';
import { keepWordsOfOthers } from '../parts/keep-words.ts';
import { removalSettings, removeRows } from '../parts/remove-rows.ts';
import type { Connections } from '../engine/connections.ts';
import { readRows } from '../engine/statements.ts';
import { type BodiesRecord, bodiesRow } from '../insert/rows.ts';
import { makeInsertRows } from '../insert/insert.ts';
import { removeFrom } from './absorb.ts';
import type { StoredName } from './stored-name.ts';

/** Texts that wait for the request of their span, without the texts. */
export interface WaitingTexts {
  readonly requestId: RequestId;
  readonly name: string;
  readonly bytes: number;
}

export interface ReadTexts extends Omit<WaitingTexts, 'bytes'> {
  readonly keyId: string;
  /** Unix milliseconds at which it was said, with a fraction. */
  readonly saidAt: number;
  /** Parts of the bodies, as JSON; empty: none. */
  readonly request: string;
  readonly response: string;
}

/** The bodies of a stored record. */
export interface StoredBodies {
  readonly requestId: RequestId;
  readonly createdAt: number;
  readonly bodyGroup: bigint;
  readonly requestKind: string;
  readonly request: string;
  readonly responseKind: string;
  readonly response: string;
  /** Names this row among others of the record. */
  readonly content: string;
}

export interface ReplacedBodies {
  readonly rows: readonly Omit<BodiesRecord, 'organizationId'>[];
  /** Rows that they replace. */
  readonly stale: readonly StoredBodies[];
  /** Of the rows: the same for the same ones. */
  readonly token: string;
  readonly searchMaxBytes: number | undefined;
}

/** What log records tell of spans. All throw GatelogError when the store fails; repeating any changes nothing. */
export interface SpanTextsRows {
  /** All of an organisation, the oldest first. */
  readonly list: (organizationId: OrganizationId) => Promise<readonly WaitingTexts[]>;
  readonly read: (organizationId: OrganizationId, ids: readonly RequestId[]) => Promise<readonly ReadTexts[]>;
  readonly remove: (organizationId: OrganizationId, ids: readonly RequestId[], signal: AbortSignal) => Promise<void>;
  /** One that was being replaced has two rows. */
  readonly readBodies: (organizationId: OrganizationId, records: readonly StoredName[]) => Promise<readonly StoredBodies[]>;
  readonly replaceBodies: (organizationId: OrganizationId, replaced: ReplacedBodies, signal: AbortSignal) => Promise<void>;
}

const maxListed = 100_000;
const nanosecondsPerMs = 1e6;

const content = sql`toString(cityHash64(request_body, request_rest, response_body, response_rest))`;

export function makeSpanTexts(connections: Connections): SpanTextsRows {
  const waits = sql`kind = ${param(waitingTexts, 'String', 'kind')}`;
  return {
    list: async (organizationId) => {
      const columns = sql`hex(request_id) AS id_hex, name, length(old) + length(new) AS bytes`;
      const query = select({ columns, from: tenantRows('changes', [waits]), orderBy: sql`changed_at, request_id`, limit: maxListed });
      const rows = await readRows<{ readonly id_hex: string; readonly name: string; readonly bytes: string | number }>(
        connections,
        'insert',
        compileFor(organizationId, query),
      );
      return rows.map(({ id_hex: id, name, bytes }) => ({ requestId: idOf(id), name, bytes: Number(bytes) }));
    },
    read: async (organizationId, ids) => {
      const columns = sql`hex(request_id) AS id_hex, name, key_id, toString(number) AS nanoseconds, old, new`;
      const query = select({ columns, from: tenantRows('changes', [waits, named(ids)]) });
      const rows = await readRows<Readonly<Record<'id_hex' | 'name' | 'key_id' | 'nanoseconds' | 'old' | 'new', string>>>(
        connections,
        'insert',
        compileFor(organizationId, query),
      );
      const byId = new Map(rows.map((row) => [row.id_hex, row]));
      return [...byId.values()].map(readTexts).toSorted((one, other) => one.saidAt - other.saidAt);
    },
    remove: (organizationId, ids, signal) =>
      removeFrom(
        { connections, signal },
        organizationId,
        'changes',
        ids.map((requestId) => ({ requestId, createdAt: 0 })),
      ),
    readBodies: async (organizationId, records) => {
      const rowCondition = sql`created_at IN ${dateTimes(records.map(({ createdAt }) => createdAt))}`;
      const columns = sql`hex(request_id) AS id_hex, toUnixTimestamp64Milli(created_at) AS created_ms, toString(body_group) AS group_text,
        request_kind, concat(request_body, request_rest) AS request, response_kind, concat(response_body, response_rest) AS response,
        ${content} AS content`;
      const query = select({ columns, from: tenantRows('bodies', [rowCondition, named(records.map(({ requestId }) => requestId))]) });
      const rows = await readRows<Readonly<Record<string, string>>>(connections, 'insert', compileFor(organizationId, query));
      return rows.map(storedBodies);
    },
    replaceBodies: makeReplaceBodies(connections),
  };
}

function makeReplaceBodies(connections: Connections): SpanTextsRows['replaceBodies'] {
  const insert = makeInsertRows(connections);
  const replace: SpanTextsRows['replaceBodies'] = async (organizationId, { rows, stale, token, searchMaxBytes }, signal) => {
    await insert(
      'bodies',
      rows.map((row) => bodiesRow({ ...row, organizationId }, { searchMaxBytes })),
      token,
    );
    if (stale.length === 0) return;
    const contents = param(
      stale.map((row) => row.content),
      'Array(String)',
      'contents',
    );
    const isOld = sql`${named(stale.map(({ requestId }) => requestId))} AND ${content} IN ${contents}`;
    const old = tenantRows('bodies', isOld);
    await keepWordsOfOthers({ connections, signal }, organizationId, isOld);
    await removeRows(
      { connections, signal },
      'bodies',
      compileFor(organizationId, deleteRows(old, { by: 'hiding', settings: removalSettings })),
    );
  };
  return async (organizationId, replaced, signal) => {
    const { rewritten } = connections.bodies;
    const times = replaced.rows.map(({ createdAt }) => createdAt);
    rewritten.note(times);
    try {
      await replace(organizationId, replaced, signal);
    } finally {
      rewritten.note(times);
    }
  };
}

function named(ids: readonly RequestId[]) {
  return sql`request_id IN ${param(ids.map(uuidToNumber), 'Array(UInt128)', 'requests')}`;
}

function readTexts(row: Readonly<Record<'id_hex' | 'name' | 'key_id' | 'nanoseconds' | 'old' | 'new', string>>): ReadTexts {
  const requestId = idOf(row.id_hex);
  return {
    requestId,
    name: row.name,
    keyId: row.key_id,
    saidAt: (timeOfUuid(requestId) ?? 0) + Number(row.nanoseconds) / nanosecondsPerMs,
    request: JSON.parse(row.old) as string,
    response: JSON.parse(row.new) as string,
  };
}

function idOf(hex: string): RequestId {
  return uuidOfHex(hex.toLowerCase().padStart(32, '0'));
}

function storedBodies(row: Readonly<Record<string, string>>): StoredBodies {
  const text = (name: string): string => row[name] ?? '';
  return {
    requestId: idOf(text('id_hex')),
    createdAt: Number(text('created_ms')),
    bodyGroup: BigInt(text('group_text')),
    requestKind: text('request_kind'),
    request: text('request'),
    responseKind: text('response_kind'),
    response: text('response'),
    content: text('content'),
  };
}
