/** What a child tells its supervisor over the channel between them. */
export type ChildMessage =
  | { readonly type: 'ready'; readonly address: string }
  /** It cannot start, and trying again would not help: a sentence for people. */
  | { readonly type: 'failed'; readonly message: string }
  /** It runs: its event loop came round. */
  | { readonly type: 'alive' }
  /** What it has measured since it began, packed. */
  | { readonly type: 'measured'; readonly cells: string };

/** What the supervisor tells a child. */
export interface StopMessage {
  readonly type: 'stop';
  /** For how long calls that run may go on, milliseconds. Told again with less it holds from then on. */
  readonly callsMs: number;
}

/** What the supervisor tells the core each second: the numbers of the other processes, packed. */
export interface MetricsMessage {
  readonly type: 'numbers';
  readonly numbers: readonly { readonly process: string; readonly cells: string }[];
}

/** True for a message of ours; Node's cluster sends its own over the same channel. */
export function isChildMessage(value: unknown): value is ChildMessage {
  const type = typeOf(value);
  return type === 'ready' || type === 'failed' || type === 'alive' || type === 'measured';
}

/** True when the supervisor says stop. */
export function isStopMessage(value: unknown): value is StopMessage {
  return typeOf(value) === 'stop' && typeof (value as Partial<StopMessage>).callsMs === 'number';
}

/** True when the supervisor tells numbers. */
export function isNumbersMessage(value: unknown): value is MetricsMessage {
  return typeOf(value) === 'numbers';
}

function typeOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;
}
