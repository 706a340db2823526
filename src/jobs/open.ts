import type { Config } from '../config/load.ts';
import type { EraseDeliveries } from '../events/erase-deliveries.ts';
import type { EventsDatabase } from '../events/database/database.ts';
import { makeImports, type TakeImports } from '../ingest/imports/open.ts';
import type { Ingest } from '../ingest/open.ts';
import type { MetadataDatabase } from '../metadata/database.ts';
import type { OrganizationId } from '../model/ids.ts';
import type { Observe } from '../model/observation.ts';
import type { CorePrices } from '../pricing/held/core-prices.ts';
import type { SharedState } from '../state/shared-state.ts';
import type { Store } from '../store/store.ts';
import { dataPaths } from '../config/data-paths.ts';
import path from 'node:path';
import { systemClock } from '../platform/clock.ts';
import { makeHasFreeSpace } from '../platform/disk-space.ts';
import { locationOf } from './store-copy/record-store.ts';
import { StoreCopies } from './store-copy/store-copies.ts';
import { BulkJobs } from './bulk/bulk-jobs.ts';
import { makePricePorts, type PricePorts } from './request-costs.ts';
import { makeRemovals, makeTrustedClock, type Removals } from './removals.ts';
import type { TrustedClock } from './trusted-clock.ts';

/** Other rooms, as jobs use them. */
export interface JobDependencies {
  readonly config: Config;
  readonly observe: Observe;
  readonly database: MetadataDatabase;
  readonly events: EventsDatabase;
  readonly store: Store;
  readonly state: SharedState;
  readonly prices: CorePrices;
  readonly ingest: Ingest;
  readonly deliveries: EraseDeliveries;
  readonly streams: { readonly forget: (organizationId: OrganizationId) => void };
}

/** Work on stored records. */
export interface Jobs {
  readonly removals: Removals;
  readonly trustedClock: TrustedClock;
  readonly bulk: BulkJobs;
  readonly prices: PricePorts;
  readonly imports: TakeImports;
  readonly copies: StoreCopies;
  /** Resumes what was interrupted; call it before the drain starts. */
  readonly start: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** A running batch has so long to end. */
const batchEndMs = 30_000;

export function openJobs(dependencies: JobDependencies): Jobs {
  const { config, observe, database, store, prices, ingest, deliveries } = dependencies;
  const { drain, changer, running } = ingest;
  const trustedClock = makeTrustedClock(database, observe);
  const removals = makeRemovals({ ...dependencies, ...ingest, trustedClock }, { drain, changer, deliveries });
  const bulk = new BulkJobs({ database, store, drain, changer, observe });
  const copies = new StoreCopies({
    store,
    database,
    observe,
    clock: systemClock,
    location: locationOf(config.clickhouseUrl),
    hasFreeSpace: makeHasFreeSpace(config.dataDir, config.storeSpareBytes),
    folder: path.resolve(config.dataDir, '.store-copy'),
    whilePaused: (work) => bulk.withPaused(() => removals.withPaused(() => drain.whilePaused(work, batchEndMs))),
  });
  return {
    removals,
    trustedClock,
    bulk,
    copies,
    prices: makePricePorts({ database, prices, store, changer }),
    imports: makeImports({ store, drain, running, changer, spoolFolder: dataPaths(config).spool, retention: removals.retentionPorts }),
    start: async () => {
      await removals.start();
      await bulk.resume();
      copies.resume();
    },
    stop: async () => {
      // Together: what a copy has paused would go on when it ends.
      await Promise.all([removals.stop(), bulk.stop(), copies.stop()]);
    },
  };
}
