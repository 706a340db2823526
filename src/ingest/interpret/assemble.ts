import {
  type EndOverrides,
  type Exchange,
  type ExchangeAnswer,
  type ExchangeEnd,
  type ExchangeOpen,
  type ExchangeResponseHead,
  frameKinds,
} from '../../model/record/exchange.ts';
import { parseUuid } from '../../model/ids.ts';
import { isJsonObject } from '../../model/text.ts';
import type { FrameLocation } from '../../spool/spool.ts';
import { withOverriddenBody } from './override-body.ts';

export interface PayloadFrame {
  readonly frame: Pick<FrameLocation, 'kind' | 'stamp'>;
  readonly payload: Buffer;
}

/**
 * Assembles an exchange from its frames, which are in order.
 * @throws when the frames do not begin with a readable `open` or `opened`.
 */
export function assembleExchange(frames: readonly PayloadFrame[]): Exchange {
  const kind = frames[0]?.frame.kind;
  if (kind !== frameKinds.open && kind !== frameKinds.opened) throw new Error('the exchange does not begin with its open frame');
  const open = readOpen(payloadOf(frames, kind));
  const { head, end } = responseOf(frames);
  // Without an end frame the head has the known facts.
  const fields: EndOverrides = end ?? head ?? {};
  const parts = frames.filter(({ frame }) => frame.kind === frameKinds.responsePart || frame.kind === frameKinds.answered);
  return withOverriddenBody({
    open: atLastTarget(open, fields),
    requestBody: bodyOf(frames, frameKinds.opened, frameKinds.requestPart),
    responseHead: head,
    responseBody: bodyOf(frames, frameKinds.answered, frameKinds.responsePart),
    responseParts: partTimes(parts),
    end,
    requestTail: tailOf(frames, frameKinds.requestTail),
    responseTail: tailOf(frames, frameKinds.responseTail),
  });
}

function atLastTarget(open: ExchangeOpen, { provider, targetUrl, credentialHash }: EndOverrides): ExchangeOpen {
  if (provider === undefined && targetUrl === undefined) return open;
  return { ...open, provider: provider ?? open.provider, targetUrl: targetUrl ?? open.targetUrl, credentialHash };
}

function responseOf(frames: readonly PayloadFrame[]): Partial<ExchangeAnswer> {
  const answered = payloadOf(frames, frameKinds.answered);
  if (answered.length > 0) return readJson(answered) as ExchangeAnswer;
  const [head, end] = [payloadOf(frames, frameKinds.responseHead), payloadOf(frames, frameKinds.end)];
  const said = end.length === 0 ? undefined : (readJson(end) as ExchangeEnd);
  return {
    ...(head.length === 0 ? headFromEnd(said) : { head: readJson(head) as ExchangeResponseHead }),
    ...(said === undefined ? {} : { end: said }),
  };
}

/** The disk was full at the head frame, but not at the end frame. */
function headFromEnd(end: ExchangeEnd | undefined): Pick<Partial<ExchangeAnswer>, 'head'> {
  return end?.status === undefined ? {} : { head: { status: end.status, headers: {}, elapsedMs: end.elapsedMs } };
}

/** Reads an exchange's duration from its last frame. @returns milliseconds. @throws when the frame cannot be read. */
export function readElapsed(kind: number, payload: Buffer): number {
  const said = readJson(payload) as ExchangeEnd & Partial<ExchangeAnswer>;
  return kind === frameKinds.answered ? (said.end?.elapsedMs ?? 0) : said.elapsedMs;
}

/** A body follows the line feed in a frame that begins with JSON, or is in frames of its own. */
function bodyOf(frames: readonly PayloadFrame[], joinedKind: number, partKind: number): Buffer {
  const joinedPayload = payloadOf(frames, joinedKind);
  return joinedPayload.length > 0 ? joinedPayload.subarray(jsonBytes(joinedPayload) + 1) : payloadOf(frames, partKind);
}

function tailOf(frames: readonly PayloadFrame[], kind: number): Buffer | undefined {
  return frames.some(({ frame }) => frame.kind === kind) ? payloadOf(frames, kind) : undefined;
}

function partTimes(parts: readonly PayloadFrame[]): Exchange['responseParts'] {
  const [first] = parts;
  const last = parts.at(-1);
  return first === undefined || last === undefined ? undefined : { firstMs: first.frame.stamp, lastMs: last.frame.stamp };
}

/** Reads the payload of an `open` or `opened` frame. @throws when it is of another version or lacks a required member. */
export function readOpen(payload: Buffer): ExchangeOpen {
  const open = readJson(payload);
  if (!isJsonObject(open)) throw new Error('the open frame holds no object');
  if (open['version'] !== 1) throw new Error(`the exchange is of version ${String(open['version'])}; this program reads version 1`);
  if (!isUuid(open['organizationId']) || !isUuid(open['requestId'])) throw new Error('the open frame names no organisation or no request');
  if (!Number.isSafeInteger(open['openedAt'])) throw new Error('the open frame tells no time');
  if (!isJsonObject(open['tags']) || !isJsonObject(open['headers'])) throw new Error('the open frame lacks its tags or headers');
  return open as unknown as ExchangeOpen;
}

function readJson(payload: Buffer): unknown {
  return JSON.parse(payload.toString('utf8', 0, jsonBytes(payload)));
}

const lineFeed = 0x0a;

function jsonBytes(payload: Buffer): number {
  const end = payload.indexOf(lineFeed);
  return end === -1 ? payload.length : end;
}

/** Joins a payload over the frame limit, which is split into several frames. */
function payloadOf(frames: readonly PayloadFrame[], kind: number): Buffer {
  return concatenated(frames.filter(({ frame }) => frame.kind === kind));
}

function isUuid(value: unknown): boolean {
  return typeof value === 'string' && parseUuid(value) === value;
}

function concatenated(frames: readonly PayloadFrame[]): Buffer {
  const [first] = frames;
  return frames.length === 1 && first !== undefined ? first.payload : Buffer.concat(frames.map(({ payload }) => payload));
}
