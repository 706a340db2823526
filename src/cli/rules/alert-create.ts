import type { NewAlert } from '../../client/client.ts';
import { quoted } from '../../model/text.ts';
import { serviceClient } from '../base/client.ts';
import { type CommandDependencies, UsageError } from '../base/dependencies.ts';
import { measuredWindowOf } from '../base/measured-window.ts';
import { filterOf, type FilterOptions } from '../filter/filter.ts';
import { detailsText } from '../terminal/details.ts';
import { jsonText } from '../base/json.ts';
import { paintOf } from '../terminal/shown.ts';
import type { JsonOption } from './webhooks.ts';

export interface AlertCreateOptions extends FilterOptions, JsonOption {
  readonly metric: string;
  readonly threshold: string;
  readonly window: string;
  readonly comparison?: NonNullable<NewAlert['comparison']>;
  readonly by?: string;
  readonly timezone?: string;
  readonly minimumRequests?: number;
  readonly channel?: readonly string[];
  readonly enforce?: true;
}

export async function createAlert(dependencies: CommandDependencies, name: string, options: AlertCreateOptions): Promise<void> {
  const rule = ruleOf(name, options);
  const { data } = await serviceClient(dependencies).alerts.add(rule);
  if (options.json === true) return dependencies.print(jsonText(data, 2));
  const details = [
    ['Identifier', data.id],
    ['Name', data.name],
    ['Channels', data.channels.map(({ type }) => type).join(', ')],
  ] as const;
  dependencies.print(detailsText(details, paintOf(dependencies)));
  if (data.channels.length === 0) dependencies.hint('Nobody is notified: the rule has no channel; --channel adds one.');
  dependencies.hint(`When it would have fired: gatelog alerts preview ${data.id}`);
}

function ruleOf(name: string, options: AlertCreateOptions): NewAlert {
  const { metric, comparison, by, minimumRequests, channel = [], enforce } = options;
  const threshold = Number(options.threshold);
  if (options.threshold.trim() === '' || !Number.isFinite(threshold)) {
    throw new UsageError(`--threshold takes a number such as 20 or 0.5; got ${quoted(options.threshold)}.`);
  }
  const isFiltered = [options.filter, options.where, options.property].some((option) => option !== undefined);
  return {
    name,
    // The service says which ones there are.
    metric: metric as NewAlert['metric'],
    threshold,
    ...windowFields(options),
    ...(comparison === undefined ? {} : { comparison }),
    ...(by === undefined ? {} : { grouping: by.split(',').map((dimension) => groupOf(dimension.trim())) }),
    ...(minimumRequests === undefined ? {} : { minimum_request_count: minimumRequests }),
    ...(isFiltered ? { filter: filterOf(options) } : {}),
    ...(enforce === undefined ? {} : { enforce }),
    channels: channel.map(channelOf),
  };
}

function windowFields({ window: text, timezone }: AlertCreateOptions): Pick<NewAlert, 'time_window' | 'window'> {
  const window = measuredWindowOf(text, '--window');
  if ('calendar' in window) return { window: { calendar: window.calendar, ...(timezone === undefined ? {} : { timezone }) } };
  if (timezone !== undefined) throw new UsageError('--timezone goes with --window day, week or month.');
  return { time_window: window.ms };
}

function groupOf(dimension: string): unknown {
  const property = /^properties\.(.+)$/.exec(dimension)?.[1];
  return property === undefined ? dimension : { property };
}

const channelFields = { webhook: 'webhook', email: 'to', slack: 'url', teams: 'url', pagerduty: 'routingKey' } as const;

type Channel = NonNullable<NewAlert['channels']>[number];

function channelOf(text: string): Channel {
  const [, kind = '', rest = ''] = /^([a-z]+):(.+)$/.exec(text) ?? [];
  if (!Object.hasOwn(channelFields, kind)) {
    throw new UsageError(
      `--channel takes webhook:NAME, email:ADDRESS, slack:URL, teams:URL or pagerduty:KEY; got ${quoted(text)}. A webhook of yours: gatelog webhooks create`,
    );
  }
  const type = kind as keyof typeof channelFields;
  return { type, [channelFields[type]]: rest };
}
