/** What a child tells its supervisor over the channel between them. */
export type ChildMessage =
  | { readonly type: 'ready'; readonly address: string }
  /** It cannot start, and trying again would not help: a sentence for people. */
  | { readonly type: 'failed'; readonly message: string };

/** What the supervisor tells a child. */
export interface StopMessage {
  readonly type: 'stop';
}

export function isChildMessage(value: unknown): value is ChildMessage {
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;
  return type === 'ready' || type === 'failed';
}

export function isStopMessage(value: unknown): value is StopMessage {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'stop';
}
