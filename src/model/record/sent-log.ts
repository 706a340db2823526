import type { RequestId } from '../ids.ts';
import type { Principal } from '../principal.ts';
import type { LogPath } from '../vocabulary/log-paths.ts';

/** A log as it came: a call that did not pass through the gateway, told as JSON. */
export interface SentLog {
  readonly logPath: LogPath;
  /** Names and values in turn. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  /** Aborts when the sender has left. */
  readonly signal?: AbortSignal | undefined;
}

/** A call that is durable. */
export interface TakenLog {
  readonly requestId: RequestId;
  /** A header or a name in `meta` came with Helicone's prefix: the response then has the alias names too. */
  readonly aliased: boolean;
  readonly warnings: readonly string[];
}

/** Returns when the call is durable. @throws GatelogError which says what is wrong with the log, and where. */
export type TakeLog = (owner: Principal, sent: SentLog) => Promise<TakenLog>;
