import type { GatelogError } from '../../model/errors.ts';
import type { HeaderList } from '../../platform/http/header-list.ts';

/** The controls of a running call to a provider. */
export interface CallControl {
  readonly pause: () => void;
  readonly resume: () => void;
  readonly abort: (reason: Error) => void;
  /** Asked when the client has left: true where the call goes on without it, because others wait for its reply. Absent: never. */
  readonly survivesDisconnect?: () => boolean;
}

/**
 * Takes one reply, from whoever gives it: `begin`, `start`, any `data`, then `finish` or `fail`. The relay to the client is one; what decides
 * about a reply before the client sees it (another try, the cache) stands between and is one too.
 */
export interface ResponseSink {
  /** The call has begun; a sink that wants no more of it aborts it. */
  readonly begin: (call: CallControl) => void;
  /** The head of the reply; interim heads (1xx) too. */
  readonly start: (status: number, raw: HeaderList, message: string) => void;
  /** A piece of the body. */
  readonly data: (chunk: Buffer) => void;
  /** A turn of the event loop has passed: a head whose body keeps its reader waiting may go ahead of it. */
  readonly sendHeadEarly: () => void;
  /** The reply is whole. */
  readonly finish: () => void;
  /** There is no reply, or it broke off. */
  readonly fail: (error: GatelogError) => void;
}

/** A reply that is here, whole. */
export interface BufferedResponse {
  readonly status: number;
  /** Header lines, name and value in turn. */
  readonly lines: HeaderList;
  readonly chunks: readonly Buffer[];
}

const settledCall: CallControl = { pause: () => undefined, resume: () => undefined, abort: () => undefined };

/** Gives a reply that is here, as a provider on the network would. */
export function respond(sink: ResponseSink, { status, lines, chunks }: BufferedResponse): void {
  sink.begin(settledCall);
  sink.start(status, lines, '');
  for (const chunk of chunks) sink.data(chunk);
  sink.finish();
}
