import type { ApiHealth } from '../../api/ports.ts';
import type { Drain } from '../../ingest/drain.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Store } from '../../store/store.ts';
import type { HealthProbe } from './probe.ts';

/** Age at which what waits for the store says that the ingest is behind, milliseconds. */
const behindMs = 60_000;

/** What is asked whether it answers. */
export interface Watches {
  readonly store: HealthProbe;
  readonly metadata: HealthProbe;
}

/** While there is no room in the store the ingest waits, as it should: it does not drain then, and what is stored can be read. */
export async function healthOf(
  watches: Watches,
  drain: Pick<Drain, 'oldestWaitingMs' | 'isDraining'>,
  { hasFreeSpace: isRoom, damage }: Pick<Store, 'hasFreeSpace' | 'damage'>,
): Promise<ApiHealth> {
  const [storeAnswers, takesChanges] = await Promise.all([watches.store.answers(), watches.metadata.answers()]);
  const hasFreeSpace = isRoom();
  const isBehind = drain.oldestWaitingMs(systemClock.now()) > behindMs;
  return {
    failing: [...(storeAnswers ? [] : ['store']), ...(drain.isDraining() && hasFreeSpace ? [] : ['ingest'])],
    degraded: [
      ...(takesChanges ? [] : ['metadata']),
      ...(hasFreeSpace ? [] : ['store_full']),
      ...(damage.parts().length > 0 ? ['store_damaged'] : []),
      ...(isBehind ? ['ingest_behind'] : []),
    ],
  };
}
