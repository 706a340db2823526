import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { RequestItem } from '../../../src/contract/requests/item.ts';
import type { SessionItem } from '../../../src/contract/sessions/item.ts';
import type { SessionNode } from '../../../src/contract/sessions/view.ts';
import { type ApiClient, apiClient } from '../api.ts';
import { eventually } from '../eventually.ts';
import { type Service, testKey } from '../process-tree.ts';
import { type CodingAgent, developer, repository } from './agent.ts';
import { inHome, type Ran } from './home.ts';
import { type AgentProvider, delegates, finalAnswer, type ModelCall } from './provider.ts';
import { truthOf } from './truth.ts';

/** What came of one agent. */
export interface AgentVerdict {
  readonly name: string;
  readonly version: string;
  /** Model calls that reached the provider. */
  readonly calls: readonly ModelCall[];
  /** Their records. */
  readonly records: readonly RequestItem[];
  /** The session as the session query shows it; undefined: it is not there. */
  readonly session: SessionItem | undefined;
  /** Paths of the session's tree with their calls. */
  readonly places: readonly string[];
  readonly output: string;
  readonly faults: readonly string[];
}

export interface AgentScene {
  readonly service: Service;
  readonly provider: AgentProvider;
  /** Folder of the installed agents. */
  readonly packages: string;
}

const shownOutput = 1500;
const closeEnough = 1e-9;
const visibleMs = 20_000;
/** Calls of an agent that ends are still on their way to the provider. */
const settleMs = 1000;
const delegating = `How many files are in this folder? ${delegates}.`;

/** Runs an agent with the settings of the guide, and looks its records and its session up. */
export async function runAgent(agent: CodingAgent, scene: AgentScene, question: string = delegating): Promise<AgentVerdict> {
  const { service, provider, packages } = scene;
  const api = apiClient(service.api);
  const before = { at: Date.now(), calls: provider.calls.length, unknown: provider.unknown.length };
  const ran = await inHome(agent, { gateway: service.gateway, packages, key: testKey, question });
  await setTimeout(settleMs);
  const calls = provider.calls.slice(before.calls);
  const asked = provider.unknown.slice(before.unknown).map((call) => `it also asked for ${call}`);
  const records = await recordsSince(api, agent, before.at, calls.length);
  const faults = [...faultsOfRun(ran), ...asked, ...leakedIn(calls), ...faultsOfRecords(agent, calls, records)];
  const verdict = { name: agent.name, version: versionIn(packages, agent), calls, records, output: ran.output };
  const ids = [...new Set(records.map(({ session_id: id }) => id))];
  const [id] = ids;
  if (ids.length !== 1 || typeof id !== 'string') {
    const isExpected = agent.lacks?.includes('session') === true && ids.join() === '';
    const fault = isExpected ? [] : [`its calls are of these sessions: ${ids.join(', ')}`];
    return { ...verdict, session: undefined, places: [], faults: [...faults, ...fault] };
  }
  const found = await api.call<readonly SessionItem[]>('POST', '/v1/session/query', { search: id });
  const session = found.body.data.find(({ session_id: known }) => known === id);
  const { body } = await api.call<{ readonly tree: readonly SessionNode[] }>('GET', `/v1/session/${encodeURIComponent(id)}`);
  const places = body.data.tree.flatMap(placesOf);
  return { ...verdict, session, places, faults: [...faults, ...faultsOfSession(agent, calls, session, places)] };
}

function faultsOfRun({ code, output, faults }: Ran): readonly string[] {
  const shown = output.slice(-shownOutput);
  return [
    ...faults,
    ...(code === 0 ? [] : [`it ended with ${String(code)}: ${shown}`]),
    ...(output.includes(finalAnswer) ? [] : [`it did not print the answer: ${shown}`]),
  ];
}

/** Headers of ours and keys that reached the provider. */
function leakedIn(calls: readonly ModelCall[]): readonly string[] {
  const lines = calls.flatMap(({ headers }) => Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`));
  return lines.filter((line) => line.startsWith('svc-') || line.includes(testKey)).map((line) => `${line} reached the provider`);
}

/** Each call is one record, with its status, model, tokens, cost and tags. */
function faultsOfRecords(agent: CodingAgent, calls: readonly ModelCall[], records: readonly RequestItem[]): readonly string[] {
  const told = calls.map((call) => {
    const { promptTokens, completionTokens, cost } = truthOf(call);
    return factsOf(200, call.model, [promptTokens, completionTokens, cost]);
  });
  const recorded = records.map((item) =>
    factsOf(item.response_status, item.request_model, [item.prompt_tokens, item.completion_tokens, item.cost]),
  );
  const isTagged = agent.lacks?.includes('tags') !== true;
  const untagged = records.filter(
    ({ request_user_id: user, properties }) => user !== developer || properties['Repository'] !== repository,
  ).length;
  return [
    ...(told.toSorted().join('\n') === recorded.toSorted().join('\n')
      ? []
      : [`calls: ${told.join('; ')}; records: ${recorded.join('; ')}`]),
    ...(isTagged && untagged > 0 ? [`${untagged} of its records lack the user or the repository`] : []),
  ];
}

function factsOf(status: number, model: string | null, figures: readonly (number | null)[]): string {
  return `${status} ${model} ${figures.map((figure) => figure?.toFixed(9) ?? 'none').join(' ')}`;
}

function faultsOfSession(
  agent: CodingAgent,
  calls: readonly ModelCall[],
  session: SessionItem | undefined,
  places: readonly string[],
): readonly string[] {
  if (session === undefined) return ['the session query does not show it'];
  const truths = calls.map(truthOf);
  const expected = truths.reduce((sum, { cost }) => sum + cost, 0);
  const expectedTokens = truths.reduce((sum, { promptTokens, completionTokens }) => sum + promptTokens + completionTokens, 0);
  const { total_cost: billed, total_requests: requests, total_tokens: tokens } = session;
  return [
    ...(Math.abs(billed - expected) < closeEnough ? [] : [`the session costs ${billed}, its calls ${expected}`]),
    ...(tokens === expectedTokens ? [] : [`the session has ${tokens} tokens, its calls ${expectedTokens}`]),
    ...(requests === calls.length ? [] : [`the session has ${requests} requests of ${calls.length} calls`]),
    ...(agent.starts && places.length < 2 ? ['the agent that it started has no place in the tree'] : []),
  ];
}

/** The model calls among the records, as soon as they are as many as reached the provider. */
async function recordsSince(api: ApiClient, { name }: CodingAgent, at: number, calls: number): Promise<readonly RequestItem[]> {
  const filter = { request_response_rmt: { request_created_at: { gte: at } } };
  let modelCalls: readonly RequestItem[] = [];
  await eventually(
    `the records of ${name}`,
    async () => {
      const records = await api.query(filter, { limit: 1000 });
      modelCalls = records.filter(({ request_path: called }) => called?.includes('/v1/models?') !== true);
      return modelCalls.length < calls ? undefined : true;
    },
    visibleMs,
  ).catch(() => undefined);
  return modelCalls;
}

function placesOf({ path: place, totals, children }: SessionNode): readonly string[] {
  return [`${place} (${totals.requests})`, ...children.flatMap(placesOf)];
}

function versionIn(packages: string, agent: CodingAgent): string {
  const file = path.join(packages, 'node_modules', agent.package, 'package.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version;
}
