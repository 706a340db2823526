import { frameKinds, type ExchangeEnd, type ImportMetadata, type ImportedOpen } from '../../model/record/exchange.ts';
import type { Principal } from '../../model/principal.ts';
import { maxPayloadBytes } from '../../spool/frame.ts';
import type { UnsplitFrame } from '../../spool/import-series.ts';
import type { LineFields } from './read-item.ts';

const lineFeed = Buffer.from('\n');

/** A checked line as it came, and what tells its record apart. */
export interface AcceptedLine extends LineFields {
  readonly line: Buffer;
}

/** The frames of an item: it lies in the spool like an exchange whose request body is the line. @param stream its number in the series. */
export function framesOfItem(accepted: AcceptedLine, owner: Principal, imported: ImportMetadata, stream: number): UnsplitFrame[] {
  const { line } = accepted;
  const open = Buffer.from(JSON.stringify(openOf(accepted, owner, imported)));
  const end: ExchangeEnd = {
    outcome: 'complete',
    // What waits for the store is as old as its import.
    elapsedMs: imported.at - accepted.createdAt,
    overheadMs: 0,
    requestBytes: line.length,
    responseBytes: 0,
  };
  const frame = (kind: number, payload: Buffer): UnsplitFrame => ({ kind, stamp: 0, stream, payload });
  return [...beginning(open, line, frame), frame(frameKinds.end, Buffer.from(JSON.stringify(end)))];
}

function beginning(open: Buffer, line: Buffer, frame: (kind: number, payload: Buffer) => UnsplitFrame): UnsplitFrame[] {
  // A frame of the longest length means that more follows.
  if (open.length + lineFeed.length + line.length < maxPayloadBytes) {
    return [frame(frameKinds.opened, Buffer.concat([open, lineFeed, line]))];
  }
  const frames = [frame(frameKinds.open, open)];
  for (let at = 0; at < line.length; at += maxPayloadBytes) {
    frames.push(frame(frameKinds.requestPart, line.subarray(at, at + maxPayloadBytes)));
  }
  return frames;
}

function openOf(
  { requestId, createdAt, userId, sessionId }: AcceptedLine,
  { organizationId, keyHash }: Principal,
  imported: ImportMetadata,
): ImportedOpen {
  return {
    version: 1,
    requestId,
    organizationId,
    keyHash,
    openedAt: createdAt,
    method: '',
    path: '',
    provider: 'custom',
    targetUrl: '',
    headers: {},
    tags: { properties: [], userId, sessionId },
    imported,
  };
}
