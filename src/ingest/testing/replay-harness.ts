import { systemClock } from '../../platform/clock.ts';
import { writeAtomicSeries } from '../../spool/import-series.ts';
import { DeadLetterReplay, type ReplayPorts } from '../dead-letters/replay.ts';
import { DeadLetters } from '../dead-letters/store.ts';
import type { CoreRig, SpoolRig } from './ingest-harness.ts';
import type { TestPorts } from './spent-rows.ts';

/** A life of the core with what replays its dead letters. */
export interface ReplayRig extends CoreRig {
  readonly letters: DeadLetters;
  /** Of the letters that there were when it began. */
  readonly names: readonly string[];
  readonly replay: DeadLetterReplay;
}

/** Another life of the core over a spool. */
export async function openReplay(spool: SpoolRig, given: TestPorts = {}, ports: Partial<ReplayPorts> = {}): Promise<ReplayRig> {
  const core = await spool.openCore(given);
  const { deadLetters: letters = new DeadLetters(spool.deadLetterFolder, systemClock.now) } = ports;
  const replay = new DeadLetterReplay({
    deadLetters: letters,
    locate: (organizationId, requestId) => core.changer.locate(organizationId, requestId),
    inFlightOf: async (organizationId, ids) => ids.filter((id) => core.drain.inFlight.find(organizationId, id) !== undefined),
    pendingChanges: core.pendingChanges,
    forgetSpent: () => core.drain.appliedChanges.forget(),
    isErasing: () => false,
    removeOrphans: (heads) => spool.rig.store.removeOrphans(heads, new AbortController().signal),
    writeSeries: (series, frames) => writeAtomicSeries(spool.folder, series, frames),
    waitMs: 10_000,
    observe: (observation) => spool.observations.push(observation),
    ...ports,
  });
  return { ...core, letters, names: letters.list({ limit: 1000 }).letters.map(({ id }) => id), replay };
}
