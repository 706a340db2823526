import type { OrganizationId } from '../../model/ids.ts';
import { dropGroups, readAlertRules, readGroups } from '../stored/read-known.ts';
import type { EventsDatabase } from '../../events/database/database.ts';
import { Slices } from '../../platform/bounds/slices.ts';
import { groupBytes } from '../machine/evaluate.ts';
import { memoryOf } from '../machine/stored-memory.ts';
import { type RuleState, unknownRule } from '../evaluation/rule-state.ts';
import type { GroupQuota } from './group-quota.ts';

/**
 * Reads what is known of all rules, within the quotas of their organisations. Groups beyond them are dropped, on disk too, those with an open
 * incident last; such an incident ends. @param at Unix milliseconds.
 */
export async function readKnownStates(events: EventsDatabase, quota: GroupQuota, at: number): Promise<Map<string, RuleState>> {
  const { evaluatedAt, rules } = await readAlertRules(events);
  const states = new Map<string, RuleState>();
  for (const [id, seen] of rules) states.set(id, { ...unknownRule, seen, evaluatedAt });
  const slices = new Slices();
  for (const hasIncident of [true, false]) {
    for await (const { rule, organizationId, groups } of readGroups(events, hasIncident)) {
      const known = states.get(rule) ?? { ...unknownRule, evaluatedAt };
      const memories = new Map(known.memories);
      let bytes = [...memories.keys()].reduce((sum, key) => sum + groupBytes(key), 0);
      const dropped: string[] = [];
      const capacity = quota.capacityOf(organizationId as OrganizationId) - quota.bytesOf(organizationId as OrganizationId) + bytes;
      for (const { key, memory } of groups) {
        if (bytes + groupBytes(key) > capacity) dropped.push(key);
        else {
          memories.set(key, memoryOf(memory));
          bytes += groupBytes(key);
        }
      }
      states.set(rule, { ...known, memories, groupsLeftOut: known.groupsLeftOut + dropped.length });
      quota.note(rule, { organizationId: organizationId as OrganizationId, bytes, wantedBytes: bytes });
      if (dropped.length > 0) await dropGroups(events, rule, dropped, at);
      await slices.turn();
    }
  }
  return states;
}
