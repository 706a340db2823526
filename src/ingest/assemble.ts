import { type Exchange, type ExchangeEnd, type ExchangeOpen, type ExchangeResponseHead, frameKinds } from '../model/exchange.ts';
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
  const open = readOpen(first.payload);
  const ofKind = (kind: number): PayloadFrame[] => frames.filter(({ frame }) => frame.kind === kind);
  const head = ofKind(frameKinds.responseHead).at(-1);
  const end = ofKind(frameKinds.end).at(-1);
  const responseFrames = ofKind(frameKinds.responsePart);
  const [firstPart] = responseFrames;
  const lastPart = responseFrames.at(-1);
  return {
    open,
    requestBody: joined(ofKind(frameKinds.requestPart)),
    responseHead: head === undefined ? undefined : (JSON.parse(head.payload.toString('utf8')) as ExchangeResponseHead),
    responseBody: joined(responseFrames),
    responseParts: firstPart === undefined || lastPart === undefined ? undefined : { firstMs: firstPart.frame.stamp, lastMs: lastPart.frame.stamp },
    end: end === undefined ? undefined : (JSON.parse(end.payload.toString('utf8')) as ExchangeEnd),
  };
}

/** Reads an `open` frame's payload. @throws when it is of another version. */
export function readOpen(payload: Buffer): ExchangeOpen {
  const open = JSON.parse(payload.toString('utf8')) as ExchangeOpen;
  if (open.version !== 1) throw new Error(`the exchange is of version ${String(open.version)}; this program reads version 1`);
  return open;
}

function joined(frames: readonly PayloadFrame[]): Buffer {
  const [first] = frames;
  return frames.length === 1 && first !== undefined ? first.payload : Buffer.concat(frames.map(({ payload }) => payload));
}
