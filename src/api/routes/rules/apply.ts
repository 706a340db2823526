import { errorOfFault, jsonPath, unwrap } from '../../../contract/fault.ts';
import { type RuleSet, ruleSetAnswerSchema, type RuleSetChange, ruleSetSchema } from '../../../contract/events/rule-set.ts';
import { unknownFields } from '../../../contract/unknown-fields.ts';
import { GatelogError } from '../../../model/errors.ts';
import type { Fault } from '../../../model/fault.ts';
import type { OrganizationId } from '../../../model/ids.ts';
import { type Endpoint, type RequestContext, jsonContent, keyRequired, problems } from '../../endpoint.ts';
import { readJson } from '../../http/read-json.ts';
import { sendData } from '../../http/send-json.ts';
import type { ApiPorts } from '../../ports.ts';
import { storedWebhook } from '../webhooks/item.ts';
import { planRuleSet, type RuleSetPlan } from './plan.ts';

export const applyRules: Endpoint = {
  declaration: {
    method: 'post',
    path: '/v1/rules/apply',
    operationId: 'applyRules',
    summary: 'Make webhooks and alert rules what a file says',
    description:
      'Takes a key with the permission `admin`. Webhooks and rules are found by their names, created or changed; the same body again changes nothing. All of the body is checked first, unknown fields too: with any fault nothing is changed, and `details.faults` has each with its path. Then each change is durable by itself, so that after a failure in between the same body can be sent again. A rule without `mute_until` stays as muted as it is.',
    security: keyRequired,
    request: { body: { required: true, content: jsonContent(ruleSetSchema) } },
    responses: {
      200: { description: 'What was changed, or would be.', content: jsonContent(ruleSetAnswerSchema) },
      ...problems(400, 413, 415, 422),
    },
  },
  action: 'administer',
  handle: answerApply,
};

const maxFaults = 50;

/** Two sets at once would each plan from what the other one changes. */
let latest: Promise<unknown> = Promise.resolve();

async function answerApply({ context, principal, ports }: RequestContext): Promise<Response> {
  const set = readSet(await readJson(context));
  const turn = latest.then(() => applySet(principal.organizationId, set, ports));
  latest = turn.catch(() => undefined);
  return sendData(context, await turn);
}

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

async function applySet(
  organizationId: OrganizationId,
  set: RuleSet,
  ports: ApiPorts,
): Promise<{ readonly applied: boolean; readonly changes: readonly RuleSetChange[] }> {
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
