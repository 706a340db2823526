import type { OrganizationId, RequestId } from '../../model/ids.ts';
import { ByteBoundedMap } from '../../platform/bounds/byte-bounded-map.ts';

/** Of two identifiers and their entry. */
const bytesOfEntry = 256;
const bounds = { maxBytes: 32 * 1024 * 1024, maxBytesOfOwner: 8 * 1024 * 1024 } as const;
/** A record that went into another may be one that others went into. */
const maxSteps = 4;

/** Remembers which record has the call of a span, so that what its ancestors tell later goes there. */
export class JoinedCalls {
  private readonly joined = new ByteBoundedMap<RequestId>(bounds);

  note(organizationId: OrganizationId, from: RequestId, into: RequestId): void {
    if (from !== into) this.joined.set(organizationId, from, into, bytesOfEntry);
  }

  /** The record that has the call of this one now; itself where it went into none. */
  find(organizationId: OrganizationId, requestId: RequestId): RequestId {
    let found = requestId;
    for (let step = 0; step < maxSteps; step += 1) found = this.joined.get(organizationId, found) ?? found;
    return found;
  }
}
