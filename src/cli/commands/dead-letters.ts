import { printable, textTable } from '../../config/text-table.ts';
import {
  type DeadLetterAnswer,
  deadLetterAnswerSchema,
  type DeadLetterItem,
  deadLetterListAnswerSchema,
  deadLetterReplayAnswerSchema,
  maxReplayed,
} from '../../contract/operator.ts';
import type { CommandContext } from '../base/dependencies.ts';
import { CommandError } from '../base/dependencies.ts';
import { type OperatorClient, operatorClient } from '../base/operator-client.ts';
import { jsonText } from '../base/json.ts';

export interface DeadLettersListOptions {
  readonly after?: string;
  readonly limit: string;
  /** Filters by a text in the reason. */
  readonly reason?: string;
  readonly json?: true;
}

const shownReason = 100;
const header = ['ID', 'REQUESTED', 'KEPT', 'ORGANISATION', 'REQUEST', 'BYTES', 'REASON'];

/** `gatelog dead-letters list`: a page, the latest requests first. */
export async function listDeadLetters(context: CommandContext, { after, limit, reason, json }: DeadLettersListOptions): Promise<void> {
  const page = await operatorClient(context).ask(
    { method: 'GET', path: '/dead-letters', parameters: { after, limit, reason } },
    deadLetterListAnswerSchema,
  );
  if (json === true) context.print(jsonText(page, 2));
  else if (page.letters.length > 0) context.print(textTable([header, ...page.letters.map(rowOf)]));
  if (page.total === 0) context.hint('There are no dead letters: everything that was recorded could be stored.');
  if (page.next !== null) context.hint(`There are ${page.total} in all; go on with: gatelog dead-letters list --after ${page.next}`);
}

function rowOf({ id, requested_at: requestedAt, at, reason, bytes, ...ids }: DeadLetterItem): readonly string[] {
  const short = reason.length > shownReason ? `${reason.slice(0, shownReason)}…` : reason;
  return [id, requestedAt ?? 'unknown', at, ids.organization_id, ids.request_id, String(bytes), short];
}

export interface DeadLettersShowOptions {
  readonly bodies?: true;
  readonly json?: true;
}

/** `gatelog dead-letters show`: one letter. Bodies are customers' data and come only on request. */
export async function showDeadLetter(context: CommandContext, id: string, { bodies, json }: DeadLettersShowOptions): Promise<void> {
  const letter = await operatorClient(context).ask(
    { method: 'GET', path: `/dead-letters/${encodeURIComponent(id)}`, parameters: { bodies: bodies === true ? 'true' : undefined } },
    deadLetterAnswerSchema,
  );
  context.print(json === true ? jsonText(letter, 2) : textOf(letter));
}

function textOf({ frames, changes, ...letter }: DeadLetterAnswer): string {
  const facts = [
    ['Letter', letter.id],
    ['Reason', letter.reason],
    ['Organisation', letter.organization_id],
    ['Request', letter.request_id],
    ['Requested', letter.requested_at ?? 'unknown'],
    ['Kept', letter.at],
  ];
  const parts = frames.map(({ kind, stamp_ms: stampMs, bytes, head, body }) =>
    [
      textTable([[kind, `at ${stampMs} ms`, bytes === null ? 'lost' : `${bytes} bytes`]]),
      ...(head === null || head === undefined ? [] : [indented(jsonText(head, 2))]),
      ...(body === null ? [] : [indented(body)]),
    ].join('\n'),
  );
  const rows = changes.map(({ kind, key_id: keyId, accepted_at: at, names }) => [at, kind, keyId, names.join(', ')]);
  const changed = rows.length === 0 ? [] : [textTable([['CHANGED', 'KIND', 'KEY', 'NAMES'], ...rows])];
  return [textTable(facts), ...parts, ...changed].join('\n\n');
}

function indented(text: string): string {
  const lines = text.split('\n').map((line) => `  ${printable(line)}`);
  return lines.join('\n');
}

export interface DeadLettersReplayOptions {
  readonly all?: true;
  readonly reason?: string;
}

/** `gatelog dead-letters replay`: sends letters through the ingest again. @throws CommandError when any has failed again. */
export async function replayDeadLetters(context: CommandContext, ids: readonly string[], options: DeadLettersReplayOptions): Promise<void> {
  const client = operatorClient(context);
  if (ids.length === 0 && options.all !== true) throw new CommandError('Name the letters to replay, or write --all.');
  const counts = { stored: 0, waiting: 0, unknown: 0, failed: 0 };
  for await (const some of options.all === true ? allIds(client, options.reason) : chunksOf(ids)) {
    const outcomes = await client.ask({ method: 'POST', path: '/dead-letters/replay', body: { ids: some } }, deadLetterReplayAnswerSchema);
    for (const { id, outcome, reason } of outcomes) {
      counts[outcome] += 1;
      if (outcome === 'failed') context.print(textTable([[id, reason ?? '']]));
      if (outcome === 'unknown') context.print(textTable([[id, 'there is no such letter']]));
    }
  }
  context.hint(
    `${counts.stored} stored, ${counts.failed} failed again and stay${counts.waiting === 0 ? '' : `, ${counts.waiting} wait for the ingest`}.`,
  );
  if (counts.failed + counts.unknown > 0) {
    throw new CommandError('Not every letter could be replayed; "gatelog dead-letters show ID" tells more.');
  }
}

/** The ids of all letters in the order of the list, a page at a time. Letters that stay are not visited again. */
async function* allIds(client: OperatorClient, reason: string | undefined): AsyncGenerator<readonly string[]> {
  let after: string | undefined;
  do {
    const page = await client.ask(
      { method: 'GET', path: '/dead-letters', parameters: { after, limit: maxReplayed, reason } },
      deadLetterListAnswerSchema,
    );
    if (page.letters.length > 0) yield page.letters.map(({ id }) => id);
    after = page.next ?? undefined;
  } while (after !== undefined);
}

function* chunksOf(ids: readonly string[]): Generator<readonly string[]> {
  for (let start = 0; start < ids.length; start += maxReplayed) yield ids.slice(start, start + maxReplayed);
}
