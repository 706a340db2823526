import type { OrganizationId } from '../model/ids.ts';
import { makeCipher } from './sealing.ts';

/** The row of a sealed key. It is authenticated with the key: the key does not open in another organisation's or provider's row. */
export interface ProviderKeyRow {
  readonly organizationId: OrganizationId;
  readonly provider: string;
  readonly id: string;
}

/** Encrypts keys of providers for the database. */
export interface ProviderKeyCipher {
  readonly seal: (row: ProviderKeyRow, key: string) => string;
  /** @returns undefined when it was sealed with another secret, for another row, or is damaged. */
  readonly open: (row: ProviderKeyRow, sealed: string) => string | undefined;
}

/** @param secret the deployment's, 32 bytes or more. */
export function makeProviderKeyCipher(secret: Uint8Array): ProviderKeyCipher {
  const cipher = makeCipher(secret, 'providerKeys');
  return {
    seal: (row, key) => cipher.seal(associatedDataOf(row), key),
    open: (row, sealed) => cipher.open(associatedDataOf(row), sealed),
  };
}

function associatedDataOf({ organizationId, provider, id }: ProviderKeyRow): readonly string[] {
  return [organizationId, provider, id];
}
