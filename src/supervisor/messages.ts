/** What a child tells its supervisor over the channel between them. */
export type ChildMessage =
  | { readonly type: 'ready'; readonly address: string }
  /** It cannot start, and trying again would not help: a sentence for people. */
  | { readonly type: 'failed'; readonly message: string };

/** What the supervisor tells a child. */
export interface StopMessage {
  readonly type: 'stop';
}

/** True for a message of ours; Node's cluster sends its own over the same channel. */
export function isChildMessage(value: unknown): value is ChildMessage {
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;
  return type === 'ready' || type === 'failed';
}

/** True when the supervisor says stop. */
export function isStopMessage(value: unknown): value is StopMessage {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'stop';
}
