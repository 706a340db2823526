import { setTimeout as wait } from 'node:timers/promises';
import { and, between, type Filter, type GatelogClient, or, where } from '../../client/client.ts';
import type { JsonObject } from '../../model/text.ts';
import { LineSender } from '../import/send.ts';
import { isAway, sentenceOf } from '../base/failure.ts';
import type { ArrivalSpan, Destination, SendOutcome } from './destination.ts';

export interface DestinationOptions {
  readonly client: GatelogClient;
  /** Lines are compressed on their way. */
  readonly isCompressed: boolean;
  readonly name: string;
  /** Called before each wait for the service. */
  readonly onAway: (reason: string) => void;
}

/** The running service of Gatelog, with the key of one organisation. */
export function apiDestination({ client, isCompressed, name, onAway }: DestinationOptions): Destination {
  const senders = {
    real: new LineSender(client, { dryRun: false, isCompressed, onAway }),
    trial: new LineSender(client, { dryRun: true, isCompressed, onAway }),
  };
  return {
    name,
    check: async () => {
      await client.requests.query({ filter: 'all', limit: 0, includeBodies: false });
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
      if (!isAway(error) || performance.now() > endsAt) throw error;
      onAway(sentenceOf(error));
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

async function find(client: GatelogClient, ids: readonly string[], span: ArrivalSpan | null): Promise<ReadonlyMap<string, JsonObject>> {
  const found = new Map<string, JsonObject>();
  for (let start = 0; start < ids.length; start += maxIds) {
    const part = ids.slice(start, start + maxIds);
    for (const item of await query(client, part, span)) found.set(String(item['request_id']), item);
  }
  return found;
}

async function query(client: GatelogClient, ids: readonly string[], span: ArrivalSpan | null): Promise<readonly JsonObject[]> {
  const { data } = await client.requests.query({ filter: filterOf(ids, span), limit: ids.length, includeBodies: false });
  return data.map((item) => ({ ...item }));
}

function filterOf([first = '', ...others]: readonly string[], span: ArrivalSpan | null): Filter {
  const named = or(isOf(first), ...others.map(isOf));
  return and(span !== null && between('request_created_at', new Date(span.fromMs), new Date(span.toMs)), named);
}

function isOf(id: string): Filter {
  return where('request_id', 'equals', id);
}
