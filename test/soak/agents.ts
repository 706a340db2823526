/**
 * `npm run soak -- agents [name]`: runs the coding agents of `bench/agents/package.json`, or those with this text in their name, for one
 * task each through a real service to a fake provider, with the settings of docs/guides/coding-agents.md and in a home folder of their
 * own. The first run installs them there, with a Node 22 for those that need it (about 0.9 GB to fetch, 2.5 GB on the disk). An agent that
 * can start another one is made to. Each call that reached the provider must be one record with its status, model, tokens, cost and
 * developer; all calls of a run must be one session, with its sub-agents as places of the tree. Then Claude Code's own cost of a call to
 * each model that it knows must be that of the record. At last each agent runs as `gatelog agents setup` leads it through the gateway, beside
 * settings of its own, and `gatelog agents undo` must leave its files as they were, to the byte, or with nothing of ours where the agent has
 * changed them. The exit code is 1 when any of this fails.
 */
import path from 'node:path';
import { installPeers } from '../../bench/peers/install.ts';
import { textTable } from '../../src/config/text-table.ts';
import { apiClient } from '../support/api.ts';
import type { CodingAgent } from '../support/agents/agent.ts';
import { codingAgents } from '../support/agents/agents.ts';
import { agentsSetUp } from '../support/agents/set-up.ts';
import { claudeCosts } from '../support/agents/claude-cost.ts';
import { startAgentProvider } from '../support/agents/provider.ts';
import { type AgentScene, type AgentVerdict, runAgent } from '../support/agents/run.ts';
import { killStarted, makeDataDir, removeDataDir, startService } from '../support/process-tree.ts';

const [part = ''] = process.argv.slice(2);
const packages = path.resolve('bench/agents');
const dataDir = makeDataDir();

/** Its default, its aliases, and the models in its table of prices. */
const claudeModels = [
  '',
  'opus',
  'sonnet',
  'haiku',
  'claude-fable-5-2',
  'claude-fable-5-1',
  'claude-mythos-5-2',
  'claude-mythos-5-1',
  'claude-mythos-5',
  'claude-opus-5',
  'claude-opus-4-8',
  'claude-sonnet-5',
  'claude-sonnet-4-6',
  'claude-haiku-4-5',
];
const usdDigits = 9;

process.once('SIGINT', () => process.exit(130));
process.once('exit', killStarted);

try {
  await installPeers(packages);
  const provider = await startAgentProvider();
  const service = await startService({
    dataDir,
    environment: Object.fromEntries(
      [
        ['OPENAI', `${provider.origin}/v1`],
        ['ANTHROPIC', provider.origin],
        ['GEMINI', provider.origin],
      ].flatMap(([name, url]) => [
        [`GATELOG_PROVIDER_${name}_URL`, url],
        [`GATELOG_PROVIDER_${name}_KEY`, 'key-of-the-deployment'],
      ]),
    ) as Record<string, string>,
  });
  const scene = { service, provider, packages };
  await runAgents(codingAgents, scene);
  await runAgents(agentsSetUp, scene);
  if ('claude code'.includes(part.toLowerCase())) await compareClaudeCosts(scene);
  await service.stop();
  await provider.close();
} finally {
  removeDataDir(dataDir);
}

async function runAgents(agents: readonly CodingAgent[], scene: AgentScene): Promise<void> {
  const verdicts: AgentVerdict[] = [];
  for (const agent of agents.filter(({ name }) => name.toLowerCase().includes(part.toLowerCase()))) {
    console.error(`running ${agent.name} …`);
    verdicts.push(await runAgent(agent, scene));
  }
  console.log(
    textTable([['AGENT', 'VERSION', 'CALLS', 'RECORDS', 'SESSION', 'TOKENS', 'COST', 'PLACES', 'USER AGENT'], ...verdicts.map(rowOf)]),
  );
  for (const { name, faults } of verdicts) for (const fault of faults) report(`${name}: ${fault}`);
  const { body } = await apiClient(scene.service.api).call('POST', '/v1/metrics/query', {
    metrics: ['count', 'cost', 'sessions'],
    groupBy: [{ property: 'Repository' }, 'user'],
  });
  console.log(`by repository and developer: ${JSON.stringify(body.data)}`);
}

function rowOf({ name, version, calls, records, session, places }: AgentVerdict): readonly string[] {
  const tokens = records.reduce((sum, { total_tokens: each }) => sum + (each ?? 0), 0);
  const cost = records.reduce((sum, item) => sum + (item.cost ?? Number.NaN), 0);
  const agents = [...new Set(calls.map(({ headers }) => String(headers['user-agent'])))];
  return [
    name,
    version,
    String(calls.length),
    String(records.length),
    session?.session_id ?? 'none',
    String(tokens),
    cost.toFixed(usdDigits),
    places.join(', ') || 'none',
    agents.join(', '),
  ];
}

async function compareClaudeCosts(scene: AgentScene): Promise<void> {
  const rows: (readonly string[])[] = [];
  for (const asked of claudeModels) {
    console.error(`asking Claude Code for the cost of ${asked || 'its default model'} …`);
    const { model, calls, records, itsCost, ourCost } = await claudeCosts(asked, scene);
    const [its, ours] = [itsCost, ourCost].map((cost) => cost?.toFixed(usdDigits) ?? 'none');
    rows.push([asked || 'default', model, String(calls), String(records), its ?? '', ours ?? '']);
    if (its !== ours || calls !== records) {
      report(`Claude Code with ${asked || 'its default model'}: ${calls} calls, ${its} USD; ${records} records, ${ours} USD`);
    }
  }
  console.log(textTable([['CLAUDE CODE WITH', 'MODEL', 'CALLS', 'RECORDS', 'ITS COST', 'OUR COST'], ...rows]));
}

function report(fault: string): void {
  console.log(`FAULT: ${fault}`);
  process.exitCode = 1;
}
