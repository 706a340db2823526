import { setTimeout as wait } from 'node:timers/promises';
import { isJsonObject, type JsonObject } from '../../model/text.ts';
import { AwayError, type ServiceClient } from '../client.ts';
import { LineSender } from '../import/send.ts';
import type { ArrivalSpan, Destination, SendOutcome } from './destination.ts';

export interface DestinationOptions {
  readonly client: ServiceClient;
  readonly name: string;
  /** Called before each wait for the service. */
  readonly onAway: (reason: string) => void;
}

/** The running service of Gatelog, with the key of one organisation. */
export function apiDestination({ client, name, onAway }: DestinationOptions): Destination {
  const senders = {
    real: new LineSender(client, { dryRun: false, onAway }),
    trial: new LineSender(client, { dryRun: true, onAway }),
  };
  return {
    name,
    check: async () => {
      await client.post('/v1/request/query-clickhouse', { filter: 'all', limit: 0, includeBodies: false }, listAnswer);
    },
    send: (lines, isDryRun) => whileAway(() => send(isDryRun ? senders.trial : senders.real, lines), onAway),
    find: (ids, span) => whileAway(() => find(client, ids, span), onAway),
  };
}

/** How long the service may be away: a restart after a kill. */
const maxAwayMs = 300_000;
const retryMs = 1_000;

async function whileAway<T>(ask: () => Promise<T>, onAway: (reason: string) => void): Promise<T> {
  const endsAt = performance.now() + maxAwayMs;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof AwayError) || performance.now() > endsAt) throw error;
      onAway(error.message);
      await wait(retryMs);
    }
  }
}

async function send(sender: LineSender, lines: readonly string[]): Promise<SendOutcome> {
  const { imported, already_there: already, rejections } = await sender.send(lines.map((line) => Buffer.from(line)));
  return { imported, already, rejected: new Map(rejections.map(({ line, reason }) => [line - 1, reason])) };
}

/** Requests of one query. */
const maxIds = 500;
const listAnswer = {
  parse: (answer: unknown): readonly JsonObject[] => {
    const data = isJsonObject(answer) ? answer['data'] : undefined;
    return Array.isArray(data) ? data.filter(isJsonObject) : [];
  },
};

async function find(client: ServiceClient, ids: readonly string[], span: ArrivalSpan | null): Promise<ReadonlyMap<string, JsonObject>> {
  const found = new Map<string, JsonObject>();
  for (let start = 0; start < ids.length; start += maxIds) {
    const part = ids.slice(start, start + maxIds);
    for (const item of await query(client, part, span)) found.set(String(item['request_id']), item);
  }
  return found;
}

function query(client: ServiceClient, ids: readonly string[], span: ArrivalSpan | null): Promise<readonly JsonObject[]> {
  const named = anyOf(ids.map((id) => leaf('request_id', 'equals', id)));
  const filter = span === null ? named : both('and', both('and', timeLeaf('gte', span.fromMs), timeLeaf('lte', span.toMs)), named);
  return client.post('/v1/request/query-clickhouse', { filter, limit: ids.length, includeBodies: false }, listAnswer);
}

function timeLeaf(operator: 'gte' | 'lte', ms: number): object {
  return leaf('request_created_at', operator, new Date(ms).toISOString());
}

function leaf(field: string, operator: string, value: string): object {
  return { request_response_rmt: { [field]: { [operator]: value } } };
}

function both(operator: 'and' | 'or', left: object, right: object): object {
  return { left, operator, right };
}

/** A balanced tree, as the depth of a filter is bounded. */
function anyOf(leaves: readonly object[]): object {
  const [only] = leaves;
  if (leaves.length === 1 && only !== undefined) return only;
  const middle = Math.ceil(leaves.length / 2);
  return both('or', anyOf(leaves.slice(0, middle)), anyOf(leaves.slice(middle)));
}
