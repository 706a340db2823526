import type { Cipher } from '../../auth/sealing.ts';
import type { SigningSecret } from '../channels/signature.ts';
import type { SealedSecrets, StoredWebhook } from '../../metadata/organization/webhooks.ts';

/** After a rotation the previous secret signs for so long, too. */
const previousSignsMs = 24 * 3_600_000;

type Row = Pick<StoredWebhook, 'id' | 'organizationId'>;

export function sealSecret(cipher: Cipher, row: Row, { hmacKey }: SigningSecret): string {
  return cipher.seal(associatedDataOf(row), hmacKey);
}

/** @param at Unix milliseconds. */
export function rotated(before: SealedSecrets, sealed: string, at: number): SealedSecrets {
  return { sealed, previous: { sealed: before.sealed, endsAt: at + previousSignsMs } };
}

/** The secrets that sign at a time, the present one first. @returns undefined when they were sealed with another secret of the deployment. */
export function signingSecrets(
  cipher: Cipher,
  webhook: Row & Pick<StoredWebhook, 'secrets'>,
  at: number,
): readonly [SigningSecret, ...SigningSecret[]] | undefined {
  const { sealed, previous } = webhook.secrets;
  const open = (text: string): SigningSecret[] => {
    const hmacKey = openedOf(cipher, webhook.secrets).get(text) ?? cipher.open(associatedDataOf(webhook), text);
    if (hmacKey === undefined) return [];
    openedOf(cipher, webhook.secrets).set(text, hmacKey);
    return [{ hmacKey }];
  };
  const [present] = open(sealed);
  if (present === undefined) return undefined;
  return previous === null || previous.endsAt <= at ? [present] : [present, ...open(previous.sealed)];
}

/** Opening takes longer than signing, and each delivery is signed. Kept as long as the webhook is unchanged. */
const opened = new WeakMap<Cipher, WeakMap<SealedSecrets, Map<string, string>>>();

function openedOf(cipher: Cipher, secrets: SealedSecrets): Map<string, string> {
  const ofCipher = opened.get(cipher) ?? new WeakMap<SealedSecrets, Map<string, string>>();
  opened.set(cipher, ofCipher);
  const known = ofCipher.get(secrets) ?? new Map<string, string>();
  ofCipher.set(secrets, known);
  return known;
}

function associatedDataOf({ organizationId, id }: Row): readonly string[] {
  return [organizationId, id];
}
