import { z } from 'zod';
import { comparisons } from '../../model/events/alert-message.ts';
import type { ChannelInput } from '../../model/events/channel.ts';
import { bodyFault, type Result, success } from '../../model/fault.ts';
import {
  aggregatedColumns,
  aggregations,
  alertDefaults,
  alertLimits,
  failedPercent,
  noDataModes,
} from '../../model/events/alert-vocabulary.ts';
import { calendarUnits } from '../../model/time/calendar.ts';
import { metricNames } from '../../model/vocabulary/metrics.ts';
import { parseTimestamp } from '../../model/vocabulary/timestamp.ts';
import { filterSchema } from '../filter.ts';
import { channelsSchema } from './channels.ts';
import { timeBounds, timeFilterOf } from '../time-range.ts';

const alertMetrics: readonly string[] = [...new Set([failedPercent, ...Object.keys(aggregatedColumns), ...metricNames])];

const ruleSentence =
  'A rule is an object such as {"name": "Spend", "metric": "cost", "threshold": 20, "time_window": 3600000, "channels": [{"type": "email", "to": "ops@example.com"}]}.';

function integer(name: string, min: number, max: number, what: string) {
  const sentence = `\`${name}\` takes a whole number of ${what} from ${min} to ${max}.`;
  return z.int(sentence).min(min, sentence).max(max, sentence);
}

function oneOf<const Names extends readonly [string, ...string[]]>(name: string, names: Names) {
  return z.enum(names, `\`${name}\` takes one of ${names.join(', ')}.`);
}

const nameSentence = `\`name\` takes 1 to ${alertLimits.nameCharacters} characters, without control characters.`;
const muteSentence = '`mute_until` takes a time as ISO 8601 text or Unix milliseconds, or null.';
const groupingSentence =
  '`grouping` takes "user", "model" or another dimension, {"property": "Team"}, or a list of up to three of them; `grouping_is_property`: true reads one text as the name of a property.';

const timestamp = z.union([z.string(muteSentence), z.number(muteSentence)], muteSentence).transform((given, context) => {
  const ms = parseTimestamp(given);
  if (ms === undefined) context.addIssue({ code: 'custom', message: muteSentence });
  return ms ?? z.NEVER;
});

const calendarSchema = z.object(
  {
    calendar: oneOf('window.calendar', calendarUnits),
    timezone: z.string('`window.timezone` takes a name such as "Europe/Berlin".').optional().meta({ default: 'UTC' }),
  },
  '`window` is an object such as {"calendar": "day", "timezone": "Europe/Berlin"}.',
);

const baselineSchema = z.object(
  { days: integer('baseline.days', 1, alertLimits.baselineDays, 'days').optional().meta({ default: alertDefaults.baselineDays }) },
  '`baseline` is an object such as {"days": 7}.',
);

/** Only what an earlier answer has beside the rule: it may be sent back. */
const ignored = z.unknown().optional().meta({ description: 'As the answer shows it; ignored in a rule that is sent.' });

const delay = (name: string) => integer(name, 0, alertLimits.delayMaxMs, 'milliseconds').optional();

/** Fields of a rule that say when it fires. `query/alerts/plan.ts` checks metric, grouping, filter and time zone. */
const conditionFields = {
  metric: z.string('`metric` takes the name of a metric, such as "cost".').meta({
    enum: [...alertMetrics],
    description: `\`${failedPercent}\` is the percent of requests that failed; \`cost\`, \`latency\` and the other columns are aggregated by \`aggregation\`; all other names are metrics of \`POST /v1/metrics/query\`.`,
  }),
  aggregation: oneOf('aggregation', aggregations).nullable().optional().meta({
    description: 'For a column; `sum` without it.',
  }),
  percentile: z
    .number('`percentile` takes a number above 0 and up to 100.')
    .gt(0, '`percentile` takes a number above 0 and up to 100.')
    .max(100, '`percentile` takes a number above 0 and up to 100.')
    .nullable()
    .optional()
    .meta({ description: `For the aggregation \`percentile\`; ${alertDefaults.percentile} without it.` }),
  threshold: z.number('`threshold` takes a number.').meta({
    description: 'In the unit of the metric; with `baseline` in percent of the same hours of the days before.',
  }),
  comparison: oneOf('comparison', comparisons).optional().meta({ default: 'gte' }),
  time_window: integer('time_window', alertLimits.windowMinMs, alertLimits.windowMaxMs, 'milliseconds')
    .optional()
    .meta({ description: 'Length of the window that ends now, 30 seconds to 30 days.' }),
  window: calendarSchema
    .nullable()
    .optional()
    .meta({ description: 'In place of `time_window`: the running day, week or month of a time zone.' }),
  minimum_request_count: integer('minimum_request_count', 0, alertLimits.minimumCount, 'requests')
    .nullable()
    .optional()
    .meta({ description: 'With fewer requests in the window the condition counts as not met.' }),
  grouping: z
    .unknown()
    .optional()
    .meta({
      oneOf: [{ type: 'string' }, { type: 'object' }, { type: 'array', items: {}, maxItems: 3 }, { type: 'null' }],
      description: `Every group has a state and incidents of its own. ${groupingSentence}`,
      example: [{ property: 'Tenant' }],
    }),
  grouping_is_property: z.boolean('`grouping_is_property` takes true or false.').optional(),
  filter: filterSchema.optional(),
  baseline: baselineSchema.nullable().optional().meta({
    description: 'Compares with the mean of the same hours of so many days before; only with a `time_window` of at most a day.',
  }),
  for_ms: delay('for_ms').meta({ description: 'How long the condition must hold before the rule fires.', default: 0 }),
  recover_after_ms: delay('recover_after_ms').meta({
    description: 'How long the condition must not hold before an incident ends.',
    default: alertDefaults.recoverAfterMs,
  }),
  no_data: oneOf('no_data', noDataModes).optional().meta({
    description:
      'What a window without a value means: `ok` the condition is not met, `keep` nothing changes, `alert` an incident begins. Sums and counts of no requests are 0, which is a value.',
    default: 'ok',
  }),
  new_group_delay_ms: delay('new_group_delay_ms').meta({
    description: 'How long a group must have had requests before it fires; a minute with `grouping`, else 0.',
  }),
};

