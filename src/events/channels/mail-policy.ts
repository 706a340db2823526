import type { StoredChannel } from '../../model/events/channel.ts';
import type { OrganizationId } from '../../model/ids.ts';

/** To whom organisations may send mail in the operator's name, and how much. */
export interface MailPolicy {
  /** Lower-case domains of recipients; empty: any, to at most `maxRecipients`. */
  readonly domains: readonly string[];
  /** Different recipients of one organisation, where `domains` is empty. */
  readonly maxRecipients: number;
  /** Mails of one organisation in an hour; one to several recipients counts once for each. */
  readonly maxPerHour: number;
}

/** @returns why nothing may be sent to an address, in a sentence; undefined when it may. */
export function recipientProblem({ domains }: Pick<MailPolicy, 'domains'>, address: string): string | undefined {
  const domain = address.slice(address.lastIndexOf('@') + 1).toLowerCase();
  if (domains.length === 0 || domains.includes(domain)) return undefined;
  return `This deployment sends mail to ${domains.join(', ')} only (GATELOG_MAIL_DOMAINS), and not to ${domain}.`;
}

/** Addresses that an organisation mails. */
export interface Recipients {
  /** Of its other rules, and of the channels before. */
  readonly others: ReadonlySet<string>;
  /** Of the rule until now: it may go on to mail them. */
  readonly present: ReadonlySet<string>;
}

/** @param to of a channel. @returns as {@link recipientProblem}. */
export function tooManyRecipients(policy: MailPolicy, { others, present }: Recipients, to: readonly string[]): string | undefined {
  const own = to.map((address) => address.toLowerCase());
  const all = new Set([...others, ...own]);
  const isKnown = own.every((address) => others.has(address) || present.has(address));
  if (policy.domains.length > 0 || all.size <= policy.maxRecipients || isKnown) return undefined;
  return `The rules of an organisation mail at most ${policy.maxRecipients} different addresses (GATELOG_MAIL_RECIPIENTS_MAX), and with these it would be ${all.size}. Write to a list, or let the operator name the domains of recipients (GATELOG_MAIL_DOMAINS).`;
}

/** The addresses that channels mail, in lower case. */
export function recipientsOf(channels: Iterable<StoredChannel>): Set<string> {
  const found = new Set<string>();
  for (const { type, shown } of channels) if (type === 'email') for (const address of shown.to ?? []) found.add(address.toLowerCase());
  return found;
}

const hourMs = 3_600_000;

interface Bucket {
  left: number;
  at: number;
}

/** What each organisation may still mail. It fills steadily, from empty within an hour. */
export class MailAllowance {
  private readonly maxPerHour: number;
  private readonly now: () => number;
  private readonly buckets = new Map<OrganizationId, Bucket>();

  /** @param now milliseconds of a clock that never steps back. */
  constructor(maxPerHour: number, now: () => number) {
    this.maxPerHour = maxPerHour;
    this.now = now;
  }

  /** Takes a mail's recipients from what is left. @returns why it may not be sent now, in a sentence; undefined when it may. */
  take(organizationId: OrganizationId, recipients: number): string | undefined {
    const at = this.now();
    const known = this.buckets.get(organizationId) ?? { left: this.maxPerHour, at };
    const left = Math.min(this.maxPerHour, known.left + ((at - known.at) / hourMs) * this.maxPerHour);
    const isSent = recipients <= left;
    const after = isSent ? left - recipients : left;
    // Full ones are as good as unknown ones.
    for (const [id, bucket] of this.buckets) if (at - bucket.at >= hourMs) this.buckets.delete(id);
    this.buckets.set(organizationId, { left: after, at });
    if (isSent) return undefined;
    return `The organisation has sent the ${this.maxPerHour} mails that it may send in an hour, each recipient counted (GATELOG_MAIL_PER_HOUR), and this one was not sent.`;
  }
}
