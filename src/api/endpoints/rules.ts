import { errorOfFault, jsonPath, unwrap } from '../../contract/fault.ts';
import { type RuleSet, ruleSetAnswerSchema, type RuleSetChange, ruleSetSchema } from '../../contract/events/rule-set.ts';
import { unknownFields } from '../../contract/unknown-fields.ts';
import { GatelogError } from '../../model/errors.ts';
import type { Fault } from '../../model/fault.ts';
import type { OrganizationId } from '../../model/ids.ts';
import { type DataOf, endpoint } from '../endpoint/endpoint.ts';
import { storedWebhook } from '../page/given-webhook.ts';
import { inSettingTurn } from '../page/setting-turns.ts';
import type { ApiPorts } from '../endpoint/ports.ts';
import { planRuleSet, type RuleSetPlan } from './rule-plan.ts';

export const rules = [
  endpoint({
    at: 'POST /v1/rules/apply',
    id: 'applyRules',
    summary: 'Make webhooks and alert rules what a file says',
    text: 'Takes a key with the permission `admin`. Webhooks and rules are found by their names, created or changed; the same body again changes nothing. All of the body is checked first, unknown fields too: with any fault nothing is changed, and `details.faults` has each with its path. Then each change is durable by itself, so that after a failure in between the same body can be sent again. A rule without `mute_until` stays as muted as it is.',
    action: 'administer',
    body: { schema: ruleSetSchema, read: readSet },
    example: {
      webhooks: [{ name: 'ops', destination: 'https://hooks.example.com/gatelog' }],
      alerts: [
        { name: 'Errors', metric: 'response.status', threshold: 5, time_window: 600_000, channels: [{ type: 'webhook', webhook: 'ops' }] },
      ],
      dryRun: true,
    },
    answer: ruleSetAnswerSchema,
    answered: 'What was changed, or would be.',
    errors: [400, 413, 415, 422],
    changes: ({ body }) => (body.dryRun === true ? undefined : {}),
    // Two sets at once would each plan from what the other one changes.
    run: ({ tenant, ports, body }) => inSettingTurn(tenant, () => applySet(tenant, body, ports)),
  }),
];

const maxFaults = 50;

function readSet(body: unknown): RuleSet {
  const unknown = unknownFields(ruleSetSchema, body).map(({ path, nearest }): Fault => {
    const meant = nearest === undefined ? 'Leave it out; see /openapi.json.' : `Did you mean \`${nearest}\`?`;
    return { code: 'invalid_body', path, message: `\`${String(path.at(-1))}\` is no field here. ${meant}` };
  });
  const read = ruleSetSchema.safeParse(body);
  if (read.success && unknown.length === 0) return read.data;
  const issues = (read.error?.issues ?? []).map(({ path, message }): Fault => {
    return { code: 'invalid_body', path: path.map((key) => (typeof key === 'symbol' ? String(key) : key)), message };
  });
  throw refused([...issues, ...unknown]);
}

function refused(faults: readonly Fault[]): GatelogError {
  const [first = { code: 'invalid_body', path: [], message: 'The body is not valid.' }] = faults;
  const { code, message, details } = errorOfFault(first);
  const more = faults.length > 1 ? ` And ${faults.length - 1} more faults: see details.faults.` : '';
  const shown = faults.slice(0, maxFaults).map((fault) => ({ path: jsonPath(fault.path), keys: fault.path, message: fault.message }));
  return new GatelogError(code, `${message}${more}`, { details: { ...details, faults: shown, fault_count: faults.length } });
}

async function applySet(organizationId: OrganizationId, set: RuleSet, ports: ApiPorts): Promise<DataOf<typeof ruleSetAnswerSchema>> {
  const plan = await planRuleSet(organizationId, set, ports);
  if ('faults' in plan) throw refused(plan.faults);
  const changes = [...plan.webhooks, ...plan.alerts].map(({ change }) => change).concat(plan.deleted);
  if (set.dryRun === true || changes.every(({ action }) => action === 'unchanged')) return { applied: false, changes };
  return { applied: true, changes: await carriedOut(organizationId, plan, ports) };
}

async function carriedOut(organizationId: OrganizationId, plan: RuleSetPlan, ports: ApiPorts): Promise<readonly RuleSetChange[]> {
  const done: RuleSetChange[] = [];
  for (const { given, change } of plan.webhooks) {
    if (change.action === 'create') {
      const { webhook, secret } = storedWebhook(await ports.webhooks.create(organizationId, given));
      done.push({ ...change, id: webhook.id, secrets: [secret] });
      continue;
    }
    const { id } = change;
    if (change.action === 'change' && id !== null) storedWebhook(await ports.webhooks.replace(organizationId, id, given));
    done.push(change);
  }
  for (const { given, change } of plan.alerts) {
    if (change.action === 'unchanged') {
      done.push(change);
      continue;
    }
    const { id, channels } = unwrap(await ports.alerts.put(organizationId, given));
    const secrets = channels.flatMap(({ secret }) => (secret === undefined ? [] : [secret]));
    done.push({ ...change, id, ...(secrets.length === 0 ? {} : { secrets }) });
  }
  for (const change of plan.deleted) {
    if (change.kind === 'alert') await ports.alerts.remove(organizationId, change.id);
    else await ports.webhooks.remove(organizationId, change.id);
    done.push(change);
  }
  return done;
}
