/**
 * `npm run soak -- agents [name]`: runs the coding agents of `bench/agents/package.json`, or the one with this text in its name, for one
 * task each through a real service to a fake provider, with the settings of docs/guides/coding-agents.md and in a home folder of their
 * own. The first run installs them there (about 0.6 GB to fetch, 1.6 GB on the disk). An agent that can start another one is made to. Afterwards
 * the session query must show one session for each agent, with all its calls, their exact cost, its developer and its sub-agents as
 * places of the tree. The exit code is 1 when any of this fails.
 */
import path from 'node:path';
import { installPeers } from '../../bench/peers/install.ts';
import { apiClient } from '../support/api.ts';
import { codingAgents } from '../support/agents/agents.ts';
import { startAgentProvider } from '../support/agents/provider.ts';
import { type AgentVerdict, runAgent } from '../support/agents/run.ts';
import { killStarted, makeDataDir, removeDataDir, startService } from '../support/process-tree.ts';

const [part = ''] = process.argv.slice(2);
const packages = path.resolve('bench/agents');
const dataDir = makeDataDir();

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
  for (const agent of codingAgents.filter(({ name }) => name.toLowerCase().includes(part.toLowerCase()))) {
    console.error(`running ${agent.name} …`);
    report(await runAgent(agent, service, provider, packages));
  }
  const { body } = await apiClient(service.api).call('POST', '/v1/metrics/query', {
    metrics: ['count', 'cost', 'sessions'],
    groupBy: [{ property: 'Repository' }, 'user'],
    filter: { request_response_rmt: { properties: { Repository: { 'not-equals': '' } } } },
  });
  console.log(`by repository and developer: ${JSON.stringify(body.data)}`);
  await service.stop();
  await provider.close();
} finally {
  removeDataDir(dataDir);
}

function report({ name, version, calls, session, places, faults }: AgentVerdict): void {
  console.log(
    `${name} ${version}: ${calls} calls, session ${session?.session_id ?? 'none'}, ${session?.total_cost ?? '?'} USD, ${session?.total_tokens ?? '?'} tokens`,
  );
  console.log(`  places: ${places.join(', ')}`);
  for (const fault of faults) {
    console.log(`  FAULT: ${fault}`);
    process.exitCode = 1;
  }
}
