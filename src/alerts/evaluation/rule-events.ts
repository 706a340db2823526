import { GatelogError } from '../../model/errors.ts';
import type { AlertMessage } from '../../model/events/alert-message.ts';
import type { AlertRulesSeenTable } from '../../events/schema/alert-tables.ts';
import { historyRow } from './changes.ts';
import type { RuleChanges } from '../stored/write.ts';
import type { Evaluated, Memories } from '../machine/evaluate.ts';
import { type AlertLink, ruleMessage } from './messages.ts';
import { noticesOf } from '../machine/notices.ts';
import type { ReadyAlert } from '../machine/rule.ts';
import type { StepEvent } from '../machine/state.ts';

/** Failed evaluations in a row after which a notice is sent. */
const notifyAfterFailures = 3;

interface RuleEvent {
  readonly seen: AlertRulesSeenTable | undefined;
  readonly history: RuleChanges['history'];
  readonly messages: readonly AlertMessage[];
}

function unseen({ alert, fingerprint }: ReadyAlert, since: number): AlertRulesSeenTable {
  return {
    rule_id: alert.id,
    organization_id: alert.organizationId,
    fingerprint,
    measured_since: since,
    errors: 0,
    error: null,
    error_told: 0,
  };
}

/** An evaluation failed. It changes no group. */
export function failed(
  ready: ReadyAlert,
  known: AlertRulesSeenTable | undefined,
  { error, at }: { readonly error: unknown; readonly at: number },
  linkOf: AlertLink,
): RuleEvent {
  const before = known ?? unseen(ready, at);
  const errors = before.errors + 1;
  const reason = error instanceof GatelogError ? error.message : 'The evaluation failed.';
  const { muteUntil } = ready.rules;
  const isNotified = errors >= notifyAfterFailures && before.error_told === 0 && (muteUntil === null || at >= muteUntil);
  return {
    seen: { ...before, errors, error: reason, error_told: isNotified ? 1 : before.error_told },
    history: before.errors === 0 ? [{ ...historyRow(ready, at), state: 'error', reason }] : [],
    messages: isNotified ? [ruleMessage(ready, { kind: 'error', at, reason, dedupKey: errorKey(ready), open: 1 }, linkOf)] : [],
  };
}

/** An evaluation succeeded. @returns nothing to write when the one before did, too. */
export function succeeded(ready: ReadyAlert, known: AlertRulesSeenTable | undefined, at: number, linkOf: AlertLink): RuleEvent {
  if (known?.errors === 0 && known.fingerprint === ready.fingerprint) return { seen: undefined, history: [], messages: [] };
  const reason = 'The evaluation works again.';
  const messages =
    known?.error_told === 1 ? [ruleMessage(ready, { kind: 'resolved', at, reason, dedupKey: errorKey(ready), open: 0 }, linkOf)] : [];
  const since = known?.fingerprint === ready.fingerprint ? known.measured_since : at;
  return { seen: unseen(ready, since), history: [], messages };
}

function errorKey({ alert }: ReadyAlert): string {
  return `${alert.id}/error`;
}

/** Ends every incident of a rule: it measures something else now, or is off. */
export function closedByChange(ready: ReadyAlert, known: Memories, at: number): Evaluated {
  const open = [...known].flatMap(([key, { incident }]) => (incident === null ? [] : [{ key, incident }]));
  const steps = new Map<string, readonly StepEvent[]>(
    open.map(({ key, incident }) => [key, incident.notifiedAt === null ? [] : [{ kind: 'notify', message: 'resolved', incident }]]),
  );
  return {
    memories: new Map(),
    changed: new Map([...known].map(([key, before]) => [key, { before, after: undefined }])),
    entered: open.map(({ key, incident }) => ({ key, state: 'ok', value: null, incidentId: incident.id })),
    incidents: open.map(({ key, incident }) => ({ key, incident, endedAt: at })),
    notices: noticesOf(ready, steps, new Map()),
    leftOut: 0,
    bytes: 0,
    wantedBytes: 0,
  };
}
