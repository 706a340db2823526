export type ChildMessage =
  | { readonly type: 'ready'; readonly address: string }
  /** It cannot start, and a retry would not help: a sentence for people. */
  | { readonly type: 'failed'; readonly message: string }
  /** Its event loop runs. */
  | { readonly type: 'alive' }
  /** Its metrics since it began, packed. */
  | { readonly type: 'measured'; readonly cells: string };

/** The supervisor's order to stop. */
export interface StopMessage {
  readonly type: 'stop';
  /** How long running calls may go on, milliseconds. A later message may shorten it. */
  readonly callsMs: number;
}

/** Metrics of the other processes, which the core receives every second, packed. */
export interface MetricsMessage {
  readonly type: 'numbers';
  readonly numbers: readonly { readonly process: string; readonly cells: string }[];
}

/** True for our messages; Node's cluster uses the same channel. */
export function isChildMessage(value: unknown): value is ChildMessage {
  const type = typeOf(value);
  return type === 'ready' || type === 'failed' || type === 'alive' || type === 'measured';
}

export function isStopMessage(value: unknown): value is StopMessage {
  return typeOf(value) === 'stop' && typeof (value as Partial<StopMessage>).callsMs === 'number';
}

export function isMetricsMessage(value: unknown): value is MetricsMessage {
  return typeOf(value) === 'numbers';
}

function typeOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;
}
