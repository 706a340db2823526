import { createGunzip } from 'node:zlib';
import { PassThrough, pipeline, Readable } from 'node:stream';
import type { Context } from 'hono';
import { GatelogError } from '../../model/errors.ts';
import { type Line, LineSplitter } from '../../platform/lines/line-splitter.ts';

export interface LineBounds {
  /** Bytes of one line. */
  readonly maxLineBytes: number;
  /** Lines and bytes of one group; a longer line is a group of its own. */
  readonly groupLines: number;
  readonly groupBytes: number;
}

/**
 * Reads a body of lines in groups, as fast as they are taken, so that a body of any size passes through bounded memory. Blank lines are
 * counted and left out. @throws GatelogError 415 for another content coding, 400 for a body that cannot be decoded.
 */
export async function* readLines(context: Context, bounds: LineBounds): AsyncGenerator<readonly Line[], void> {
  const splitter = new LineSplitter(bounds.maxLineBytes);
  let group: Line[] = [];
  let bytes = 0;
  for await (const chunk of decodedBody(context)) {
    for (const line of splitter.take(chunk as Buffer)) {
      group.push(line);
      bytes += line.bytes.length;
      if (group.length < bounds.groupLines && bytes < bounds.groupBytes) continue;
      yield group;
      group = [];
      bytes = 0;
    }
  }
  group.push(...splitter.end());
  if (group.length > 0) yield group;
}

function decodedBody(context: Context): Readable {
  const { body } = context.req.raw;
  const coding = (context.req.header('Content-Encoding') ?? 'identity').trim().toLowerCase();
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
