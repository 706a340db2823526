import type { SessionPorts } from '../../api/ports.ts';
import { RequestChanges } from '../../ingest/changes/request-changes.ts';
import { SessionChanges } from '../../ingest/changes/session-changes.ts';
import { LaterTexts, type RedactionRulesOf } from '../../ingest/redaction/later-texts.ts';
import type { PendingChanges } from '../../ingest/changes/pending.ts';
import type { Drain } from '../../ingest/drain.ts';
import type { BulkJobs } from '../../jobs/bulk/bulk-jobs.ts';
import type { MetadataDatabase } from '../../metadata/database.ts';
import type { Observe } from '../../model/observation.ts';
import { systemClock } from '../../platform/clock.ts';
import { threadCpuClock, threadIdleTime } from '../../platform/thread-cpu-time.ts';
import type { Store } from '../../store/store.ts';
import { findFirst, findStored } from '../records/find-stored.ts';
import { makeBulkJobs } from './bulk-jobs.ts';

/** Maximum wait of a change for a record that is just being stored. */
const changeWaitMs = 10_000;

export interface ChangerParts {
  readonly store: Store;
  readonly database: MetadataDatabase;
  readonly pendingChanges: PendingChanges;
  /** The greatest number of any accepted change. */
  readonly latestNumber: number;
  readonly redactionRules: { readonly of: RedactionRulesOf };
  readonly observe: Observe;
}

/** Everything that changes records: of one request, of a session, of all that match a filter. */
export interface Changers {
  readonly changer: RequestChanges;
  readonly sessions: SessionChanges;
  readonly jobs: BulkJobs;
}

export function makeChangers(parts: ChangerParts, drain: Drain): Changers {
  const { store, database, pendingChanges, latestNumber, redactionRules, observe } = parts;
  const changer = new RequestChanges({
    catchUp: () => drain.catchUp(),
    inFlight: drain.inFlight,
    pendingChanges,
    findStored: (organizationId, requestId) => findStored(store, organizationId, requestId),
    changeStored: store.changeStored,
    laterTexts: new LaterTexts((organizationId) => redactionRules.of(organizationId), {
      monotonic: systemClock.monotonic,
      threadTime: threadCpuClock(),
      idleTime: threadIdleTime,
    }),
    now: systemClock.now,
    latestNumber,
    storeWaitMs: changeWaitMs,
  });
  const sessions = new SessionChanges({
    catchUp: () => drain.catchUp(),
    inFlight: drain.inFlight,
    pendingChanges,
    requests: changer,
    findFirst: (organizationId, sessionId) => findFirst(store, organizationId, sessionId),
    changeStored: store.changeStoredSession,
    setTag: store.setSessionTag,
  });
  return { changer, sessions, jobs: makeBulkJobs({ database, store, drain, changer, observe }) };
}

export function sessionPorts(sessions: SessionChanges): SessionPorts {
  return {
    setProperties: (principal, sessionId, values) => sessions.setProperties(principal, sessionId, values),
    rate: (principal, sessionId, rating) => sessions.rate(principal, sessionId, rating),
    tag: (principal, sessionId, tag) => sessions.tag(principal, sessionId, tag),
    isInFlight: (organizationId, sessionId) => sessions.isInFlight(organizationId, sessionId),
  };
}
