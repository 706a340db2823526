import type { AcceptedChange, Change } from '../../model/change.ts';
import { GatelogError } from '../../model/errors.ts';
import type { OrganizationId, RequestId } from '../../model/ids.ts';
import type { Principal } from '../../model/principal.ts';
import { quoted } from '../../model/text.ts';
import { sessionFeedbackProperty } from '../../model/vocabulary/session-properties.ts';
import type { ChangeStoredSession, SessionChange } from '../../store/update/session-changes.ts';
import type { SetSessionTag } from '../../store/update/session-tags.ts';
import type { ExchangeIndex, TrackedExchange } from '../series/exchange.ts';
import type { PendingChanges } from './pending.ts';
import type { RequestChanges } from './request-changes.ts';

export interface StoredMember {
  readonly requestId: RequestId;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

export interface SessionChangerPorts {
  /** Reads everything that is in the spool now. */
  readonly catchUp: () => Promise<void>;
  readonly inFlight: ExchangeIndex;
  readonly pendingChanges: PendingChanges;
  readonly requests: RequestChanges;
  /** The oldest stored request of a session; undefined when the store has none. */
  readonly findFirst: (organizationId: OrganizationId, sessionId: string) => Promise<StoredMember | undefined>;
  readonly changeStored: ChangeStoredSession;
  readonly setTag: SetSessionTag;
}

/** Max requests in flight that one change may reach, and max characters stored for them. */
const maxInFlight = 10_000;
const maxInFlightCharacters = 64 * 1024 * 1024;

/** Changes whole sessions: their requests in the store and those in flight to it. */
export class SessionChanges {
  private readonly ports: SessionChangerPorts;

  constructor(ports: SessionChangerPorts) {
    this.ports = ports;
  }

  /**
   * Sets properties on every request of an existing session, in the store or in flight. Durable and visible to every later read on return.
   * No other change of the organisation runs meanwhile, so that of two changes to one name the later wins everywhere.
   * @throws GatelogError `not_found`, `query_too_large`, `store_unavailable`, or as a change of a request does.
   */
  async setProperties(principal: Principal, sessionId: string, given: ReadonlyMap<string, string>): Promise<void> {
    const { organizationId, keyId } = principal;
    const values = await this.ports.requests.laterTexts.properties(organizationId, given);
    await this.ports.requests.exclusive(organizationId, async () => {
      const members = await this.membersInFlight(organizationId, sessionId);
      const change: SessionChange = { organizationId, sessionId, values, keyId, ...this.ports.requests.stamp() };
      if ((await this.ports.changeStored.count(change)) === 0 && members.length === 0) throw sessionNotFound(sessionId);
      // History first: a changed request has the number of the change, and a reader must find that in the history.
      await this.ports.changeStored.writeHistory(change);
      const appended = await this.appendInFlight(members, change);
      await Promise.all(members.filter((member) => !appended.has(member)).map((member) => this.ports.requests.whenSettled(member)));
      const changed = await this.ports.changeStored.update(change);
      if (changed === 0 && appended.size === 0) throw sessionNotFound(sessionId);
    });
  }

  /** Rates a session: sets the feedback property on its first request. @throws GatelogError as a change of that request does. */
  async rate(principal: Principal, sessionId: string, rating: boolean): Promise<void> {
    const { organizationId } = principal;
    const members = await this.membersInFlight(organizationId, sessionId);
    const stored = await this.ports.findFirst(organizationId, sessionId);
    const all = [
      ...members.map(({ requestId, openedAt }): StoredMember => ({ requestId, createdAt: openedAt })),
      ...(stored === undefined ? [] : [stored]),
    ];
    const [first] = all.toSorted(byArrival);
    if (first === undefined) throw sessionNotFound(sessionId);
    const values = new Map([[sessionFeedbackProperty, rating ? '1' : '0']]);
    await this.ports.requests.change(principal, first.requestId, { kind: 'property', values });
  }

  /** Tags a session. @param given empty: removes the tag. @throws GatelogError `not_found` for a session without a request. */
  async tag({ organizationId, keyId }: Principal, sessionId: string, given: string): Promise<void> {
    const tag = await this.ports.requests.laterTexts.tag(organizationId, given);
    await this.ports.requests.shared(organizationId, async () => {
      // In this order: the second lookup finds a request that was stored after the first.
      const isKnown =
        (await this.isInFlight(organizationId, sessionId)) || (await this.ports.findFirst(organizationId, sessionId)) !== undefined;
      if (!isKnown) throw sessionNotFound(sessionId);
      await this.ports.setTag({ organizationId, sessionId, tag, keyId, ...this.ports.requests.stamp() });
    });
  }

  async isInFlight(organizationId: OrganizationId, sessionId: string): Promise<boolean> {
    return (await this.membersInFlight(organizationId, sessionId)).length > 0;
  }

  private async membersInFlight(organizationId: OrganizationId, sessionId: string): Promise<readonly TrackedExchange[]> {
    if (sessionId === '') return [];
    const { catchUp, pendingChanges, inFlight } = this.ports;
    await catchUp();
    const moved = await pendingChanges.sessionsOf(organizationId);
    const tagged = inFlight.ofSession(organizationId, sessionId);
    const movedHere = [...moved].flatMap(([id, session]) => (session === sessionId ? (inFlight.find(organizationId, id) ?? []) : []));
    return [...new Set([...tagged.filter(({ requestId }) => (moved.get(requestId) ?? sessionId) === sessionId), ...movedHere])];
  }

  /**
   * @returns the members whose records will contain the change; the others are being stored or have no space, and are changed in the
   * store.
   */
  private async appendInFlight(members: readonly TrackedExchange[], change: SessionChange): Promise<ReadonlySet<TrackedExchange>> {
    // TRICKY: no `await` between the check of the state and the tracking, else an exchange could be frozen without the change.
    const inFlight = members.filter((member) => member.state === 'pending' && member.hasSpaceFor(changeOfMember(change)));
    let characters = 0;
    for (const [name, value] of change.values) characters += name.length + value.length;
    if (inFlight.length > maxInFlight || inFlight.length * characters > maxInFlightCharacters) {
      throw new GatelogError('store_unavailable', 'Too many requests of the session are on their way to the store. Try again in a moment.');
    }
    for (const member of inFlight) member.reserveSpace(changeOfMember(change));
    const write = this.ports.pendingChanges.appendAll(inFlight.map(({ requestId }) => acceptedFor(requestId, change)));
    await Promise.all(inFlight.map((exchange) => exchange.trackChange(write)));
    return new Set(inFlight);
  }
}

function acceptedFor(requestId: RequestId, change: SessionChange): AcceptedChange {
  const { organizationId, keyId, acceptedAt, number } = change;
  return { organizationId, requestId, change: changeOfMember(change), keyId, acceptedAt, number };
}

/** The change of a session as a change of one of its requests. */
function changeOfMember({ values }: SessionChange): Change {
  return { kind: 'session_property', values };
}

function byArrival(left: StoredMember, right: StoredMember): number {
  return left.createdAt - right.createdAt || (left.requestId < right.requestId ? -1 : 1);
}

function sessionNotFound(sessionId: string): GatelogError {
  return new GatelogError('not_found', `No session ${quoted(sessionId)} is on record.`);
}
