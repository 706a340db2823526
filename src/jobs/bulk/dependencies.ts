import type { RequestChanges } from '../../ingest/changes/request-changes.ts';
import type { Drain } from '../../ingest/drain.ts';
import type { MetadataDatabase } from '../../metadata/database.ts';
import type { Observe } from '../../model/observation.ts';
import type { Store } from '../../store/store.ts';

/** Parts of other rooms. */
export interface BulkJobDependencies {
  readonly database: MetadataDatabase;
  readonly store: Pick<Store, 'jobLists' | 'changeNext'>;
  readonly drain: Pick<Drain, 'catchUp' | 'inFlight'>;
  readonly changer: Pick<RequestChanges, 'exclusive' | 'stamp' | 'laterTexts'>;
  readonly observe: Observe;
}
