import { describe, expect, it } from 'vitest';
import type { OrganizationId } from '../../model/ids.ts';
import type { Gate } from './gate.ts';
import { Slots } from './slots.ts';

const organization = (index: number): OrganizationId => `01890000-0000-7000-8000-00000000000${index}` as OrganizationId;
const gateOf = (slots: Slots, owner: number, name: number): Gate => slots.gateOf(organization(owner), `${owner} ${name}`, 0);

/** Begins all that an organisation with so many slow destinations may. @returns how many. */
function fill(slots: Slots, owner: number, destinations = 100): number {
  let begun = 0;
  for (let name = 0; name < destinations; name += 1) {
    const gate = gateOf(slots, owner, name);
    for (; slots.free(gate) > 0; begun += 1) slots.began(gate);
  }
  return begun;
}

describe('places for attempts', () => {
  it('are left for the next organisation, however many have filled their share', () => {
    const slots = new Slots(8, () => 0);
    expect([1, 2, 3, 4, 5, 6, 7].map((owner) => fill(slots, owner))).toEqual([128, 64, 32, 16, 8, 4, 2]);
    expect(slots.free(gateOf(slots, 8, 0))).toBeGreaterThan(0);
  });

  it('within an organisation are left for the next destination', () => {
    const slots = new Slots(8, () => 0);
    expect(fill(slots, 1, 80)).toBeLessThan(128);
    expect(slots.free(gateOf(slots, 1, 80))).toBe(1);
  });

  it('that become free go to the organisation with the fewest, and on when it has nothing to send', () => {
    const slots = new Slots(64, () => 0);
    // Every place is taken.
    for (let owner = 1; slots.inFlight < 256 && owner < 9; owner += 1) fill(slots, owner, 200);
    const woken: string[] = [];
    for (const [owner, name] of [
      [1, 500],
      [9, 0],
      [9, 1],
    ] as const) {
      slots.await(gateOf(slots, owner, name), () => woken.push(`${owner} ${name}`));
    }
    const ended = gateOf(slots, 1, 0);
    ended.succeeded();
    slots.ended(ended);
    expect(woken).toEqual(['9 0']);
    slots.passOn();
    slots.passOn();
    expect(woken).toEqual(['9 0', '9 1']);
  });
});
