import { v7 } from 'uuid';
import type { MetadataQueries } from '../metadata/database.ts';
import { deleteRow } from '../metadata/organization/delete-row.ts';
import {
  addProviderKey,
  listProviderKeys,
  type ProviderKeyRefusal,
  type StoredProviderKey,
} from '../metadata/organization/provider-keys.ts';
import type { OrganizationId } from '../model/ids.ts';
import { providerKeyLimits } from '../model/vocabulary/limits.ts';
import type { ProviderKeyCipher } from './provider-key-cipher.ts';

export interface NewProviderKey {
  readonly provider: string;
  readonly key: string;
  readonly name: string | null;
}

/** The visible part of a stored key. */
export interface ProviderKeyView {
  readonly id: string;
  readonly provider: string;
  readonly name: string | null;
  /** `…` and the key's last characters; null for a key too short to show any. */
  readonly hint: string | null;
  /** Unix milliseconds. */
  readonly createdAt: number;
  /** False when it cannot be decrypted, because this deployment has another secret. */
  readonly readable: boolean;
}

/** Stores keys of providers, encrypted, and never returns one. */
export interface ProviderKeyVault {
  /** Durable on return. @returns the reason of a refusal, else the visible part. */
  readonly add: (organizationId: OrganizationId, given: NewProviderKey) => Promise<ProviderKeyView | ProviderKeyRefusal>;
  /** The newest first. */
  readonly list: (organizationId: OrganizationId) => Promise<readonly ProviderKeyView[]>;
  /** Durable on return. @returns false when the organisation has no such key. */
  readonly remove: (organizationId: OrganizationId, id: string) => Promise<boolean>;
}

/** A hint tells keys apart; of a short key it would reveal too much. */
const shownCharacters = 4;
const minWithHint = 20;

/** @param now Unix milliseconds. */
export function makeProviderKeyVault(database: MetadataQueries, cipher: ProviderKeyCipher, now: () => number): ProviderKeyVault {
  return {
    add: async (organizationId, { provider, key, name }) => {
      const id = v7();
      const hint = key.length < minWithHint ? null : `…${key.slice(-shownCharacters)}`;
      const sealed = cipher.seal({ organizationId, provider, id }, key);
      const stored: StoredProviderKey = { id, organizationId, provider, name, sealed, hint, createdAt: now() };
      return (await addProviderKey(database, stored, providerKeyLimits.keys)) ?? shown(stored, true);
    },
    list: async (organizationId) => {
      const keys = await listProviderKeys(database, organizationId);
      return keys.map((stored) => shown(stored, cipher.open(stored, stored.sealed) !== undefined));
    },
    remove: (organizationId, id) => deleteRow(database, 'provider_keys', organizationId, id),
  };
}

function shown({ id, provider, name, hint, createdAt }: StoredProviderKey, readable: boolean): ProviderKeyView {
  return { id, provider, name, hint, createdAt, readable };
}
