import { isDeepStrictEqual } from 'node:util';
import type { AlertRule } from '../contract/events/alerts.ts';
import type { ChannelInput } from '../model/events/channel.ts';
import type { FieldChange } from '../model/events/rule-set.ts';
import type { FaultPath } from '../model/fault.ts';
import type { Uuid } from '../model/ids.ts';
import type { Alert } from './machine/rule.ts';

/** A rule as a caller gives it, its channels apart. */
export interface AlertInput {
  readonly rule: AlertRule;
  readonly channels: readonly ChannelInput[];
}

export interface AlertChange {
  /** Of the rule with this name; null: there is none yet. */
  readonly id: Uuid | null;
  readonly fields: readonly FieldChange[];
}

/** The mute of a rule is for people at work; a rule that does not name it leaves it. */
export function withMuteOf(present: Alert, { rule, channels }: AlertInput): AlertInput {
  return { rule: { ...(present.rule.mute_until === undefined ? {} : { mute_until: present.rule.mute_until }), ...rule }, channels };
}

/** The path of a fault in the list as it was given. @param known the channels that were looked at, with their indices. */
export function channelPath(path: FaultPath, known: readonly (readonly [number, unknown])[]): FaultPath {
  const [field, index, ...rest] = path;
  if (field !== 'channels' || typeof index !== 'number') return path;
  return [field, known[index]?.[0] ?? index, ...rest];
}

/** Names the channels of a rule, in their order. */
export function idsOf({ channels }: Alert): string {
  return channels.map(({ id }) => id).join();
}

/** Fields that differ in the shape of the API. */
export function changedFields(before: AlertRule, after: AlertRule): readonly FieldChange[] {
  const [old, present] = [before, after].map((rule) => JSON.parse(JSON.stringify(rule)) as Readonly<Record<string, unknown>>);
  const names = new Set([...Object.keys(old ?? {}), ...Object.keys(present ?? {})]);
  return [...names]
    .map((field) => ({ field, before: old?.[field] ?? null, after: present?.[field] ?? null }))
    .filter((change) => !isDeepStrictEqual(change.before, change.after));
}
