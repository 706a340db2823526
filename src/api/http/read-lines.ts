import { createGunzip } from 'node:zlib';
import { PassThrough, pipeline, Readable } from 'node:stream';
import type { Context } from 'hono';
import { GatelogError } from '../../model/errors.ts';
import { type Line, LineSplitter } from '../../platform/lines/line-splitter.ts';
import { announcedBytes } from './body-limit.ts';
import type { CallMemory } from './response-memory.ts';

export interface LineBounds {
  /** Bytes of one line. */
  readonly maxLineBytes: number;
  /** Lines and bytes of one group; a longer line is a group of its own. */
  readonly groupLines: number;
  readonly groupBytes: number;
  readonly memory: CallMemory;
  /** Resolves once there is room for a line that is longer than a group. Absent: always. */
  readonly whenLongLineFits?: () => Promise<void>;
}

/**
 * Reads a body of lines in groups, as fast as they are taken, so that a body of any size passes through bounded memory. Blank lines are
 * counted and left out. @throws GatelogError 415 for another content coding, 400 for a body that cannot be decoded, 503 when the organisation
 * sends more at once than there is memory for.
 */
export async function* readLines(context: Context, bounds: LineBounds): AsyncGenerator<readonly Line[], void> {
  const { memory } = bounds;
  const splitter = new LineSplitter(bounds.maxLineBytes);
  let group: Line[] = [];
  let bytes = 0;
  const body = decodedBody(context);
  await memory.takeBody(Math.min(heldBytes(context) ?? bounds.groupBytes, bounds.groupBytes));
  for await (const chunk of body) {
    if (splitter.heldBytes > bounds.groupBytes && (await memory.takeLongLine())) await bounds.whenLongLineFits?.();
    for (const line of splitter.take(chunk as Buffer)) {
      group.push(line);
      bytes += line.bytes.length;
      if (group.length < bounds.groupLines && bytes < bounds.groupBytes) continue;
      yield group;
      group = [];
      bytes = 0;
      memory.releaseLongLine();
    }
  }
  group.push(...splitter.end());
  if (group.length > 0) yield group;
}

/** Bytes of the body when decoded; undefined: not known. */
function heldBytes(context: Context): number | undefined {
  return codingOf(context) === 'identity' ? announcedBytes(context) : undefined;
}

function codingOf(context: Context): string {
  return (context.req.header('Content-Encoding') ?? 'identity').trim().toLowerCase();
}

function decodedBody(context: Context): Readable {
  const { body } = context.req.raw;
  const coding = codingOf(context);
  if (!['identity', 'gzip', 'x-gzip'].includes(coding)) {
    throw new GatelogError('unsupported_media_type', 'The body has a content coding other than gzip; send it with gzip or without one.');
  }
  const sent = body === null ? Readable.from([]) : Readable.fromWeb(body);
  if (coding === 'identity') return sent;
  const gunzip = createGunzip();
  gunzip.once('error', (cause) => decoded.destroy(undecodable(cause)));
  const decoded = new PassThrough();
  pipeline(sent, gunzip, decoded, () => undefined);
  return decoded;
}

function undecodable(cause: Error): GatelogError {
  return new GatelogError('malformed_request', 'The body cannot be decompressed as gzip. Lines before the fault may be imported already.', {
    cause,
  });
}
