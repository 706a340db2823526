import {
  type EndFacts,
  type Exchange,
  type ExchangeEnd,
  type ExchangeOpen,
  type ExchangeResponseHead,
  frameKinds,
} from '../model/exchange.ts';
import { parseUuid } from '../model/ids.ts';
import { isJsonObject } from '../model/text.ts';
import type { FrameLocation } from '../spool/spool.ts';

/** A frame of one exchange with what it holds. */
export interface PayloadFrame {
  readonly frame: Pick<FrameLocation, 'kind' | 'stamp'>;
  readonly payload: Buffer;
}

/**
 * Puts an exchange together from its frames, in their order.
 * @throws when the frames do not begin with a readable `open`.
 */
export function assembleExchange(frames: readonly PayloadFrame[]): Exchange {
  const first = frames[0];
  if (first?.frame.kind !== frameKinds.open) throw new Error('the exchange does not begin with its open frame');
  // A payload over the frame limit was split: the parts stand behind each other.
  const open = readOpen(joined(frames.filter(({ frame }) => frame.kind === frameKinds.open)));
  const ofKind = (kind: number): PayloadFrame[] => frames.filter(({ frame }) => frame.kind === kind);
  const head = ofKind(frameKinds.responseHead);
  const end = ofKind(frameKinds.end);
  const responseFrames = ofKind(frameKinds.responsePart);
  const [firstPart] = responseFrames;
  const lastPart = responseFrames.at(-1);
  const ended = end.length === 0 ? undefined : (JSON.parse(joined(end).toString('utf8')) as ExchangeEnd);
  const headed = head.length === 0 ? undefined : (JSON.parse(joined(head).toString('utf8')) as ExchangeResponseHead);
  // Without an end the head tells what is known.
  const facts: EndFacts = ended ?? headed ?? {};
  return {
    open: { ...open, provider: facts.provider ?? open.provider, targetUrl: facts.targetUrl ?? open.targetUrl },
    requestBody: joined(ofKind(frameKinds.requestPart)),
    responseHead: headed,
    responseBody: joined(responseFrames),
    responseParts:
      firstPart === undefined || lastPart === undefined ? undefined : { firstMs: firstPart.frame.stamp, lastMs: lastPart.frame.stamp },
    end: ended,
  };
}

/** Reads an `open` frame's payload. @throws when it is of another version, or does not say whose exchange it is. */
export function readOpen(payload: Buffer): ExchangeOpen {
  const open: unknown = JSON.parse(payload.toString('utf8'));
  if (!isJsonObject(open)) throw new Error('the open frame holds no object');
  if (open['version'] !== 1) throw new Error(`the exchange is of version ${String(open['version'])}; this program reads version 1`);
  if (!isUuid(open['organizationId']) || !isUuid(open['requestId'])) throw new Error('the open frame names no organisation or no request');
  if (!Number.isSafeInteger(open['openedAt'])) throw new Error('the open frame tells no time');
  if (!isJsonObject(open['tags']) || !isJsonObject(open['headers'])) throw new Error('the open frame lacks its tags or headers');
  return open as unknown as ExchangeOpen;
}

function isUuid(value: unknown): boolean {
  return typeof value === 'string' && parseUuid(value) === value;
}

function joined(frames: readonly PayloadFrame[]): Buffer {
  const [first] = frames;
  return frames.length === 1 && first !== undefined ? first.payload : Buffer.concat(frames.map(({ payload }) => payload));
}
