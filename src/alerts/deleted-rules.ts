import type { NewDelivery } from '../model/events/event.ts';
import type { AlertDefinitions } from './definitions.ts';

type Target = Pick<NewDelivery, 'organizationId' | 'target'>;

/** Channels of a deleted rule are told for so long that what it told has ended. */
const deletedRuleMs = 60_000;

/** Deleted rules whose channels are still told so. A restart forgets them. */
export class DeletedRules {
  private readonly definitions: AlertDefinitions;
  private readonly since = new Map<string, number>();

  constructor(definitions: AlertDefinitions) {
    this.definitions = definitions;
  }

  /**
   * Forgets deleted rules that tell nothing any more. @param delivered deliveries that were made now. @returns the channels that are gone, of
   * which the outbox removes what it has.
   */
  releaseFinished(at: number, delivered: readonly Target[]): readonly Target[] {
    for (const { target } of delivered) if (target.kind === 'channel') this.since.set(target.alertId, at);
    const finished = this.definitions.deletedRuleIds().filter((id) => at - (this.since.get(id) ?? -Infinity) >= deletedRuleMs);
    return finished.flatMap((id): readonly Target[] => {
      const { organizationId, channels = [] } = this.definitions.deletedRule(id) ?? {};
      this.since.delete(id);
      this.definitions.forget(id);
      if (organizationId === undefined) return [];
      return channels.map((channel) => ({ organizationId, target: { kind: 'channel', alertId: id, channelId: channel.id } }));
    });
  }
}
