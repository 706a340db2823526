import type { ClickHouseServers } from '../../config/clickhouse-url.ts';
import type { MetadataQueries } from '../../metadata/database.ts';
import { readRecordStore, saveRecordStore } from '../../metadata/record-store.ts';
import { GatelogError } from '../../model/errors.ts';
import type { Store } from '../../store/store.ts';

/** The data folder, as a location of records. */
export const embeddedLocation = 'embedded';

/** Where a store is, in words: `embedded`, or the hosts of servers with the database. */
export function locationOf(servers: ClickHouseServers | undefined): string {
  if (servers === undefined) return embeddedLocation;
  const hosts = servers.urls.map((url) => new URL(url).host).toSorted();
  return `${hosts.join(',')}/${servers.database}`;
}

/** A location in a sentence. */
export function locationText(location: string): string {
  return location === embeddedLocation ? 'the data folder' : `ClickHouse at ${location}`;
}

export interface StoreOpening {
  readonly database: MetadataQueries;
  /** Of the store, in words. */
  readonly location: string;
  /** Whether a record of this data folder was ever stored. */
  readonly hasStored: boolean;
  /** Unix milliseconds. */
  readonly now: number;
}

/**
 * Makes sure that the opened store is the one that has this data folder's records, and notes it at the first start. A store that was
 * restored where the noted one was has no identity yet, and gets the noted one.
 * @throws Error with a sentence for people when the records are elsewhere.
 */
export async function assertRecordStore(
  { copy }: Pick<Store, 'copy'>,
  { database, location, hasStored, now }: StoreOpening,
): Promise<void> {
  const { identities } = copy;
  const [noted, found] = [await readRecordStore(database), await identities.read()];
  // Whoever has recorded nothing may still choose another location. What was moved is there, whatever the spool says.
  if (noted === undefined || (!hasStored && noted.move === undefined)) {
    await whereThereIsRoom(async () => {
      // A copy that is used from now on has what nobody else has: no other store may be copied into it again.
      if (found.copyOf.length > 0 && found.move === undefined) await identities.markMove(now);
      await saveRecordStore(database, { storeId: await identities.name(found.id), location, since: now });
    });
    return;
  }
  const isRestored = found.id === undefined && noted.location === location;
  if (found.id !== noted.storeId && !isRestored) throw new Error(elsewhere(noted.location, location));
  await whereThereIsRoom(async () => {
    await identities.name(noted.storeId);
    if (noted.move !== undefined) await identities.markMove(noted.move);
  });
}

/** On a full disk nothing may be written, and the service starts all the same: a later start does it. */
async function whereThereIsRoom(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof GatelogError && error.code === 'store_unavailable')) throw error;
  }
}

function elsewhere(noted: string, location: string): string {
  if (noted === location) {
    return `Another store is in ${locationText(location)} now, and not the one that has the records. Bring that one back, or restore a backup.`;
  }
  const way =
    noted === embeddedLocation
      ? 'Start without GATELOG_CLICKHOUSE_URL, and move them with "gatelog store copy --to <address> --switch".'
      : 'Set GATELOG_CLICKHOUSE_URL to it; "gatelog store copy --to embedded --switch" brings them back.';
  return `The records are in ${locationText(noted)}, and ${locationText(location)} has others or none of them. ${way}`;
}
