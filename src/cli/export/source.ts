import { setTimeout as wait } from 'node:timers/promises';
import { makeBackoff } from '../../platform/backoff.ts';
import type { Export, ExportStream, GatelogClient } from '../../client/client.ts';
import { AwayError } from '../base/dependencies.ts';
import { isAway, sentenceOf } from '../base/failure.ts';

/** A whole line of an export, without its column `cursor`. */
export interface ReceivedLine {
  readonly bytes: Buffer;
  /** `<request_created_at>,<request_id>`. */
  readonly cursor: string;
}

/** What the service says before the first line. */
export interface ExportFacts {
  /** ISO 8601; null: from the first record on. */
  readonly start: string | null;
  readonly end: string;
  /** Undefined when it was not counted. */
  readonly total: number | undefined;
  /** What the service says about the window. */
  readonly warning: string | null;
}

/** An export whose window is fixed by its first answer. */
export type ExportQuery = Omit<Export, 'cursor' | 'endDate'> & { readonly endDate?: string | undefined };

export interface LineSource {
  readonly client: GatelogClient;
  /** The body of the export; its first column is `cursor`. */
  readonly query: ExportQuery;
  /** Behind it the export goes on. */
  readonly cursor: string | undefined;
  readonly onFacts: (facts: ExportFacts) => void;
  /** The service was away, and is asked again. */
  readonly onAway: (reason: string) => void;
  readonly now: () => number;
}

/** How long the service may be away, without a record meanwhile. */
const maxAwayMs = 180_000;
const retry = { firstMs: 250, maxMs: 5000 } as const;

/**
 * The lines of an export. When the connection breaks, or the service is away for a while, it goes on behind the last whole line, within the
 * same window. @throws CommandError.
 */
export async function* receivedLines({ client, query, cursor, onFacts, onAway, now }: LineSource): AsyncGenerator<readonly ReceivedLine[]> {
  const backoff = makeBackoff(retry.firstMs, retry.maxMs);
  let last = cursor;
  let { endDate } = query;
  let goodAt = now();
  // An export that goes on has reached this address before.
  let hasAnswered = cursor !== undefined;
  for (;;) {
    try {
      const answer = await client.exports.open({ ...query, endDate, cursor: last }, { includeCount: true });
      const facts = factsOf(answer);
      hasAnswered = true;
      endDate = facts.end;
      onFacts(facts);
      for await (const lines of wholeLines(answer.pieces())) {
        const received = lines.map((line) => ({ bytes: withoutCursor(line), cursor: cursorOf(line) }));
        last = received.at(-1)?.cursor;
        goodAt = now();
        backoff.reset();
        yield received;
      }
      return;
    } catch (error) {
      if (!isAway(error) || !hasAnswered || now() - goodAt > maxAwayMs) throw error;
      onAway(sentenceOf(error));
      await wait(backoff.nextDelayMs());
    }
  }
}

function factsOf({ start, end, totalCount, warning }: ExportStream): ExportFacts {
  if (end === undefined) throw new AwayError('The answer does not say where the export ends: is this the API of an older version?');
  return { start: start ?? null, end, total: totalCount, warning: warning ?? null };
}

const newline = 10;

/** @throws AwayError when the last line has no end. */
async function* wholeLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<readonly Buffer[]> {
  let begun: Buffer[] = [];
  for await (const piece of body) {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    const lines: Buffer[] = [];
    let at = 0;
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, at)) {
      const line = bytes.subarray(at, end + 1);
      lines.push(begun.length === 0 ? line : Buffer.concat([...begun, line]));
      begun = [];
      at = end + 1;
    }
    if (at < bytes.length) begun.push(bytes.subarray(at));
    if (lines.length > 0) yield lines;
  }
  if (begun.length > 0) throw new AwayError('The answer ended in the middle of a record.');
}

const cursorBegin = Buffer.from('{"cursor":"');

function cursorOf(line: Buffer): string {
  return line.toString('latin1', cursorBegin.length, cursorEnd(line));
}

function withoutCursor(line: Buffer): Buffer {
  // Behind the cursor: its quotation mark and the comma, which becomes the brace.
  const rest = Buffer.from(line.subarray(cursorEnd(line) + 1));
  rest[0] = '{'.charCodeAt(0);
  return rest;
}

function cursorEnd(line: Buffer): number {
  const end = line.indexOf('"', cursorBegin.length);
  if (end === -1 || !line.subarray(0, cursorBegin.length).equals(cursorBegin)) {
    throw new AwayError('The answer holds a line that is no record of an export.');
  }
  return end;
}
