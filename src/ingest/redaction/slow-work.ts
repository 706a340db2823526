import type { OrganizationId } from '../../model/ids.ts';
import type { WorkClocks } from '../../redaction/rule-work.ts';

/** Slow work of an organisation's rules that is done at once, and for each millisecond that the thread could have worked. */
const maxMs = 2000;
const msPerMs = 1 / 12;
/** Organisations with slow rules; the ones that were slow longest ago are forgotten. */
const maxOrganizations = 10_000;
const noRules: ReadonlySet<number> = new Set();

interface Spent {
  readonly at: number;
  readonly ms: number;
  readonly slow: SlowRules | undefined;
}

/** Rules of an organisation that were too slow on some text. */
interface SlowRules {
  /** Number of the list that they stand in. */
  readonly list: number;
  /** Their indexes. */
  readonly rules: ReadonlySet<number>;
}

/**
 * The work that rules of organisations do beyond what is quick: a twelfth of what the thread can do, with two seconds of it at once; and
 * which rules were too slow, until none of that is used up any more.
 */
export class SlowWork {
  private readonly workableMs: () => number;
  /** The latest is last. */
  private readonly spent = new Map<OrganizationId, Spent>();

  /** @param clocks on a busy machine only the time that the thread had, working or idle, counts: not what it waited for a core. */
  constructor({ monotonic, threadTime, idleTime }: WorkClocks) {
    this.workableMs = threadTime === undefined || idleTime === undefined ? monotonic : () => threadTime() + idleTime();
  }

  remainingMs(organizationId: OrganizationId): number {
    const spent = this.spent.get(organizationId);
    if (spent === undefined) return maxMs;
    return Math.max(0, maxMs - Math.max(0, spent.ms - (this.workableMs() - spent.at) * msPerMs));
  }

  /** @param list number of the list of rules that holds now. */
  slowRules(organizationId: OrganizationId, list: number): ReadonlySet<number> {
    const slow = this.spent.get(organizationId)?.slow;
    return slow?.list !== list || this.remainingMs(organizationId) === maxMs ? noRules : slow.rules;
  }

  /** @param slow a rule that was too slow. */
  count(organizationId: OrganizationId, ms: number, slow?: { readonly list: number; readonly rule: number }): void {
    if (ms <= 0) return;
    const before = maxMs - this.remainingMs(organizationId);
    const known = before === 0 ? undefined : this.spent.get(organizationId)?.slow;
    const added = slow && { list: slow.list, rules: new Set(known?.list === slow.list ? known.rules : noRules).add(slow.rule) };
    this.spent.delete(organizationId);
    this.spent.set(organizationId, { at: this.workableMs(), ms: before + ms, slow: added ?? known });
    const [oldest] = this.spent.keys();
    if (this.spent.size > maxOrganizations && oldest !== undefined) this.spent.delete(oldest);
  }
}
