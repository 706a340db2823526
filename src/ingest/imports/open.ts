import type { Principal } from '../../model/principal.ts';
import type { ImportLine, ImportOutcome } from '../../model/record/import.ts';
import type { RequestChanges } from '../changes/request-changes.ts';
import type { Drain } from '../drain.ts';
import type { RunningErasures } from '../changes/erasures.ts';
import { Imports, maxLineBytes, type ImportPorts as LinePorts, veryLongLineBytes } from './imports.ts';
import { type OrganizationId, type RequestId, uuidOfHex } from '../../model/ids.ts';
import { systemClock } from '../../platform/clock.ts';
import { type StoredIdRow, storedIdsStatement } from '../../query/request-detail/lookup.ts';
import { prepareSeries } from '../../spool/import-series.ts';
import type { Store } from '../../store/store.ts';
import { BodyThread, defaultLimits } from '../../platform/threads/body-thread.ts';
import { type LargeLine, unpackLine } from './read-large-line.ts';

export interface TakeImports {
  /** Of one line. */
  readonly maxLineBytes: number;
  /** Resolves once there is room for a line that is longer than a group of lines. @throws GatelogError `service_busy`. */
  readonly whenLongLineFits: () => Promise<void>;
  /**
   * Takes lines into the caller's organisation; durable on return. @param isTrial stores nothing. @throws GatelogError `service_busy`,
   * `erasure_in_progress`, among others; nothing of the lines is taken then.
   */
  readonly take: (principal: Principal, lines: readonly ImportLine[], isTrial: boolean) => Promise<ImportOutcome>;
}

export interface ImportParts {
  readonly spoolFolder: string;
  readonly store: Pick<Store, 'run'>;
  readonly drain: Pick<Drain, 'catchUp' | 'inFlight' | 'waitingCount' | 'waitingBytes' | 'hasWaitingOf'>;
  readonly running: Pick<RunningErasures, 'of'>;
  /** In days: of the deployment, and of an organisation. */
  readonly retention: {
    readonly deploymentDays: number | undefined;
    readonly read: (organizationId: OrganizationId) => Promise<number | null>;
  };
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
}: ImportParts): TakeImports {
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
    hasWaitingOf: (bytes) => drain.hasWaitingOf(bytes),
    readLarge,
    nextNumber: () => changer.stamp().number,
    prepareSeries: (series, frames) => prepareSeries(spoolFolder, series, frames),
    now: systemClock.now,
    monotonic: systemClock.monotonic,
  });
  const whenLongLineFits = (): Promise<void> => imports.whenLongLineFits();
  return { maxLineBytes, whenLongLineFits, take: (principal, lines, isTrial) => imports.take(principal, lines, isTrial) };
}

const largeLineReader = new URL('./line-worker.js', import.meta.url);
/** Of lines that wait for one another; an organisation's wait in its import. */
const lineLimits = { ...defaultLimits, maxWaitMs: 60_000, maxReadMs: 30_000, endsAboveBytes: veryLongLineBytes };

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
