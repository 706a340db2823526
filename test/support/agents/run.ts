import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { RequestItem } from '../../../src/contract/requests/item.ts';
import type { SessionItem } from '../../../src/contract/sessions/item.ts';
import type { SessionNode } from '../../../src/contract/sessions/view.ts';
import { type ApiClient, apiClient } from '../api.ts';
import { eventually } from '../eventually.ts';
import { type Service, testKey } from '../process-tree.ts';
import { type CodingAgent, developer, repository } from './agents.ts';
import { costOfCall } from './formats.ts';
import { inHome, type Ran } from './home.ts';
import { type AgentProvider, finalAnswer, type ModelCall } from './provider.ts';

/** What came of one agent. */
export interface AgentVerdict {
  readonly name: string;
  readonly version: string;
  readonly calls: number;
  /** The session as the session query shows it; undefined: it is not there. */
  readonly session: SessionItem | undefined;
  /** Paths of the session's tree with their calls. */
  readonly places: readonly string[];
  readonly faults: readonly string[];
}

const shownOutput = 1500;
const closeEnough = 1e-9;
const visibleMs = 20_000;

/** Runs an agent with the settings of the guide, and looks its session up. */
export async function runAgent(
  agent: CodingAgent,
  { gateway, api: apiUrl }: Service,
  provider: AgentProvider,
  packages: string,
): Promise<AgentVerdict> {
  const api = apiClient(apiUrl);
  const before = { at: Date.now(), calls: provider.calls.length, unknown: provider.unknown.length };
  const ran = await inHome(agent, { gateway, packages, key: testKey });
  const calls = provider.calls.slice(before.calls);
  const asked = provider.unknown.slice(before.unknown).map((call) => `it also asked for ${call}`);
  const faults = [...faultsOfRun(ran), ...asked, ...leakedIn(calls)];
  const records = await recordsSince(api, agent, before.at, calls.length);
  const ids = [...new Set(records.map(({ session_id: id }) => id))];
  const verdict = { name: agent.name, version: versionIn(packages, agent), calls: calls.length };
  const [id] = ids;
  if (ids.length !== 1 || typeof id !== 'string') {
    return { ...verdict, session: undefined, places: [], faults: [...faults, `its calls are of these sessions: ${ids.join(', ')}`] };
  }
  const found = await api.call<readonly SessionItem[]>('POST', '/v1/session/query', { search: id });
  const session = found.body.data.find(({ session_id: known }) => known === id);
  const { body } = await api.call<{ readonly tree: readonly SessionNode[] }>('GET', `/v1/session/${encodeURIComponent(id)}`);
  const places = body.data.tree.flatMap(placesOf);
  return { ...verdict, session, places, faults: [...faults, ...faultsOfSession(agent, calls, session, places)] };
}

function faultsOfRun({ code, output }: Ran): readonly string[] {
  const shown = output.slice(-shownOutput);
  return [
    ...(code === 0 ? [] : [`it ended with ${String(code)}: ${shown}`]),
    ...(output.includes(finalAnswer) ? [] : [`it did not print the answer: ${shown}`]),
  ];
}

/** Headers of ours and keys that reached the provider. */
function leakedIn(calls: readonly ModelCall[]): readonly string[] {
  const lines = calls.flatMap(({ headers }) => Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`));
  return lines.filter((line) => line.startsWith('svc-') || line.includes(testKey)).map((line) => `${line} reached the provider`);
}

function faultsOfSession(
  agent: CodingAgent,
  calls: readonly ModelCall[],
  session: SessionItem | undefined,
  places: readonly string[],
): readonly string[] {
  if (session === undefined) return ['the session query does not show it'];
  const expected = calls.reduce((sum, { model }) => sum + (costOfCall.get(model) ?? Number.NaN), 0);
  const { total_cost: billed, total_requests: requests, user_ids: users } = session;
  return [
    ...(Math.abs(billed - expected) < closeEnough ? [] : [`the session costs ${billed}, its calls ${expected}`]),
    ...(requests === calls.length ? [] : [`the session has ${requests} requests of ${calls.length} calls`]),
    ...(users.join() === developer ? [] : [`its users are ${users.join()}`]),
    ...(agent.starts && places.length < 2 ? ['the agent that it started has no place in the tree'] : []),
  ];
}

/** The model calls among its records, as soon as they are as many as reached the provider. */
async function recordsSince(api: ApiClient, { name }: CodingAgent, at: number, calls: number): Promise<readonly RequestItem[]> {
  const filter = {
    left: { request_response_rmt: { request_created_at: { gte: at } } },
    operator: 'and',
    right: { request_response_rmt: { properties: { Repository: { equals: repository } } } },
  };
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
