import { v7 } from 'uuid';
import type { MetadataQueries } from '../metadata/database.ts';
import { deleteRow } from '../metadata/organization/delete-row.ts';
import {
  addAlertRule,
  type AlertRefusal,
  listAllAlertRules,
  listWithoutOffer,
  offerAlertRules,
  replaceAlertRule,
} from '../metadata/organization/alert-rules.ts';
import type { AlertRule } from '../contract/events/alerts.ts';
import type { OrganizationId, Uuid } from '../model/ids.ts';
import { alertLimits } from '../model/events/alert-vocabulary.ts';
import type { Alert } from './machine/rule.ts';

/** Rules that every organisation gets once; they are off until they have a channel. */
const offeredRules: readonly AlertRule[] = [
  {
    name: 'Spend far above the last seven days',
    metric: 'cost',
    threshold: 300,
    time_window: 3_600_000,
    minimum_request_count: 20,
    baseline: { days: 7 },
  },
  {
    name: 'Error rate far above the last seven days',
    metric: 'response.status',
    threshold: 300,
    time_window: 3_600_000,
    minimum_request_count: 20,
    baseline: { days: 7 },
  },
];

/**
 * The rules of all organisations. The core alone writes them, so they are in memory too. Invariant: what is read was stored before.
 */
export class AlertDefinitions {
  private readonly database: MetadataQueries;
  private readonly alerts: Map<Uuid, Alert>;
  /** Rules that were deleted, while their channels are told that it ended. */
  private readonly deletedRules = new Map<Uuid, Alert>();

  private constructor(database: MetadataQueries, stored: readonly Alert[]) {
    this.database = database;
    this.alerts = new Map(stored.map((alert) => [alert.id, alert]));
  }

  static async open(database: MetadataQueries): Promise<AlertDefinitions> {
    return new AlertDefinitions(database, await listAllAlertRules<AlertRule>(database));
  }

  all(): Iterable<Alert> {
    return this.alerts.values();
  }

  /** Newest first. */
  of(organizationId: OrganizationId): readonly Alert[] {
    return [...this.alerts.values()].filter((alert) => alert.organizationId === organizationId).toReversed();
  }

  find(organizationId: OrganizationId, id: Uuid): Alert | undefined {
    const alert = this.alerts.get(id);
    return alert?.organizationId === organizationId ? alert : undefined;
  }

  /** Durable on return. */
  async add(alert: Alert): Promise<AlertRefusal | undefined> {
    const refusal = await addAlertRule(this.database, alert, alertLimits.rules);
    if (refusal === undefined) this.alerts.set(alert.id, alert);
    return refusal;
  }

  /** Durable on return. */
  async replace(alert: Alert): Promise<'unknown' | Exclude<AlertRefusal, 'too_many'> | undefined> {
    const refusal = await replaceAlertRule(this.database, alert);
    if (refusal === undefined) this.alerts.set(alert.id, alert);
    return refusal;
  }

  /** Durable on return. @returns false when the organisation has none of this identifier. */
  async remove(organizationId: OrganizationId, id: Uuid): Promise<boolean> {
    if (!(await deleteRow(this.database, 'alert_rules', organizationId, id))) return false;
    const alert = this.alerts.get(id);
    if (alert !== undefined) this.deletedRules.set(id, alert);
    this.alerts.delete(id);
    return true;
  }

  /** A rule that was deleted, until {@link forget}. */
  deletedRule(id: string): Alert | undefined {
    return this.deletedRules.get(id as Uuid);
  }

  deletedRuleIds(): readonly Uuid[] {
    return [...this.deletedRules.keys()];
  }

  forget(id: Uuid): void {
    this.deletedRules.delete(id);
  }

  /** Offers rules to organisations that were not offered any yet. @param now Unix milliseconds. */
  async offer(now: number): Promise<void> {
    for (const organizationId of await listWithoutOffer(this.database)) {
      const taken = new Set(this.of(organizationId).map(({ rule }) => rule.name));
      const alerts = offeredRules
        .filter(({ name }) => !taken.has(name))
        .map(
          (rule) =>
            ({
              id: v7() as Uuid,
              organizationId,
              rule,
              channels: [],
              limitPolicy: null,
              offered: true,
              createdAt: now,
              changedAt: now,
            }) satisfies Alert,
        );
      await offerAlertRules(this.database, organizationId, alerts, now);
      for (const alert of alerts) this.alerts.set(alert.id, alert);
    }
  }
}
