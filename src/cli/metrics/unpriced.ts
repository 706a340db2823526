import type { GatelogClient, RequestCost } from '../../client/client.ts';
import { printable, textTable } from '../../config/text-table.ts';
import { serviceClient } from '../base/client.ts';
import type { CommandDependencies } from '../base/dependencies.ts';
import { asInvoked } from '../base/invocation-text.ts';
import { asJson, type MetricsOptions, questionOf } from './metrics.ts';

const shownModels = 20;
/** Requests of a model among which one without a price is looked for. */
const lookedAt = 50;

interface UnpricedModel {
  readonly model: string;
  readonly provider: string;
  readonly calls: number;
  /** Why they have no cost; null where no call shows it any more. */
  readonly note: string | null;
  readonly nearest: RequestCost['nearest'];
}

/** `gatelog report unpriced`: which models have no price, the nearest that has one, and the line that prices them. */
export async function showUnpriced(dependencies: CommandDependencies, options: MetricsOptions): Promise<void> {
  const { print, hint, now } = dependencies;
  const client = serviceClient(dependencies);
  const question = questionOf({ startDate: 'today', ...options, metric: 'unpriced_count', by: 'model,provider' }, now());
  const { filter, timezone, startTimeUnixMs, endTimeUnixMs } = question;
  const asked = {
    metrics: ['unpriced_count'],
    groupBy: ['model', 'provider'],
    filter,
    timezone,
    startTimeUnixMs,
    endTimeUnixMs,
    limit: question.limit ?? shownModels,
  };
  const { data } = await client.metrics.query({ ...asked, other: false, totals: false } as Parameters<
    GatelogClient['metrics']['query']
  >[0]);
  const models: UnpricedModel[] = [];
  for (const row of data as readonly Readonly<Record<string, unknown>>[]) {
    const calls = Number(row['unpriced_count']);
    if (calls > 0) models.push({ ...(await lookedInto(client, nameIn(row, 'model'), nameIn(row, 'provider'))), calls });
  }
  if (options.json === true) return print(asJson(models));
  if (models.length === 0) return hint('Every call in this time has a price.');
  const header = ['MODEL', 'PROVIDER', 'CALLS', 'NEAREST WITH A PRICE'];
  print(
    textTable([header, ...models.map(({ model, provider, calls, nearest }) => [model, provider, String(calls), nearest?.model ?? '–'])]),
  );
  const lines = models.flatMap(({ nearest }) => (nearest === null ? [] : [JSON.stringify(nearest.line)]));
  if (lines.length > 0) {
    print(
      asInvoked(
        `\nIf they cost the same, these lines price them, added to the list of PUT /v1/prices, or for all organisations with\n"gatelog prices import FILE":\n[\n  ${lines.map(printable).join(',\n  ')}\n]`,
        dependencies.environment,
      ),
    );
  }
}

async function lookedInto(client: GatelogClient, model: string, provider: string): Promise<Omit<UnpricedModel, 'calls'>> {
  const filter = { request_response_rmt: { model: { equals: model } } };
  const { data } = await client.requests.query({ filter, limit: lookedAt, includeBodies: false });
  const found = data.find((item) => item.cost === null && item.provider === provider) ?? data.find((item) => item.cost === null);
  if (found === undefined) return { model, provider, note: null, nearest: null };
  const { data: cost } = await client.requests.cost(found.request_id);
  return { model, provider, note: cost.note, nearest: cost.nearest };
}

function nameIn(row: Readonly<Record<string, unknown>>, dimension: string): string {
  const name = row[dimension];
  return typeof name === 'string' ? name : '';
}
