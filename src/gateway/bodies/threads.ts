import type { BodySummary, SentBody } from '../../model/record/body-summary.ts';
import type { BodyOwner } from '../../platform/threads/body-thread.ts';
import type { BodyShape } from './shape.ts';
import type { BodyReservation } from './memory.ts';
import type { EchoRequest } from '../builtin/echo.ts';
import type { BufferedResponse } from '../upstream/response-sink.ts';

/** Larger bodies are parsed in a thread of their own: 64 KiB take some milliseconds at worst, 16 MiB seconds. */
export const inlineMaxBytes = 64 * 1024;

/** Reads bodies in threads. Rejects with a GatelogError on a time-out, with too many waiting, or after a disconnect. */
export interface LargeBodies {
  /** One result for each form. */
  readonly summaries: (owner: BodyOwner, body: Buffer, forms: readonly SentBody[]) => Promise<readonly (BodySummary | undefined)[]>;
  readonly shape: (owner: BodyOwner, body: Buffer) => Promise<BodyShape>;
  readonly echo: (owner: BodyOwner, request: EchoRequest) => Promise<BufferedResponse>;
}

export function bodyOwnerOf(
  organizationId: string,
  { bodyReservation }: { readonly bodyReservation: BodyReservation | undefined },
): BodyOwner {
  return { organizationId, signal: bodyReservation?.released };
}
