/**
 * `npm run soak -- instrumentations [name]`: installs the newest version of each instrumentation that makes OpenTelemetry spans of model
 * calls, or of the one with this text in its name, with the newest packages that it takes and a Node 22, into folders of `.cache/instrumentations`
 * (about 250 MB each). Under each it makes calls of a fake provider whose truth is known, by the batch and the simple processor of spans: straight to the provider,
 * through the gateway, and through the gateway with `traceparent`. Each call must be one record with the model, tokens, cost and texts that the provider
 * returned, but for what `docs/guides/opentelemetry.md` says that the instrumentation does not tell. The exit code is 1 when one is not.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Instrumentation, instrumentations, type Mode, type Processor } from '../support/instrumentations/catalogue.ts';
import { startTruthfulProvider } from '../support/instrumentations/provider.ts';
import { install, type Scene, tell } from '../support/instrumentations/run.ts';
import { expectedRecords, judge } from '../support/instrumentations/verdict.ts';
import { killStarted, makeDataDir, removeDataDir, startService } from '../support/process-tree.ts';

const [part = ''] = process.argv.slice(2);
const folder = path.resolve('.cache/instrumentations');
const guide = readFileSync('docs/guides/opentelemetry.md', 'utf8');
const modes: readonly Mode[] = ['direct', 'gateway', 'propagated'];
const processors: readonly Processor[] = ['batch', 'simple'];
const columns = [54, 10, 11, 6, 8, 7, 6, 6];
const dataDir = makeDataDir();

process.once('SIGINT', () => process.exit(130));
process.once('exit', killStarted);

try {
  const provider = await startTruthfulProvider();
  const service = await startService({
    dataDir,
    environment: {
      GATELOG_INGEST_INTERVAL_MS: '20',
      GATELOG_PROVIDER_OPENAI_URL: `${provider.origin}/v1`,
      GATELOG_PROVIDER_ANTHROPIC_URL: provider.origin,
    },
  });
  line(['instrumentation', 'processor', 'mode', 'calls', 'records', 'tokens', 'cost', 'texts', 'ok']);
  for (const instrumentation of instrumentations.filter(({ name }) => name.includes(part))) {
    await examine(instrumentation, { service, provider, folder }).catch((error: unknown) => {
      console.log(`${instrumentation.name}: ${error instanceof Error ? error.message : String(error)}`);
      process.exitCode = 1;
    });
  }
  await service.stop();
  await provider.close();
} finally {
  removeDataDir(dataDir);
}

async function examine(instrumentation: Instrumentation, scene: Scene): Promise<void> {
  const version = await install(instrumentation, folder);
  for (const mode of modes) {
    for (const processor of processors) {
      const way = { mode, processor };
      const told = await tell(instrumentation, scene, { ...way, expected: expectedRecords(instrumentation, way) });
      const { faults, tokens, cost, texts } = judge(instrumentation, way, told, guide);
      const isGood = faults.length === 0;
      line([version, processor, mode, told.calls.length, told.records.length, tokens, cost, texts, isGood ? 'ok' : 'FAULT']);
      for (const fault of faults) console.log(`  ${fault}`);
      if (!isGood) process.exitCode = 1;
    }
  }
}

function line(cells: readonly (string | number)[]): void {
  console.log(cells.map((cell, index) => String(cell).padEnd(columns[index] ?? 0)).join(' '));
}
