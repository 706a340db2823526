import { createHmac, randomBytes } from 'node:crypto';

export interface SigningSecret {
  /** Lower-case hex: as text it is the key of `Svc-Signature`, and its bytes are that of Standard Webhooks. */
  readonly hmacKey: string;
}

const secretBytes = 32;
const standardPrefix = 'whsec_';

export function newSigningSecret(): SigningSecret {
  return { hmacKey: randomBytes(secretBytes).toString('hex') };
}

/** The secret as libraries of Standard Webhooks take it. */
export function standardForm({ hmacKey }: SigningSecret): string {
  return standardPrefix + Buffer.from(hmacKey, 'hex').toString('base64');
}

/** @param text checked: `whsec_` and base64. */
export function fromStandardForm(text: string): SigningSecret {
  return { hmacKey: Buffer.from(text.slice(standardPrefix.length), 'base64').toString('hex') };
}

export interface SignedEvent {
  /** The same for all attempts. */
  readonly id: string;
  /** Of the attempt, Unix milliseconds; receivers refuse an old one. */
  readonly sentAt: number;
  /** Exactly as it is sent. */
  readonly body: string;
}

/**
 * Headers that prove who sent a body: those of Standard Webhooks, with a signature of each secret, and the hexadecimal HMAC of the body alone,
 * which receivers of Helicone check too. That one has room for a single signature: while a secret is replaced it is made with the previous
 * one, so that no receiver fails at the moment of a rotation.
 * @param secrets the newest first; several while one is rotated.
 */
export function signatureHeaders(
  { id, sentAt, body }: SignedEvent,
  secrets: readonly [SigningSecret, ...SigningSecret[]],
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(sentAt / 1000));
  const signed = `${id}.${timestamp}.${body}`;
  const signatures = secrets.map(
    ({ hmacKey }) => `v1,${createHmac('sha256', Buffer.from(hmacKey, 'hex')).update(signed).digest('base64')}`,
  );
  // The key of this form is the hexadecimal text, not the bytes that it stands for.
  const ofBody = createHmac('sha256', (secrets.at(-1) ?? secrets[0]).hmacKey)
    .update(body)
    .digest('hex');
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
    'Svc-Signature': ofBody,
    'Helicone-Signature': ofBody,
  };
}
