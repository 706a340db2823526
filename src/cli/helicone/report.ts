import { shownAmount } from '../base/progress.ts';
import { textTable } from '../../config/text-table.ts';
import { moneyOfUnits, moneyText, usdOf } from '../../model/pricing/money.ts';
import type { Money } from '../../model/pricing/money.ts';
import { type DayTally, type Difference, differences, type SideTally, type Tally } from './tally.ts';

export interface ReportOf {
  readonly tally: Tally;
  readonly isDryRun: boolean;
  /** Where the records come from. */
  readonly source: string;
  /** The first few identifiers that were read. */
  readonly sample: readonly string[];
}

const head = ['DAY', 'REQUESTS', 'HERE', 'TOKENS', 'HERE', 'COST USD', 'HERE', 'WHY'];

/** The reconciliation for people: by day, there and here, and the reasons. */
export function textReport({ tally, isDryRun, source, sample }: ReportOf): string {
  const days = [...tally.days].toSorted(([one], [other]) => (one < other ? -1 : 1));
  const total = tally.total();
  const rows = [...days, ['all', total] as const].map(([day, sums]) => rowOf(day, sums, isDryRun));
  const parts = [summary({ total, isDryRun, source })];
  if (days.length > 0) parts.push(textTable([head, ...rows]));
  const reasons = reasonLines(total);
  if (reasons.length > 0) parts.push(reasons.join('\n'));
  if (isDryRun && sample.length > 0) parts.push(`Among them: ${sample.join(', ')}`);
  return parts.join('\n\n');
}

function summary({ total, isDryRun, source }: { readonly total: DayTally; readonly isDryRun: boolean; readonly source: string }): string {
  const { there, imported, already, counts } = total;
  if (isDryRun) {
    return `${shownAmount(there.requests, 'request')} in ${source}: ${there.requests - already - counts.rejected} to import, ${already} here already, ${counts.rejected} would be rejected. Nothing was imported.`;
  }
  const verdict = isReconciled(total) ? 'Both sides agree.' : 'The sides differ; the table says where and why.';
  return `${shownAmount(there.requests, 'request')} in ${source}: ${imported} imported, ${already} here already, ${counts.rejected} rejected. ${verdict}`;
}

/** Whether all that was read is here with the same sums, and nothing that the other side counts was left unread. */
export function isReconciled({ there, here, counts, counted }: DayTally): boolean {
  const isSame = there.requests === here.requests && there.tokens === here.tokens && there.cost === here.cost;
  const { bodiesMissing: _, ...faults } = counts;
  return isSame && there.unpriced === here.unpriced && Object.values(faults).every((count) => count === 0) && !isUnread(there, counted);
}

function isUnread(there: SideTally, counted: number | null): boolean {
  return counted !== null && counted !== there.requests;
}

function rowOf(day: string, sums: DayTally, isDryRun: boolean): readonly string[] {
  const { there, here } = sums;
  return [
    day,
    String(there.requests),
    String(here.requests),
    String(there.tokens),
    String(here.tokens),
    shortMoney(there.cost),
    shortMoney(here.cost),
    reasonsOf(sums, isDryRun),
  ];
}

function reasonsOf({ there, here, counts, already, imported, counted }: DayTally, isDryRun: boolean): string {
  const parts = (Object.keys(differences) as Difference[]).flatMap((name) =>
    counts[name] === 0 ? [] : [`${counts[name]} ${differences[name]}`],
  );
  if (already > 0 && (isDryRun || imported > 0)) parts.push(`${already} here already`);
  if (there.cost !== here.cost && counts.costDiffers > 0) parts.push(`cost ${signed(moneyOfUnits(here.cost - there.cost))} USD`);
  if (isUnread(there, counted)) parts.push(`${counted} counted there, ${there.requests} in its pages`);
  return parts.join(', ');
}

function reasonLines({ reasons }: DayTally): readonly string[] {
  return Object.entries(reasons).map(([sentence, { count, requestIds }]) => {
    const ids = requestIds.length === 0 ? '' : ` (${requestIds.join(', ')}${count > requestIds.length ? ', …' : ''})`;
    return `${count} × ${sentence}${ids}`;
  });
}

function signed(money: Money): string {
  return `${money > 0n ? '+' : ''}${shortMoney(money)}`;
}

/** All digits, at least two decimals. */
function shortMoney(money: Money): string {
  return moneyText(money).replace(/(\.\d\d\d*?)0+$/, '$1');
}

/** The reconciliation for programs. */
export function jsonReport({ tally, isDryRun, source, sample }: ReportOf): object {
  const total = tally.total();
  return {
    source,
    dry_run: isDryRun,
    reconciled: isReconciled(total),
    total: jsonDay(total),
    days: [...tally.days].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([day, sums]) => ({ day, ...jsonDay(sums) })),
    reasons: Object.entries(total.reasons).map(([reason, { count, requestIds }]) => ({ reason, count, request_ids: requestIds })),
    sample,
  };
}

function jsonDay({ there, here, imported, already, counts, counted }: DayTally) {
  return {
    there: jsonSide(there),
    here: jsonSide(here),
    imported,
    already_here: already,
    rejected: counts.rejected,
    not_found_here: counts.missing,
    cost_differs: counts.costDiffers,
    tokens_differ: counts.tokensDiffer,
    fields_differ: counts.fieldsDiffer,
    bodies_missing: counts.bodiesMissing,
    counted_there: counted,
  };
}

function jsonSide({ requests, tokens, cost, unpriced }: SideTally) {
  return { requests, tokens, cost: usdOf(cost), unpriced };
}
