import type { AttemptOutcome } from '../../model/events/attempt.ts';
import { type Post, requestHeadOf } from './post.ts';
import { type SignedEvent, signatureHeaders, type SigningSecret } from './signature.ts';

export interface WebhookPost extends SignedEvent {
  readonly destination: string;
  /** The newest first; several while one is rotated. */
  readonly secrets: readonly [SigningSecret, ...SigningSecret[]];
}

export interface PostedWebhook {
  readonly outcome: AttemptOutcome;
  readonly requestHead: string;
}

/** Posts a signed event, once. @throws the reason of the signal, once it has aborted. */
export async function postWebhook(
  post: Post,
  { destination, secrets, ...event }: WebhookPost,
  signal: AbortSignal,
): Promise<PostedWebhook> {
  const signed = { address: destination, headers: signatureHeaders(event, secrets), body: event.body };
  return { outcome: await post(signed, signal), requestHead: requestHeadOf(signed) };
}
