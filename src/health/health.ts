import type { ApiHealth } from '../api/endpoint/ports.ts';
import type { Drain } from '../ingest/drain.ts';
import { systemClock } from '../platform/clock.ts';
import type { Store } from '../store/store.ts';
import type { HealthProbe } from '../platform/health-probe.ts';

/** Age of the oldest waiting exchange from which the ingest counts as behind. */
const behindMs = 60_000;

export interface Watches {
  readonly store: HealthProbe;
  readonly metadata: HealthProbe;
}

/** While the store has no free space the ingest waits, as it should, and stored records stay readable. */
export async function healthOf(
  watches: Watches,
  drain: Pick<Drain, 'oldestWaitingMs' | 'isDraining'>,
  {
    hasFreeSpace: hasSpace,
    damage,
    moveBodies,
    indexWords,
    copy,
  }: Pick<Store, 'hasFreeSpace' | 'damage' | 'moveBodies' | 'indexWords' | 'copy'>,
): Promise<ApiHealth> {
  const [storeResponds, takesChanges] = await Promise.all([watches.store.responds(), watches.metadata.responds()]);
  const hasFreeSpace = hasSpace();
  const isBehind = drain.oldestWaitingMs(systemClock.now()) > behindMs;
  return {
    failing: [...(storeResponds ? [] : ['store']), ...(drain.isDraining() && hasFreeSpace ? [] : ['ingest'])],
    degraded: [
      ...(takesChanges ? [] : ['metadata']),
      ...(hasFreeSpace ? [] : ['store_full']),
      ...(copy.movedTo() === undefined ? [] : ['store_moved']),
      ...(damage.parts().length > 0 ? ['store_damaged'] : []),
      ...(moveBodies.state().isDone && indexWords.state().isDone ? [] : ['store_upgrading']),
      ...(isBehind ? ['ingest_behind'] : []),
    ],
  };
}
