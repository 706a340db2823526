import { and, type LimitSimulationReport, type PriceSimulationReport } from '../../client/client.ts';
import { printable, textTable } from '../../config/text-table.ts';
import { serviceClient } from '../base/client.ts';
import { type CommandDependencies, UsageError } from '../base/dependencies.ts';
import { jsonText } from '../base/json.ts';
import { checkedZone } from '../base/time-window.ts';
import { filterOf, type FilterOptions } from '../filter/filter.ts';
import { type Window, windowOf } from '../requests/window.ts';
import { costText, countText } from '../terminal/texts.ts';

export interface SimulateOptions extends FilterOptions, Window {
  readonly model?: string;
  readonly provider?: string;
  readonly tier?: string;
  readonly withoutCache?: true;
  /** A policy, as limits have it. */
  readonly limit?: string;
  readonly json?: true;
}

/** `gatelog simulate`: what requests would have cost otherwise, or which of them a limit would have refused. */
export async function simulate(dependencies: CommandDependencies, options: SimulateOptions): Promise<void> {
  const { model, provider, tier, withoutCache, limit, json } = options;
  const isPrice = model !== undefined || tier !== undefined || withoutCache === true;
  if (!isPrice && limit === undefined) throw new UsageError('Say what would be different: --model, --tier, --without-cache or --limit.');
  if (isPrice && limit !== undefined) throw new UsageError('--limit stands alone: ask for another price in a command of its own.');
  const clock = { now: dependencies.now(), timezone: checkedZone('UTC') };
  const filter = and(filterOf(options), ...windowOf(options, clock));
  const { simulations } = serviceClient(dependencies);
  if (limit !== undefined) {
    const { data } = await simulations.limit({ filter, policy: limit });
    dependencies.print(json === true ? jsonText(data, 2) : limitReport(data));
    return;
  }
  const { data } = await simulations.price({ filter, model, provider, tier, cache: withoutCache !== true });
  dependencies.print(json === true ? jsonText(data, 2) : textReport(data));
}

function textReport(report: PriceSimulationReport): string {
  if (report.requests === 0) return `None of ${countText(report.matched)} requests can be compared.${leftOutText(report)}`;
  const rows = [...report.by_model.map(({ model, ...sum }) => [model ?? 'others', ...cellsOf(sum)]), ['all', ...cellsOf(report)]];
  const table = textTable([['MODEL', 'REQUESTS', 'COST', 'WOULD HAVE COST', 'DIFFERENCE'], ...rows]);
  return `${table}\n\n${printable(headOf(report))}${leftOutText(report)}`;
}

function limitReport(report: LimitSimulationReport): string {
  const { requests, refused, refused_cost: cost, first_refused_at: first, segments, outside, without_cost: withoutCost } = report;
  const parts = [
    refused === 0
      ? `It would have refused none of ${countText(requests)} requests.`
      : `It would have refused ${countText(refused)} of ${countText(requests)} requests, which cost ${costText(cost)}; the first at ${first ?? ''}.`,
    ...(outside === 0 ? [] : [`${countText(outside)} requests have nothing that it counts by.`]),
    ...(withoutCost === 0 ? [] : [`The cost of ${countText(withoutCost)} is not known.`]),
  ];
  const rows = segments.map((segment) => [
    segment.value,
    countText(segment.requests),
    countText(segment.refused),
    costText(segment.cost),
    costText(segment.refused_cost),
  ]);
  const table = rows.length === 0 ? '' : `\n\n${textTable([['VALUE', 'REQUESTS', 'REFUSED', 'COST', 'REFUSED COST'], ...rows])}`;
  return `${printable(parts.join(' '))}${table}`;
}

function headOf({ model, estimated, requests }: PriceSimulationReport): string {
  if (estimated === 0) return 'The token counts carry over, so this is exact.';
  const share =
    estimated === requests ? 'This is an estimate' : `Of ${countText(requests)} requests, ${countText(estimated)} are estimated`;
  const reason = model === null ? 'their tokens were' : `${model} counts the tokens of the same text otherwise`;
  return `${share}: ${reason}.`;
}

function leftOutText({ left_out: { without_cost: withoutCost, without_price: withoutPrice, cost } }: PriceSimulationReport): string {
  const parts = [
    ...(withoutCost === 0 ? [] : [`${countText(withoutCost)} whose cost is not known`]),
    ...(withoutPrice === 0 ? [] : [`${countText(withoutPrice)} without a price or without tokens (${costText(cost)})`]),
  ];
  return parts.length === 0 ? '' : `\nLeft out: ${parts.join(', ')}.`;
}

function cellsOf({ requests, cost, simulated_cost: simulated }: Sum): readonly string[] {
  const percent = cost === 0 ? '' : ` (${signed(((simulated - cost) / cost) * 100, (size) => `${size.toFixed(0)} %`)})`;
  return [countText(requests), costText(cost), costText(simulated), `${signed(simulated - cost, costText)}${percent}`];
}

type Sum = Pick<PriceSimulationReport, 'requests' | 'cost' | 'simulated_cost'>;

function signed(value: number, write: (size: number) => string): string {
  if (value === 0) return write(0);
  return `${value > 0 ? '+' : '-'}${write(Math.abs(value))}`;
}
