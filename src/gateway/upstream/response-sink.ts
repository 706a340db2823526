import type { GatelogError } from '../../model/errors.ts';
import type { HeaderList } from '../../platform/http/header-list.ts';

export interface CallControl {
  readonly pause: () => void;
  readonly resume: () => void;
  readonly abort: (reason: Error) => void;
  /** Called when the client has disconnected; true: the call goes on, because others wait for its response. Absent: never. */
  readonly survivesDisconnect?: () => boolean;
  /** The client has left: what is held of the response is passed on now, for the record. */
  readonly passBuffered?: () => void;
}

/**
 * Receives one response: `begin`, `start`, any `data`, then `finish` or `fail`. The relay to the client is a sink, and so is each stage
 * before it that decides about a response first (retry, cache).
 */
export interface ResponseSink {
  /** The call has begun; the sink may abort it. */
  readonly begin: (call: CallControl) => void;
  /** The connection ended before a byte of a response, `ms` after the request was sent, and the request was sent once more. */
  readonly sentAgain?: (ms: number) => void;
  /** A head, also an interim one (1xx). */
  readonly start: (status: number, raw: HeaderList, message: string) => void;
  readonly data: (chunk: Buffer) => void;
  /** All bytes of one read have been passed on: a head whose body takes longer may be sent before it. */
  readonly sendHeadEarly: () => void;
  /** The response is complete. */
  readonly finish: () => void;
  /** There is no response, or it is incomplete. */
  readonly fail: (error: GatelogError) => void;
}

export interface BufferedResponse {
  readonly status: number;
  /** Names and values in turn. */
  readonly headers: HeaderList;
  readonly chunks: readonly Buffer[];
}

const settledCall: CallControl = { pause: () => undefined, resume: () => undefined, abort: () => undefined };

export function respond(sink: ResponseSink, { status, headers: lines, chunks }: BufferedResponse): void {
  sink.begin(settledCall);
  sink.start(status, lines, '');
  for (const chunk of chunks) sink.data(chunk);
  sink.finish();
}
