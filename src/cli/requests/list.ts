import { and, type RequestItem, type RequestQuery } from '../../client/client.ts';
import { sortKeys } from '../../model/vocabulary/sort.ts';
import { serviceClient } from '../base/client.ts';
import type { CommandDependencies } from '../base/dependencies.ts';
import { filterOf, type FilterOptions } from '../filter/filter.ts';
import { writeList } from '../base/lists.ts';
import { sortOf } from '../base/sort.ts';
import { statusColour } from '../base/paint.ts';
import { rowWriter } from '../terminal/shown.ts';
import type { Column } from '../terminal/table.ts';
import { type Clock, countText, lengthText, momentText, requestCostText } from '../terminal/texts.ts';
import { checkedZone } from '../base/time-window.ts';
import { windowOf } from './window.ts';
import { shortSorts } from './names.ts';

export interface RequestsListOptions extends FilterOptions {
  readonly startDate?: string;
  readonly endDate?: string;
  readonly timezone?: string;
  readonly sort?: string;
  readonly limit: number;
  readonly columns?: string;
  readonly includeBody?: true;
  readonly json?: true;
}

/** Bodies make a page large. */
const pageLimits = { withBodies: 50, without: 1000 } as const;

/** `gatelog requests list`: requests that match, newest first unless another order is asked for. */
export async function listRequests(dependencies: CommandDependencies, options: RequestsListOptions): Promise<void> {
  const clock = { now: dependencies.now(), timezone: checkedZone(options.timezone ?? 'UTC') };
  const sort = sortOf(options.sort, {
    keys: Object.keys(sortKeys),
    short: shortSorts,
    maps: { properties: 'properties', inputs: 'values' },
  });
  const filter = and(filterOf(options), ...windowOf(options, clock));
  const view = await viewOf(options, clock);
  const includeBodies = options.includeBody === true || view.needsBodies;
  const query: RequestQuery = { filter, sort, includeBodies, includeInputs: view.needsInputs };
  const client = serviceClient(dependencies);
  const rows = rowWriter(dependencies, { columns: view.table, json: options.json, values: view.values });
  await writeList(dependencies, {
    ask: (place) => client.requests.query({ ...query, ...place }),
    limit: options.limit,
    pageLimit: includeBodies ? pageLimits.withBodies : pageLimits.without,
    write: rows.add,
    noun: 'requests',
  });
  const leftOut = rows.leftOut();
  if (options.columns !== undefined && leftOut.length > 0) {
    dependencies.hint(`No room for ${leftOut.join(', ')}: choose fewer --columns, or --json.`);
  }
}

/** How requests are shown. */
interface View {
  readonly table: readonly Column<RequestItem>[];
  /** For programs. */
  readonly values: (item: RequestItem) => unknown;
  readonly needsBodies: boolean;
  readonly needsInputs: boolean;
}

async function viewOf({ columns }: RequestsListOptions, clock: Clock): Promise<View> {
  if (columns === undefined) return { table: standardColumns(clock), values: (item) => item, needsBodies: false, needsInputs: false };
  // A choice needs the description of all fields, which takes a while to load.
  const { chosenRequestColumns, chosenTable, chosenValues, needsBodies } = await import('./columns.ts');
  const chosen = chosenRequestColumns(columns);
  return {
    table: chosenTable(chosen, clock),
    values: (item) => chosenValues(item, chosen),
    needsBodies: needsBodies(chosen),
    needsInputs: chosen.some(({ field }) => field === 'inputs'),
  };
}

/** In the order in which a narrow terminal shows them. */
function standardColumns(clock: Clock): readonly Column<RequestItem>[] {
  return [
    { title: 'TIME', text: ({ request_created_at: at }) => momentText(at, clock) },
    { title: 'REQUEST', text: ({ request_id: id }) => id },
    {
      title: 'STATUS',
      text: ({ response_status: status }) => String(status),
      colour: (item) => statusColour(item.response_status),
      side: 'right',
    },
    { title: 'COST', text: requestCostText, side: 'right' },
    { title: 'MODEL', text: ({ model }) => model, minWidth: 6, maxWidth: 28 },
    { title: 'LATENCY', text: ({ latency }) => lengthText(latency), side: 'right' },
    { title: 'TOKENS', text: ({ total_tokens: tokens }) => countText(tokens), side: 'right' },
    { title: 'USER', text: ({ request_user_id: user }) => (user === '' ? '-' : user), minWidth: 8, maxWidth: 24, from: 110 },
    { title: 'SESSION', text: ({ session_id: session }) => session ?? '-', minWidth: 12, maxWidth: 40, from: 140 },
  ];
}
