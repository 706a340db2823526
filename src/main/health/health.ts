import type { ApiHealth } from '../../api/ports.ts';
import type { Drain } from '../../ingest/drain.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Store } from '../../store/store.ts';
import type { AnswerWatch } from './probe.ts';

/** Age at which what waits for the store says that the ingest is behind, milliseconds. */
const behindMs = 60_000;

/** What is asked whether it answers. */
export interface Watches {
  readonly store: AnswerWatch;
  readonly metadata: AnswerWatch;
}

/** While there is no room in the store the ingest waits, as it should: it does not drain then, and what is stored can be read. */
export async function healthOf(
  watches: Watches,
  drain: Pick<Drain, 'oldestWaitingMs' | 'isDraining'>,
  { hasRoom: isRoom, damage }: Pick<Store, 'hasRoom' | 'damage'>,
): Promise<ApiHealth> {
  const [storeAnswers, takesChanges] = await Promise.all([watches.store.answers(), watches.metadata.answers()]);
  const hasRoom = isRoom();
  const isBehind = drain.oldestWaitingMs(systemClock.now()) > behindMs;
  return {
    failing: [...(storeAnswers ? [] : ['store']), ...(drain.isDraining() && hasRoom ? [] : ['ingest'])],
    degraded: [
      ...(takesChanges ? [] : ['metadata']),
      ...(hasRoom ? [] : ['store_full']),
      ...(damage.parts().length > 0 ? ['store_damaged'] : []),
      ...(isBehind ? ['ingest_behind'] : []),
    ],
  };
}
