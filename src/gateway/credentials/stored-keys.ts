import type { StoredProviderKey } from '../../metadata/organization/provider-keys.ts';
import { GatelogError, messageOf } from '../../model/errors.ts';
import type { OrganizationId } from '../../model/ids.ts';
import type { Observe } from '../../model/observation.ts';
import { StaleCache } from '../../platform/stale-cache.ts';

export interface ProviderKeys {
  /**
   * The key that an organisation has stored for a provider: the one of this name; without a name the newest unnamed one, else the newest.
   * @returns undefined if there is none.
   * @throws GatelogError `provider_key_unreadable` if this deployment cannot decrypt it, `metadata_unavailable` if the stored keys are
   * unknown: no other key ever takes its place.
   */
  readonly find: (organizationId: OrganizationId, provider: string, name?: string) => string | undefined;
  /** Providers for which an organisation has a key. @throws GatelogError `metadata_unavailable`. */
  readonly providersOf: (organizationId: OrganizationId) => ReadonlySet<string>;
}

export interface StoredProviderKeysOptions {
  /** The keys of an organisation, newest first. Throws when they cannot be read. */
  readonly lookUp: (organizationId: OrganizationId) => readonly StoredProviderKey[];
  /** Decrypts a key; undefined if that fails. */
  readonly open: (stored: StoredProviderKey) => string | undefined;
  /** Milliseconds of a clock that never steps back. */
  readonly monotonic: () => number;
  /** Maximum age of the cached keys while they cannot be read. */
  readonly staleMaxMs: number;
  readonly observe: Observe;
}

/** A key, decrypted on first use. */
interface Entry {
  readonly stored: StoredProviderKey;
  opened: { readonly key: string | undefined } | undefined;
}

const none: readonly Entry[] = [];

/** The stored keys, cached for two seconds: a deletion must be seen within five. */
export class StoredProviderKeys implements ProviderKeys {
  private readonly options: Pick<StoredProviderKeysOptions, 'open' | 'observe'>;
  private readonly cache: StaleCache<OrganizationId, readonly Entry[]>;

  constructor({ lookUp, open, observe, monotonic, staleMaxMs }: StoredProviderKeysOptions) {
    this.options = { open, observe };
    this.cache = new StaleCache({
      read: (organizationId) => {
        const rows = lookUp(organizationId);
        return rows.length === 0 ? none : rows.map((stored): Entry => ({ stored, opened: undefined }));
      },
      monotonic,
      freshMs: 2000,
      staleMaxMs,
      onFailure: (error) => {
        observe({ kind: 'provider_keys_failed', reason: messageOf(error) });
        return new GatelogError('metadata_unavailable', 'The stored keys of providers cannot be read at the moment; try again shortly.', {
          cause: error,
        });
      },
    });
  }

  find(organizationId: OrganizationId, provider: string, name?: string): string | undefined {
    const entries = this.cache.get(organizationId);
    if (entries.length === 0) return undefined;
    const ofProvider = entries.filter(({ stored }) => stored.provider === provider);
    const entry = ofProvider.find(({ stored }) => stored.name === (name ?? null)) ?? (name === undefined ? ofProvider[0] : undefined);
    return entry === undefined ? undefined : this.open(entry);
  }

  providersOf(organizationId: OrganizationId): ReadonlySet<string> {
    return new Set(this.cache.get(organizationId).map(({ stored }) => stored.provider));
  }

  private open(entry: Entry): string {
    const { organizationId, provider, id } = entry.stored;
    if (entry.opened === undefined) {
      entry.opened = { key: this.options.open(entry.stored) };
      if (entry.opened.key === undefined) this.options.observe({ kind: 'provider_key_unreadable', organizationId, provider, id });
    }
    const { key } = entry.opened;
    if (key !== undefined) return key;
    throw new GatelogError(
      'provider_key_unreadable',
      `The key that your organisation has stored for ${provider} (${id}) cannot be decrypted: the secret of this deployment is not the one it was stored with. ` +
        'Restore that secret (GATELOG_SECRET_KEY, or the file secret.key of the data folder), or delete the key and store it again (/v1/provider-keys).',
    );
  }
}
