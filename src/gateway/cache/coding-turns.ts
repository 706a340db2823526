import type { OrganizationId } from '../../model/ids.ts';
import { FairSemaphore } from '../../platform/fair-semaphore.ts';
import { decodeBuffered, encodeIn } from '../http/content-coding.ts';

/** Bytes of one organisation's replies that wait or have their turn. Unpacking some kilobytes may give megabytes, and replies come faster than that. */
const maxHeldBytes = 8 * 1024 * 1024;
/** Of a reply beside its body: replies of a few bytes count too, as no call bounds how many wait. */
const overheadBytes = 4 * 1024;
/** What is packed at once, as a client waits for it. */
const smallBytes = 64 * 1024;

/**
 * Unpacks replies that the cache is to keep, and packs those that it has, one at a time in a worker and organisations in turn: the calls of
 * all others share its threads and memory.
 */
export class CodingTurns {
  private readonly turns = new FairSemaphore({
    units: 1,
    maxUnitsOfOwner: 1,
    maxWaitingOfOwner: Infinity,
    refusal: () => new Error('Too many replies wait.'),
  });
  private readonly heldBytes = new Map<OrganizationId, number>();

  /**
   * @param coding a `Content-Encoding`.
   * @returns undefined for what {@link decodeBuffered} cannot decode.
   * @throws when too many replies of the organisation wait.
   */
  async unpack(organizationId: OrganizationId, bytes: Buffer, { coding, maxBytes }: Packed): Promise<Buffer | undefined> {
    return this.inTurn(organizationId, bytes.length, () => decodeBuffered(bytes, coding, maxBytes));
  }

  /**
   * @param coding one that {@link encodeIn} knows.
   * @throws when too many replies of the organisation wait.
   */
  async pack(organizationId: OrganizationId, bytes: Buffer, coding: string): Promise<Buffer> {
    return bytes.length <= smallBytes ? encodeIn(coding, bytes) : this.inTurn(organizationId, bytes.length, () => encodeIn(coding, bytes));
  }

  private async inTurn<Result>(owner: OrganizationId, bytes: number, work: () => Promise<Result>): Promise<Result> {
    const added = bytes + overheadBytes;
    const held = (this.heldBytes.get(owner) ?? 0) + added;
    // One reply alone may have more.
    if (held > maxHeldBytes && held > added) throw new Error('Too many replies of the organisation wait to be packed or unpacked.');
    this.heldBytes.set(owner, held);
    try {
      const turn = await this.turns.acquire(1, { owner });
      try {
        return await work();
      } finally {
        turn.release();
      }
    } finally {
      this.letGo(owner, added);
    }
  }

  private letGo(owner: OrganizationId, bytes: number): void {
    const left = (this.heldBytes.get(owner) ?? 0) - bytes;
    if (left > 0) this.heldBytes.set(owner, left);
    else this.heldBytes.delete(owner);
  }
}

interface Packed {
  readonly coding: string;
  readonly maxBytes: number;
}
