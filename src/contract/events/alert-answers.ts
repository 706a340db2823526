import { z } from 'zod';
import { alertLimits, groupStates, ruleStates } from '../../model/events/alert-vocabulary.ts';
import { unpricedSchema } from '../settings/unpriced.ts';
import { storedRuleSchema } from './alerts.ts';
import { shownChannelSchema } from './channels.ts';

const time = (description: string) => z.string().meta({ format: 'date-time', description });
const groupSchema = z
  .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))
  .meta({ description: 'Value of each dimension; empty without grouping.', example: { 'properties.Tenant': 'acme' } });
const value = z.number().nullable().meta({ description: 'Null: there is none.' });

const statusSchema = z
  .object({
    state: z.enum(ruleStates).meta({ description: 'The most severe state of a group, or of the rule.' }),
    groups: z.int(),
    firing: z.int().meta({ description: 'Of `groups`, which have a state, those with an open incident.' }),
    last_incident_at: time('When the latest incident began.').nullable(),
    delivery_failing: z.boolean().meta({ description: 'The latest attempt to send a message to one of its channels failed.' }),
    evaluated_at: time('The latest evaluation.').nullable(),
    errors: z.int().meta({ description: 'Failed evaluations in a row.' }),
    error: z.string().nullable(),
    cut: z.boolean().meta({
      description: `There are more groups than ${alertLimits.groups}, or than all rules of the organisation may have; those farthest from the threshold have no state, and \`groups_left_out\` counts them.`,
    }),
    groups_left_out: z.int(),
  })
  .meta({ id: 'AlertStatus' });

const alertViewSchema = z
  .object({
    ...storedRuleSchema.shape,
    mute_until: time('No message before this time.').nullable(),
    channels: z.array(shownChannelSchema),
    id: z.string().meta({ format: 'uuid' }),
    created_at: time('When the rule was stored.'),
    updated_at: time('When it was changed last.'),
    offered: z.boolean().meta({ description: 'Gatelog made the rule; it is off until it has a channel.' }),
    status: statusSchema,
  })
  .meta({ id: 'Alert', description: 'A stored rule with its state; secrets of its channels are never shown.' });

const stateSchema = z
  .object({
    group: groupSchema,
    state: z.enum([...groupStates, 'muted']),
    since: time('When the state began.'),
    value,
    incident_id: z.string().nullable(),
  })
  .meta({ id: 'AlertGroupState' });

const linkSchema = z
  .object({ filter: z.unknown(), timeFilter: z.object({ startTimeUnixMs: z.number(), endTimeUnixMs: z.number() }) })
  .nullable()
  .meta({
    description:
      'The requests of the window, as `POST /v1/request/query-clickhouse` takes them; null when the rule has been changed since and measures others.',
  });

const incidentSchema = z
  .object({
    id: z.string(),
    group: groupSchema,
    reason: z.enum(['threshold', 'no_data']),
    started_at: time('When the rule fired.'),
    ended_at: time('When it recovered; null while it lasts.').nullable(),
    peak: value.meta({ description: 'The value farthest beyond the threshold.' }),
    threshold: z.number(),
    late: z.boolean().meta({ description: 'Found when a late or changed request altered a window that had ended.' }),
    requests: linkSchema,
  })
  .meta({ id: 'AlertIncident' });

const incidentOfRuleSchema = z
  .object({ ...incidentSchema.shape, alert_id: z.string().meta({ description: 'The rule that fired.' }), alert_name: z.string() })
  .meta({ id: 'AlertIncidentOfRule', description: 'An incident, with the rule that fired.' });

const historySchema = z
  .object({
    at: time('When it happened.'),
    state: z.enum([...groupStates, 'error']),
    group: groupSchema,
    value,
    threshold: z.number(),
    window: z.object({ from: time('Start, inclusive.'), to: time('End, exclusive.') }),
    incident_id: z.string().nullable(),
    late: z.boolean().meta({ description: 'A late or changed request altered a window that had ended.' }),
    value_before: value.meta({ description: 'Of a late row: the value when the window ended.' }),
    reason: z.string().nullable(),
  })
  .meta({ id: 'AlertHistoryRow' });

const previewAnswer = z.object({
  step_ms: z.int().meta({ description: 'Milliseconds between two evaluations of the preview.' }),
  exact: z
    .boolean()
    .meta({ description: 'True: as the rule is evaluated when it is stored. False: the step is coarser, or groups were left out.' }),
  groups_left_out: z.int(),
  series: z
    .array(z.object({ time: time('Time of the evaluation.'), group: groupSchema, value }))
    .meta({ description: 'A point where the value of a group changes; it holds until the next.' }),
  incidents: z.array(
    z.object({
      group: groupSchema,
      started_at: time('When it would have fired.'),
      ended_at: time('Null while it lasts.').nullable(),
      peak: value,
    }),
  ),
  unpriced: unpricedSchema.nullable().meta({ description: 'Of a rule on costs; null of others. They are missing in the values.' }),
  session_names: z
    .record(z.string(), z.string())
    .meta({ description: 'Names of the sessions by which a rule groups, by their identifiers; at most 500.' }),
});
export type AlertPreview = z.infer<typeof previewAnswer>;

export type AlertView = z.infer<typeof alertViewSchema>;
export type AlertStateView = z.infer<typeof stateSchema>;
export type IncidentView = z.infer<typeof incidentSchema>;
export type IncidentOfRuleView = z.infer<typeof incidentOfRuleSchema>;
export type AlertHistoryView = z.infer<typeof historySchema>;

const answers = <Data extends z.ZodType>(name: string, data: Data, description: string) =>
  z.object({ data, error: z.null() }).meta({ id: name, description });

export const alertAnswerSchema = answers('AlertAnswer', alertViewSchema, 'The rule.');
export const alertsAnswerSchema = answers('AlertsAnswer', z.array(alertViewSchema), 'Rules, the newest first.');
export const alertStatesAnswerSchema = answers('AlertStatesAnswer', z.array(stateSchema), 'States of groups, the most severe first.');
export const alertIncidentsAnswerSchema = answers('AlertIncidentsAnswer', z.array(incidentSchema), 'Incidents, the newest first.');
export const incidentsAnswerSchema = answers(
  'IncidentsAnswer',
  z.array(incidentOfRuleSchema),
  'Incidents of every rule, the newest first.',
);
export const alertHistoryAnswerSchema = answers('AlertHistoryAnswer', z.array(historySchema), 'What happened, the newest first.');
export const alertPreviewAnswerSchema = answers('AlertPreviewAnswer', previewAnswer, 'What the rule would have done.');
export const alertTestAnswerSchema = answers(
  'AlertTestAnswer',
  z.object({ channels: z.int().meta({ description: 'Channels to which a test message is on its way.' }) }),
  'A test message is on its way.',
);
