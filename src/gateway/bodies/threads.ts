import type { CallSize } from '../../model/record/call-size.ts';
import type { BodyShape } from './shape.ts';
import type { BodyHold } from './memory.ts';
import type { JsonObject } from '../../model/text.ts';
import type { EchoRequest } from '../builtin/echo.ts';
import type { BufferedResponse } from '../upstream/response-sink.ts';

/**
 * A body over this size is parsed in a thread beside the one that all calls share: 64 KiB take some milliseconds at worst, 16 MiB seconds.
 */
export const inlineMaxBytes = 64 * 1024;

/** One way in which a body goes out. */
export interface SentBody {
  readonly provider: string;
  /** Path and query at the provider. */
  readonly path: string;
  /** Members that stand in it in place of those of the body that is read. */
  readonly replaced: JsonObject | undefined;
  /** Of the body as it goes out, at most. */
  readonly bytes: number;
}

/** What limits have to know of a body. */
export interface BodyFacts {
  /** As the wire format reads it; empty without one. */
  readonly model: string;
  /** The end user whom it names; empty without one. */
  readonly user: string;
  readonly size: CallSize;
}

/** Of a body that was read: undefined where it is no JSON object. */
export interface FoundFacts {
  readonly facts: BodyFacts | undefined;
}

export interface BodyAsker {
  readonly organizationId: string;
  /** Aborted when the body's memory is released, because its client disconnected. */
  readonly signal: AbortSignal | undefined;
}

/** Reads bodies in threads. Rejects with a GatelogError on a time-out, with too many waiting, or after a disconnect. */
export interface LargeBodies {
  /** One result for each outgoing body. */
  readonly facts: (asker: BodyAsker, body: Buffer, ways: readonly SentBody[]) => Promise<readonly (BodyFacts | undefined)[]>;
  readonly shape: (asker: BodyAsker, body: Buffer) => Promise<BodyShape>;
  readonly echo: (asker: BodyAsker, request: EchoRequest) => Promise<BufferedResponse>;
}

export function askerOf(organizationId: string, { hold }: { readonly hold: BodyHold | undefined }): BodyAsker {
  return { organizationId, signal: hold?.released };
}
