import { type Exchange, type ExchangeEnd, type ExchangeOpen, type ExchangeResponseHead, frameKinds } from '../model/exchange.ts';
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
  return {
    open,
    requestBody: joined(ofKind(frameKinds.requestPart)),
    responseHead: head.length === 0 ? undefined : (JSON.parse(joined(head).toString('utf8')) as ExchangeResponseHead),
    responseBody: joined(responseFrames),
    responseParts: firstPart === undefined || lastPart === undefined ? undefined : { firstMs: firstPart.frame.stamp, lastMs: lastPart.frame.stamp },
    end: end.length === 0 ? undefined : (JSON.parse(joined(end).toString('utf8')) as ExchangeEnd),
  };
}
