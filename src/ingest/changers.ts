import { RequestChanges } from './changes/request-changes.ts';
import { SessionChanges } from './changes/session-changes.ts';
import { LaterTexts, type RedactionRulesOf } from './redaction/later-texts.ts';
import type { PendingChanges } from './changes/pending.ts';
import type { Drain } from './drain.ts';
import { systemClock } from '../platform/clock.ts';
import { threadCpuClock, threadIdleTime } from '../platform/thread-cpu-time.ts';
import type { Store } from '../store/store.ts';
import { findFirst, findStored } from './changes/find-stored.ts';

export interface ChangerParts {
  readonly store: Store;
  readonly pendingChanges: PendingChanges;
  /** The greatest number of any accepted change. */
  readonly latestNumber: number;
  readonly redactionRules: { readonly of: RedactionRulesOf };
  readonly now?: () => number;
  /** Maximum wait of a change for a record that is just being stored. */
  readonly waitMs?: number;
}

/** What changes records: of one request, of a session. */
export interface Changers {
  readonly changer: RequestChanges;
  readonly sessions: SessionChanges;
}

export function makeChangers(parts: ChangerParts, drain: Drain): Changers {
  const { store, pendingChanges, latestNumber, redactionRules, now = systemClock.now, waitMs = 10_000 } = parts;
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
    now,
    latestNumber,
    storeWaitMs: waitMs,
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
  return { changer, sessions };
}
