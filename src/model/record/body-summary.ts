import type { JsonObject } from '../text.ts';
import type { CallSize } from './call-size.ts';

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

/** What limits need of a body. */
export interface BodySummary {
  /** Read as the wire format defines; empty if absent. */
  readonly model: string;
  /** The end user in the body; empty if absent. */
  readonly user: string;
  readonly size: CallSize;
}

/** The summary of a parsed body; undefined: not a JSON object. */
export interface FoundSummary {
  readonly summary: BodySummary | undefined;
}

/** A call whose cost is estimated before it is sent. */
export interface EstimatedRequest {
  readonly method: string;
  readonly provider: string;
  /** Path and query at the provider, or of the route of a built-in target. */
  readonly path: string;
  /** Undefined if it was not buffered, or is not JSON. */
  readonly body: Buffer | undefined;
  /** The summary of a body that was parsed in a thread. */
  readonly found: FoundSummary | undefined;
  /** `Svc-Model-Override`: the price of this model applies where the model itself has none. */
  readonly modelOverride: string | undefined;
  /** Arrival, Unix milliseconds: the price of that time applies. */
  readonly at: number;
}
