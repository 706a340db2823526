import type { Webhook } from '../../../model/events/webhook.ts';
import type { OrganizationId } from '../../../model/ids.ts';
import type { Arrivals } from '../../../query/stream/rows.ts';
import type { BodyReading } from '../../../reading/body-runs.ts';
import type { FollowingPorts } from './announce.ts';
import { RequestEventProducer } from './request-event-producer.ts';
import { makeTurns } from './turns.ts';
import { UpdateEventProducer } from './update-event-producer.ts';

/** The order in which records are stored. */
export interface OrderOfStorage {
  readonly through: number;
  /** @returns a function that ends the watch. */
  readonly watch: (organizationId: OrganizationId, onStored: (times: Arrivals | undefined) => void) => () => void;
}

export interface FollowerOptions extends Omit<FollowingPorts, 'highWatermark'> {
  readonly order: OrderOfStorage;
  readonly definitions: {
    readonly enabled: () => readonly Webhook[];
    readonly watch: (watch: () => void) => () => void;
  };
  readonly readingOf: (organizationId: OrganizationId, signal: AbortSignal) => BodyReading;
}

interface Following {
  readonly requests: RequestEventProducer;
  readonly updates: UpdateEventProducer;
  readonly end: () => void;
}

/**
 * # From stored records to deliveries
 *
 * Webhooks follow the order of storage (`ingest/batch/stored-order.ts`). Each has a position in it, which one transaction moves together with
 * the deliveries of the records up to it. So a stored record is announced at least once whatever is killed, and the ingest waits for nothing.
 * Changes of stored records are noted (`update-notes.ts`) before they are acknowledged, and followed in the same way.
 *
 * Organisations without a webhook are not followed.
 */
export class WebhookFollower {
  private readonly options: FollowerOptions;
  private readonly followings = new Map<OrganizationId, Following>();
  private readonly stopping = new AbortController();
  private readonly turns = makeTurns();
  private endWatch: () => void = () => undefined;

  constructor(options: FollowerOptions) {
    this.options = options;
  }

  start(): void {
    this.endWatch = this.options.definitions.watch(() => this.follow());
    this.follow();
  }

  /** Updates of the organisation were noted. */
  wake(organizationId: OrganizationId): void {
    this.followings.get(organizationId)?.updates.run();
  }

  /** Delay of the slowest webhook behind the stored records, milliseconds. */
  behindMs(): number {
    return Math.max(0, ...[...this.followings.values()].map(({ requests }) => requests.behindMs()));
  }

  async stop(): Promise<void> {
    this.endWatch();
    const closing = [...this.followings.values()].map(close);
    this.stopping.abort(new Error('The service is stopping.'));
    await Promise.all(closing);
  }

  private follow(): void {
    const byOrganization = new Map<OrganizationId, Webhook[]>();
    const enabled = this.options.definitions.enabled();
    for (const webhook of enabled) {
      byOrganization.set(webhook.organizationId, [...(byOrganization.get(webhook.organizationId) ?? []), webhook]);
    }
    this.options.quota.retain(new Set(enabled.map(({ id }) => id)));
    for (const [organizationId, following] of this.followings) {
      if (byOrganization.has(organizationId)) continue;
      void close(following);
      this.followings.delete(organizationId);
    }
    for (const [organizationId, webhooks] of byOrganization) {
      const { requests, updates } = this.followingOf(organizationId);
      requests.define(webhooks);
      updates.define(webhooks);
    }
  }

  private followingOf(organizationId: OrganizationId): Following {
    const there = this.followings.get(organizationId);
    if (there !== undefined) return there;
    const { order, readingOf, ...options } = this.options;
    const ports: FollowingPorts = { ...options, highWatermark: () => order.through };
    const reading = (): BodyReading => readingOf(organizationId, this.stopping.signal);
    const requests = new RequestEventProducer(reading, ports, this.turns);
    const following: Following = {
      requests,
      updates: new UpdateEventProducer(reading(), ports, this.turns),
      end: order.watch(organizationId, (times) => requests.note(times)),
    };
    this.followings.set(organizationId, following);
    return following;
  }
}

async function close({ requests, updates, end }: Following): Promise<void> {
  end();
  await Promise.all([requests.close(), updates.close()]);
}
