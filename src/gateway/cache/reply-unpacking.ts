import type { OrganizationId } from '../../model/ids.ts';
import { FairSemaphore } from '../../platform/fair-semaphore.ts';
import { decodeBuffered } from '../http/content-coding.ts';

/** Of one organisation. A further reply is not kept: unpacking some kilobytes may give megabytes, and replies come faster than that. */
const maxWaiting = 8;

/** Unpacks replies for the cache, one at a time in a worker, organisations in turn: the calls of all others share its threads and memory. */
export class ReplyUnpacking {
  private readonly turns = new FairSemaphore({
    units: 1,
    maxUnitsOfOwner: 1,
    maxWaitingOfOwner: maxWaiting,
    refusal: () => new Error('Too many replies wait to be unpacked.'),
  });

  /**
   * @param coding a `Content-Encoding`.
   * @returns undefined for what {@link decodeBuffered} cannot decode.
   * @throws when too many replies of the organisation wait.
   */
  async unpack(organizationId: OrganizationId, bytes: Buffer, { coding, maxBytes }: Packed): Promise<Buffer | undefined> {
    const turn = await this.turns.acquire(1, { owner: organizationId });
    try {
      return await decodeBuffered(bytes, coding, maxBytes);
    } finally {
      turn.release();
    }
  }
}

interface Packed {
  readonly coding: string;
  readonly maxBytes: number;
}
