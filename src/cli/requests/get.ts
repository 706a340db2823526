import type { GatelogClient, RequestCost, RequestItem } from '../../client/client.ts';
import { serviceClient } from '../base/client.ts';
import type { CommandDependencies } from '../base/dependencies.ts';
import { bodyText, type Detail, detailsText } from '../terminal/details.ts';
import { jsonText } from '../base/json.ts';
import { paintOf, writeLines } from '../terminal/shown.ts';
import { type Column, layoutOf, tableText } from '../terminal/table.ts';
import { costText, countText, lengthText, propertiesText, requestCostText } from '../terminal/texts.ts';
import { checkedZone } from '../base/time-window.ts';

export interface RequestsGetOptions {
  readonly includeBody?: true;
  readonly cost?: true;
  readonly timezone?: string;
  readonly json?: true;
}

export async function getRequest(dependencies: CommandDependencies, id: string, options: RequestsGetOptions): Promise<void> {
  const timezone = checkedZone(options.timezone ?? 'UTC');
  const client = serviceClient(dependencies);
  const { data: item, warnings } = await client.requests.get(id, { includeBody: options.includeBody === true });
  for (const sentence of warnings) dependencies.hint(sentence);
  const cost = options.cost === true ? await costOf(client, item) : undefined;
  if (options.json === true) {
    return writeLines(dependencies, [jsonText(cost === undefined ? item : { ...item, cost_explained: cost }, 2)]);
  }
  const paint = paintOf(dependencies);
  const sections = [
    detailsText(detailsOf(item, timezone), paint),
    ...(cost === undefined ? [] : [costSection(cost, dependencies)]),
    ...(options.includeBody === true ? bodiesOf(item).map(([name, body]) => `${paint('bold', name)}\n${bodyText(body)}`) : []),
  ];
  return writeLines(dependencies, [sections.join('\n\n')]);
}

async function costOf(client: GatelogClient, { request_id: id }: RequestItem): Promise<RequestCost> {
  return (await client.requests.cost(id)).data;
}

function detailsOf(item: RequestItem, timezone: string): readonly Detail[] {
  const asked = item.request_model === null || item.request_model === item.model ? '' : ` (asked for ${item.request_model})`;
  const first = item.time_to_first_token === null ? '' : `, first token after ${lengthText(item.time_to_first_token)}`;
  return [
    ['Request', item.request_id],
    ['Time', `${momentOf(item.request_created_at, timezone)}, took ${lengthText(item.latency)}${first}`],
    ['Status', statusText(item)],
    ['Model', `${item.model}${asked}`],
    ['Provider', item.provider],
    ['Path', item.request_path ?? undefined],
    ['Target', item.target_url ?? undefined],
    ...previewsOf(item),
    ['Cost', item.cost === null ? requestCostText(item) : `${costText(item.cost)} (${item.cost_source})`],
    ['Tokens', tokensText(item)],
    ['User', item.request_user_id],
    ['Session', sessionText(item)],
    ['Properties', propertiesText(item.properties)],
    ['Scores', pairsText(item.scores)],
    ['Feedback', item.feedback_rating === null ? undefined : item.feedback_rating ? 'good' : 'bad'],
    ['Prompt', item.prompt_id === null ? undefined : `${item.prompt_id}${item.prompt_version === null ? '' : ` ${item.prompt_version}`}`],
    ['Cached', item.cached ? `answered from the response cache, of ${item.cache_reference_id ?? 'an earlier request'}` : undefined],
    ['Failure', failureText(item)],
    ['Client', [item.client, item.client_version].filter((text) => text !== null).join(' ') || undefined],
    ['Attempts', item.attempts?.map(({ provider, status, error }) => `${provider} ${error ?? status}`).join(', ')],
    ['Size', `${countText(item.size_bytes)} bytes`],
  ];
}

function previewsOf({ input_preview: input, output_preview: output }: RequestItem): readonly Detail[] {
  return [
    ['Input', input ?? undefined],
    ['Output', output ?? undefined],
  ];
}

function statusText({ response_status: status }: RequestItem): string {
  const meaning: Readonly<Record<number, string>> = {
    0: 'no response',
    499: 'the client left',
    502: 'the provider broke off or answered so',
  };
  return meaning[status] === undefined ? String(status) : `${status} (${meaning[status]})`;
}

function failureText({ failure }: RequestItem): string | undefined {
  if (failure === null) return undefined;
  const { kind, type, message } = failure;
  // An error status that the reply does not explain stands in the line of the status.
  if (kind === 'status' && type === null && message === null) return undefined;
  return [type ?? kind.replace('_', ' '), message].filter((text) => text !== null).join(': ');
}

function momentOf(at: string, timezone: string): string {
  const text = new Intl.DateTimeFormat('sv', { timeZone: timezone, dateStyle: 'short', timeStyle: 'medium' }).format(new Date(at));
  return `${text} ${timezone}`;
}

function tokensText(item: RequestItem): string | undefined {
  if (item.total_tokens === null) return undefined;
  const input = `${countText(item.prompt_tokens)} in${part(item.prompt_cache_read_tokens, 'from the cache of the provider')}`;
  const output = `${countText(item.completion_tokens)} out${part(item.reasoning_tokens, 'reasoning')}`;
  return `${input}, ${output}, ${countText(item.total_tokens)} together${item.usage_estimated ? ', estimated' : ''}`;
}

function part(count: number | null, what: string): string {
  return count === null || count === 0 ? '' : ` (${countText(count)} ${what})`;
}

function sessionText({ session_id: id, session_name: name, session_path: path }: RequestItem): string | undefined {
  if (id === null || id === '') return undefined;
  return `${id}${path === null || path === '' ? '' : ` at ${path}`}${name === null || name === '' ? '' : `, ${name}`}`;
}

function pairsText(pairs: Readonly<Record<string, number>>): string {
  return Object.entries(pairs)
    .map(([name, value]) => `${name}=${value}`)
    .join('  ');
}

function bodiesOf(item: RequestItem): readonly (readonly [string, unknown])[] {
  return [
    [item.request_body_cut ? 'Request body (cut)' : 'Request body', item.request_body],
    [item.response_body_cut ? 'Response body (cut)' : 'Response body', item.response_body],
  ];
}

type CostLine = RequestCost['lines'][number];

/** What has held since before any request. */
const always = '1970-01-01';

const costColumns: readonly Column<CostLine>[] = [
  { title: 'KIND', text: ({ kind }) => kind },
  { title: 'TOKENS', text: ({ tokens }) => countText(tokens), side: 'right' },
  { title: 'USD PER MILLION', text: ({ price_per_million: price }) => (price === null ? '-' : String(price)), side: 'right' },
  { title: 'AMOUNT', text: ({ amount }) => costText(amount), side: 'right' },
  {
    title: 'PRICE OF',
    text: ({ price_source: source, valid_from: from }) => `${source}${from === null || from === always ? '' : ` from ${from}`}`,
    minWidth: 10,
  },
];

function costSection({ lines, note, differs, recomputed_total: recomputed }: RequestCost, dependencies: CommandDependencies): string {
  const table = tableText(layoutOf(costColumns, lines, dependencies.columns), lines, paintOf(dependencies));
  const today = differs ? [`At present prices it would cost ${costText(recomputed)}; "gatelog reprice" applies them.`] : [];
  return [table, ...today, ...(note === null ? [] : [note])].join('\n');
}
