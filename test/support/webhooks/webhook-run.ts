import { setTimeout as wait } from 'node:timers/promises';
import { apiClient } from '../api.ts';
import { startAwakeClock } from '../awake-clock.ts';
import type { SeededRandom } from '../seeded-random.ts';
import { eventually } from '../eventually.ts';
import { type Kill, type KillKind, killOne, type KillScene, maxPauseMs, planOf, untilEveryProcessRuns } from '../kills.ts';
import { startLoadProvider } from '../load-provider.ts';
import { type Load, startLoad } from '../load.ts';
import { type ServiceOptions, startService } from '../process-tree.ts';
import { stablePort } from '../stable-port.ts';
import { recordsOnceStored } from '../stored-records.ts';
import { type CountingReceiver, startCountingReceiver } from './counting-receiver.ts';
import { countWebhookFindings, judgeWebhooks, type SampledWebhook, type WebhookFindings } from './webhook-verdict.ts';

/** The parts through which events pass. */
export const killedKinds: readonly KillKind[] = ['core', 'supervisor', 'tree'];

export interface WebhookRunOptions {
  readonly kills: number;
  readonly random: SeededRandom;
  readonly dataDir: string;
  readonly callsPerSecond: number;
  readonly onKill?: (kill: Kill, soFar: { readonly calls: number; readonly events: number }) => void;
}

export interface WebhookRun {
  readonly kills: readonly Kill[];
  readonly records: number;
  readonly changes: number;
  /** Requests that the second webhook got. */
  readonly sampled: number;
  /** Events that were received more than once, and first attempts that were refused. */
  readonly repeated: number;
  readonly refused: number;
  readonly findings: WebhookFindings;
}

const workers = 1;
/** A refused event comes again after five seconds, and what a kill interrupted at once. */
const deliveryMs = 120_000;
const sampledUser = 3;
const sampleRate = 50;

/**
 * Kills the core, the supervisor or the whole tree at random moments under load, while two webhooks get requests and their changes. Afterwards
 * compares what the receivers got with what is stored.
 */
export async function runWebhookKills(options: WebhookRunOptions): Promise<WebhookRun> {
  const { random: dice } = options;
  const [provider, all, some] = [await startLoadProvider(), await startCountingReceiver(), await startCountingReceiver()];
  const serviceOptions: ServiceOptions = {
    dataDir: options.dataDir,
    environment: {
      GATELOG_PROVIDER_OPENAI_URL: provider.baseUrl,
      GATELOG_GATEWAY_WORKERS: String(workers),
      GATELOG_GATEWAY_PORT: String(await stablePort()),
      GATELOG_API_PORT: String(await stablePort()),
      GATELOG_TARGET_ALLOWLIST: '127.0.0.1',
      GATELOG_INGEST_BATCH_ROWS: '100',
      GATELOG_LOG_LEVEL: 'error',
    },
  };
  const clock = startAwakeClock();
  const scene: KillScene = { random: dice, workers, serviceOptions, service: await startService(serviceOptions), kills: [], clock };
  try {
    const sampled = await createWebhooks(scene, all, some);
    const load = startLoad({ ...scene.service, callsPerSecond: options.callsPerSecond, updateEvery: 12, random: dice });
    for (const kind of planOf(killedKinds, options.kills, dice)) {
      await wait(dice.below(maxPauseMs));
      const kill = await killOne(scene, kind);
      options.onKill?.(kill, { calls: load.calls.length, events: all.received.size });
    }
    await untilEveryProcessRuns(scene);
    await load.stop();
    const run = await judgeRun(scene, { load, all, some: sampled });
    await scene.service.stop();
    return run;
  } catch (error) {
    const output = scene.service.output().slice(-4000);
    throw new Error(`after ${scene.kills.length} kills; the last output of the service:\n${output}`, { cause: error });
  } finally {
    clock.stop();
    await Promise.all([provider.close(), all.close(), some.close()]);
  }
}

async function createWebhooks({ service }: KillScene, all: CountingReceiver, some: CountingReceiver): Promise<SampledWebhook> {
  await createWebhook(service.api, all, { events: ['request.completed', 'request.updated'] });
  const filter = { request_response_rmt: { user_id: { equals: `user-${sampledUser}` } } };
  const id = await createWebhook(service.api, some, { filter, sampleRate });
  return { id, receiver: some, userNumber: sampledUser, sampleRate };
}

async function createWebhook(api: string, receiver: CountingReceiver, config: object): Promise<string> {
  const { status, body } = await apiClient(api).call<{ readonly id: string; readonly hmac_key: string }>('POST', '/v1/webhooks', {
    destination: `${receiver.origin}/events`,
    config,
  });
  if (status !== 200) throw new Error(`POST /v1/webhooks was answered ${status}: ${JSON.stringify(body)}`);
  receiver.key = body.data.hmac_key;
  return body.data.id;
}

interface Ran {
  readonly load: Load;
  readonly all: CountingReceiver;
  readonly some: SampledWebhook;
}

/** Waits until everything has arrived; after a long wait it reports what has not. */
async function judgeRun({ service, kills }: KillScene, { load, all, some }: Ran): Promise<WebhookRun> {
  const recorded = load.calls.filter(({ id, status, recorded: isRecorded }) => id !== undefined && status !== 401 && isRecorded);
  const records = await recordsOnceStored(
    service.api,
    recorded.flatMap(({ id }) => id ?? []),
  );
  const judged = (): WebhookFindings => judgeWebhooks({ records, changes: load.updates, all, some });
  await eventually('all events', () => (countWebhookFindings(judged()) === 0 ? true : undefined), deliveryMs).catch(() => undefined);
  return {
    kills,
    records: records.length,
    changes: load.updates.filter(({ status }) => status === 200).length,
    sampled: some.receiver.received.size,
    repeated: all.repeated() + some.receiver.repeated(),
    refused: all.refused() + some.receiver.refused(),
    findings: judged(),
  };
}
