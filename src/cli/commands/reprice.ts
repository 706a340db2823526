import { printable, textTable } from '../../config/text-table.ts';
import { repriceAnswerSchema } from '../../contract/reprice.ts';
import { type Money, moneyOfUnits, moneyOfUsd, moneyText, usdOf, zeroMoney } from '../../model/pricing/money.ts';
import { listOrganizations } from '../../metadata/organization/organizations.ts';
import type { Filter, Reprice, RepriceReport } from '../../client/client.ts';
import { serviceClient } from '../base/client.ts';
import { filterOf, type FilterOptions } from '../filter/filter.ts';
import { type CommandContext, type CommandDependencies, UsageError, withDatabase } from '../base/dependencies.ts';
import { shownAmount } from '../base/progress.ts';
import { operatorClient } from '../base/operator-client.ts';
import { jsonText } from '../base/json.ts';

export interface RepriceOptions extends FilterOptions {
  readonly startDate?: string;
  readonly endDate?: string;
  readonly dryRun?: true;
  readonly json?: true;
  /** Every organisation, as the operator. */
  readonly all?: true;
}

/** `gatelog reprice`: applies the current prices to an organisation's stored requests and prints the difference. */
export async function reprice(dependencies: CommandDependencies, options: RepriceOptions): Promise<void> {
  const order = orderOf(options);
  const client = serviceClient(dependencies);
  const sum = await applyAll((body) => client.prices.apply(body), dependencies, order);
  dependencies.print(options.json === true ? jsonText(jsonReport(sum, options), 2) : textReport(sum, options));
}

/** The operator's client unwraps the envelope; the parser expects it. */
const wholeAnswer = { parse: (data: unknown) => repriceAnswerSchema.parse({ data, error: null }) };

/** `gatelog reprice --all`: as {@link reprice}, for every organisation, on the machine of the service. */
export async function repriceAll(context: CommandContext, options: RepriceOptions): Promise<void> {
  const order = orderOf(options);
  const client = operatorClient(context);
  const organizations = await withDatabase(context, listOrganizations);
  const reports: unknown[] = [];
  for (const { id, name } of organizations) {
    const sum = await applyAll(
      (body) => client.ask({ method: 'POST', path: `/organizations/${id}/prices/apply`, body }, wholeAnswer),
      context,
      order,
    );
    if (options.json === true) reports.push({ organization_id: id, organization: name, ...jsonReport(sum, options) });
    else context.print(`${printable(name)}: ${textReport(sum, options)}`);
  }
  if (options.json === true) context.print(jsonText(reports, 2));
}

/** @throws UsageError without a filter, and for one that cannot be understood. */
function orderOf(options: RepriceOptions): Order {
  if (options.filter === undefined && options.where === undefined && options.property === undefined) {
    throw new UsageError('Say which requests: --where, --property or --filter; --filter all means every request.');
  }
  return { ...options, filter: filterOf(options) };
}

interface Difference {
  changed: number;
  before: Money;
  after: Money;
}

/** Totals of all calls. */
interface Sum extends Difference {
  checked: number;
  stated: number;
  readonly byModel: Map<string, Difference>;
}

interface Order extends Omit<RepriceOptions, 'filter'> {
  readonly filter: Filter;
}

/** Applies the prices to one page. */
type ApplyPage = (body: Reprice) => Promise<{ readonly data: RepriceReport }>;

/** Each page is bounded and complete, so an interrupted run can be repeated. */
async function applyAll(apply: ApplyPage, { progress }: CommandDependencies, order: Order): Promise<Sum> {
  const { filter, startDate, endDate, dryRun } = order;
  const sum: Sum = { checked: 0, stated: 0, ...noDifference(), byModel: new Map() };
  let total = 0;
  try {
    for (let cursor: string | null | undefined; cursor !== null;) {
      const body = { filter, startDate, endDate, dryRun, cursor: cursor ?? undefined };
      const { data } = await apply(body);
      addTo(sum, data);
      total = data.total ?? total;
      progress(`Priced ${sum.checked} of ${Math.max(total, sum.checked)} requests`);
      cursor = data.cursor;
    }
  } finally {
    progress('');
  }
  return sum;
}

function noDifference(): Difference {
  return { changed: 0, before: zeroMoney, after: zeroMoney };
}

function addTo(sum: Sum, data: RepriceReport): void {
  sum.checked += data.checked;
  sum.stated += data.stated;
  addDifference(sum, data);
  for (const item of data.by_model) {
    const own = sum.byModel.get(item.model) ?? noDifference();
    addDifference(own, item);
    sum.byModel.set(item.model, own);
  }
}

function addDifference(sum: Difference, { changed, before, after }: Pick<RepriceReport, 'changed' | 'before' | 'after'>): void {
  sum.changed += changed;
  sum.before = moneyOfUnits(sum.before + (moneyOfUsd(before) ?? zeroMoney));
  sum.after = moneyOfUnits(sum.after + (moneyOfUsd(after) ?? zeroMoney));
}

function textReport(sum: Sum, { dryRun }: RepriceOptions): string {
  const tail = sum.stated === 0 ? '' : `, ${sum.stated} stand as they were stated`;
  const head = `${shownAmount(sum.checked, 'request')}, ${sum.changed} ${dryRun === true ? 'would change' : 'changed'}${tail}.`;
  if (sum.changed === 0) return head;
  const models = [...sum.byModel].toSorted(([, one], [, other]) => other.changed - one.changed);
  const rows = models.map(([model, difference]) => [model, ...cellsOf(difference)]);
  return `${head}\n\n${textTable([['MODEL', 'CHANGED', 'BEFORE USD', 'AFTER USD', 'DIFFERENCE USD'], ...rows, ['all', ...cellsOf(sum)]])}`;
}

function cellsOf({ changed, before, after }: Difference): readonly string[] {
  const difference = moneyOfUnits(after - before);
  return [String(changed), shortText(before), shortText(after), `${difference > 0n ? '+' : ''}${shortText(difference)}`];
}

/** All digits, at least two decimals. */
function shortText(money: Money): string {
  return moneyText(money).replace(/(\.\d\d\d*?)0+$/, '$1');
}

function jsonReport(sum: Sum, { dryRun }: RepriceOptions) {
  return {
    dry_run: dryRun === true,
    checked: sum.checked,
    stated: sum.stated,
    ...jsonDifference(sum),
    by_model: [...sum.byModel].map(([model, difference]) => ({ model, ...jsonDifference(difference) })),
  };
}

function jsonDifference({ changed, before, after }: Difference) {
  return { changed, before: usdOf(before), after: usdOf(after), difference: usdOf(moneyOfUnits(after - before)) };
}
