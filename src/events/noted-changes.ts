import type { RequestId } from '../model/ids.ts';
import { type ChangedMemberRow, changedMembersStatement } from '../query/stream/sessions.ts';
import type { Store } from '../store/store.ts';
import type { SessionChange } from '../store/update/session-changes.ts';
import type { UpdateNotes } from './webhooks/following/update-notes.ts';

type Changing = Pick<Store, 'changeStored' | 'changeStoredSession' | 'changeNext' | 'changeStoredCosts' | 'usageRows'>;

/** Requests of a session that are noted at once. */
const membersAtOnce = 10_000;

/**
 * A store whose changes of stored requests are noted for webhooks before they return. A change that cannot be noted fails: its caller
 * repeats it.
 */
export function withNotedChanges(store: Store, notes: UpdateNotes): Store {
  return { ...store, ...notedChanges(store, notes) };
}

function notedChanges(store: Store, notes: UpdateNotes): Changing {
  return {
    changeStored: async (change) => {
      const isChanged = await store.changeStored(change);
      const { organizationId, requestId } = change.accepted;
      if (isChanged) await notes.add(organizationId, [{ requestId, createdAt: change.createdAt }]);
      return isChanged;
    },
    changeStoredSession: {
      ...store.changeStoredSession,
      update: async (change) => {
        const changed = await store.changeStoredSession.update(change);
        if (notes.isWatched(change.organizationId)) await noteSession(store, notes, change);
        return changed;
      },
    },
    changeNext: async (job, after) => {
      const result = await store.changeNext(job, after);
      await notes.add(job.organizationId, result.changed);
      return result;
    },
    // A repetition of these finds nothing to change.
    changeStoredCosts: (costs) => notes.during(costs.organizationId, costs.changes, () => store.changeStoredCosts(costs)),
    usageRows: {
      ...store.usageRows,
      complete: (call) => {
        const { requestId, billed } = call.before;
        return notes.during(call.organizationId, [{ requestId, createdAt: billed.createdAt }], () => store.usageRows.complete(call));
      },
    },
  };
}

async function noteSession({ run }: Store, notes: UpdateNotes, { organizationId, sessionId, number }: SessionChange): Promise<void> {
  let last: ChangedMemberRow | undefined;
  do {
    const statement = changedMembersStatement(organizationId, { sessionId, number, after: last, limit: membersAtOnce });
    const members = await run<ChangedMemberRow>(statement);
    const requests = members.map(({ id, created_ms: createdAt }) => ({ requestId: id as RequestId, createdAt: Number(createdAt) }));
    await notes.add(organizationId, requests);
    last = members.length < membersAtOnce ? undefined : members.at(-1);
  } while (last !== undefined);
}
