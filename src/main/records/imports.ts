import type { ImportPorts } from '../../api/ports.ts';
import type { RequestChanges } from '../../ingest/changes/request-changes.ts';
import type { Drain } from '../../ingest/drain.ts';
import type { RunningErasures } from '../../ingest/erasures.ts';
import { Imports, maxLineBytes, type ImportPorts as LinePorts } from '../../ingest/imports/imports.ts';
import { type OrganizationId, type RequestId, uuidOfHex } from '../../model/ids.ts';
import { systemClock } from '../../platform/clock.ts';
import { type StoredIdRow, storedIdsStatement } from '../../query/request-detail/lookup.ts';
import { prepareSeries } from '../../spool/import-series.ts';
import type { Store } from '../../store/store.ts';
import { BodyThread, defaultLimits } from '../bodies/body-thread.ts';
import { type LargeLine, unpackLine } from './read-large-line.ts';
import type { Removals } from '../retention-and-erasure.ts';

export interface ImportParts {
  readonly spoolFolder: string;
  readonly store: Pick<Store, 'run'>;
  readonly drain: Pick<Drain, 'catchUp' | 'inFlight' | 'waitingCount' | 'waitingBytes'>;
  readonly running: Pick<RunningErasures, 'of'>;
  readonly retention: Removals['retentionPorts'];
  readonly changer: Pick<RequestChanges, 'stamp'>;
  /** Absent: a thread. */
  readonly readLarge?: LinePorts['readLarge'];
}

const dayMs = 86_400_000;

export function makeImports({
  spoolFolder,
  store,
  drain,
  running,
  retention,
  changer,
  readLarge = readInThread(),
}: ImportParts): ImportPorts {
  const imports = new Imports({
    catchUp: () => drain.catchUp(),
    inFlight: drain.inFlight,
    findStored: (organizationId, ids) => findStored(store, organizationId, ids),
    isErasing: (organizationId) => running.of(organizationId) !== undefined,
    expiresBefore: async (organizationId) => {
      const own = await retention.read(organizationId);
      const days = Math.min(own ?? Infinity, retention.deploymentDays ?? Infinity);
      return days === Infinity ? -Infinity : systemClock.now() - days * dayMs;
    },
    waiting: () => ({ exchanges: drain.waitingCount(), bytes: drain.waitingBytes() }),
    readLarge,
    nextNumber: () => changer.stamp().number,
    prepareSeries: (series, frames) => prepareSeries(spoolFolder, series, frames),
    now: systemClock.now,
    monotonic: systemClock.monotonic,
  });
  return { maxLineBytes, take: (principal, lines, isTrial) => imports.take(principal, lines, isTrial) };
}

const largeLineReader = new URL('./line-worker.js', import.meta.url);
/** Of lines that wait for one another; an organisation's wait in its import. */
const lineLimits = { ...defaultLimits, maxWaitMs: 60_000, maxReadMs: 30_000 };

/** The thread starts with the first long line, and keeps no process alive. */
function readInThread(): LinePorts['readLarge'] {
  const thread = new BodyThread<undefined, LargeLine>(largeLineReader, lineLimits);
  return async (organizationId, line) => unpackLine(await thread.run({ organizationId, signal: undefined }, line, undefined));
}

/** Identifiers of one statement. */
const askedAtOnce = 5000;

async function findStored(
  store: Pick<Store, 'run'>,
  organizationId: OrganizationId,
  ids: readonly RequestId[],
): Promise<ReadonlySet<RequestId>> {
  const found = new Set<RequestId>();
  for (let start = 0; start < ids.length; start += askedAtOnce) {
    const rows = await store.run<StoredIdRow>(storedIdsStatement(organizationId, ids.slice(start, start + askedAtOnce)));
    for (const { id_hex: hex } of rows) found.add(uuidOfHex(hex.toLowerCase().padStart(32, '0')));
  }
  return found;
}
