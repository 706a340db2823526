import type { CallSize } from '../../model/record/call-size.ts';
import type { BodyShape } from './shape.ts';
import type { BodyHold } from './memory.ts';
import type { JsonObject } from '../../model/text.ts';
import type { EchoRequest } from '../builtin/echo.ts';
import type { BufferedResponse } from '../upstream/response-sink.ts';

/** Larger bodies are parsed in a thread of their own: 64 KiB take some milliseconds at worst, 16 MiB seconds. */
export const inlineMaxBytes = 64 * 1024;

/** One form of a body, as sent to one target. */
export interface SentBody {
  readonly provider: string;
  /** Path and query at the provider. */
  readonly path: string;
  /** Members that replace those of the parsed body. */
  readonly replaced: JsonObject | undefined;
  /** Maximum size. */
  readonly bytes: number;
}

/** Facts of a body that limits need. */
export interface BodyFacts {
  /** Read as the wire format defines; empty if absent. */
  readonly model: string;
  /** The end user in the body; empty if absent. */
  readonly user: string;
  readonly size: CallSize;
}

/** Facts of a parsed body; undefined: not a JSON object. */
export interface FoundFacts {
  readonly facts: BodyFacts | undefined;
}

export interface BodyOwner {
  readonly organizationId: string;
  /** Aborted when the body's memory is released, because its client disconnected. */
  readonly signal: AbortSignal | undefined;
}

/** Reads bodies in threads. Rejects with a GatelogError on a time-out, with too many waiting, or after a disconnect. */
export interface LargeBodies {
  /** One result for each form. */
  readonly facts: (owner: BodyOwner, body: Buffer, forms: readonly SentBody[]) => Promise<readonly (BodyFacts | undefined)[]>;
  readonly shape: (owner: BodyOwner, body: Buffer) => Promise<BodyShape>;
  readonly echo: (owner: BodyOwner, request: EchoRequest) => Promise<BufferedResponse>;
}

export function bodyOwnerOf(organizationId: string, { hold }: { readonly hold: BodyHold | undefined }): BodyOwner {
  return { organizationId, signal: hold?.released };
}