const messageFields = {
  renotify_ms: integer('renotify_ms', alertLimits.renotifyMinMs, alertLimits.renotifyMaxMs, 'milliseconds')
    .nullable()
    .optional()
    .meta({ description: 'Milliseconds after which a message is repeated while its incident lasts; null: it is not repeated.' }),
  mute_until: timestamp
    .nullable()
    .optional()
    .meta({
      oneOf: [{ type: 'string', format: 'date-time' }, { type: 'number' }, { type: 'null' }],
      description: 'No message before this time; states and incidents go on.',
    }),
  max_groups: integer('max_groups', 1, alertLimits.groupsPerMessage, 'groups')
    .optional()
    .meta({ description: 'Groups that one message names; further ones are counted.', default: alertDefaults.groupsPerMessage }),
  enforce: z.boolean('`enforce` takes true or false.').optional().meta({
    description: 'True on a sum of `cost`: calls beyond the threshold are refused too, as by a budget with the same window.',
    default: false,
  }),
};

const ruleFields = {
  name: z
    .string(nameSentence)
    .refine((name) => name.trim() !== '' && Array.from(name).length <= alertLimits.nameCharacters && !/\p{Cc}/u.test(name), nameSentence)
    .meta({ maxLength: alertLimits.nameCharacters, description: 'Unique in the organisation.' }),
  ...conditionFields,
  ...messageFields,
};

/** A rule without its channels, as it is stored. */
export const storedRuleSchema = z.object(ruleFields, ruleSentence);
export type AlertRule = z.output<typeof storedRuleSchema>;

/** What an answer shows beside a rule. */
const shownFields = { id: ignored, created_at: ignored, updated_at: ignored, offered: ignored, status: ignored };

export const newAlertSchema = z
  .object({ ...ruleFields, channels: channelsSchema.optional(), ...shownFields }, ruleSentence)
  .meta({ id: 'NewAlert', description: 'A rule: what is measured, when it fires, and which channels are notified.' });

export const previewSchema = z
  .object(
    {
      rule: z.object(
        { ...ruleFields, name: ruleFields.name.optional(), channels: ignored, ...shownFields },
        '`rule` takes a rule as POST /v1/alerts does.',
      ),
      timeFilter: timeFilterOf(timeBounds),
    },
    'The body is an object such as {"rule": {"metric": "cost", "threshold": 20, "time_window": 3600000}}.',
  )
  .meta({ id: 'AlertPreviewQuery', description: 'A rule to try on stored requests, by default on those of the last day.' });
export type AlertPreviewQuery = z.output<typeof previewSchema>;

export type NewAlert = z.output<typeof newAlertSchema>;

/** The rule, and its channels apart; what an earlier answer had beside it is left out. */
export function ruleOf(given: NewAlert): { readonly rule: AlertRule; readonly channels: readonly ChannelInput[] } {
  const { channels = [], id: _id, created_at: _created, updated_at: _updated, offered: _offered, status: _status, ...rule } = given;
  return { rule, channels };
}

const dayMs = 86_400_000;
const farthestDays = 366;

/** The evaluations of a preview; without a range those of the last day. @param now Unix milliseconds. */
export function previewRangeOf({ timeFilter }: AlertPreviewQuery, now: number): Result<{ readonly from: number; readonly to: number }> {
  const to = Math.min(timeFilter?.endTimeUnixMs ?? now, now);
  const from = timeFilter?.startTimeUnixMs ?? to - dayMs;
  if (from > to) return bodyFault(['timeFilter'], 'The range of a preview starts before it ends, and before now.');
  if (to - from <= farthestDays * dayMs) return success({ from, to });
  return bodyFault(['timeFilter', 'startTimeUnixMs'], `A preview covers at most ${farthestDays} days; write a later start.`);
}
