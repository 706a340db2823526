import type { JsonPost } from './post.ts';
import { type SignedEvent, signatureHeaders, type SigningSecret } from './signature.ts';

export interface WebhookPost extends SignedEvent {
  readonly destination: string;
  /** The newest first; several while one is rotated. */
  readonly secrets: readonly [SigningSecret, ...SigningSecret[]];
}

/** An event as its receiver gets it. */
export function signedPost({ destination, secrets, ...event }: WebhookPost): JsonPost {
  return { address: destination, headers: signatureHeaders(event, secrets), body: event.body };
}
