import { parentPort } from 'node:worker_threads';
import { bootstrap } from '../auth/bootstrap.ts';
import { hasMetadata } from '../metadata/metadata-file.ts';
import { openMigratedMetadata } from '../metadata/migrate.ts';
import { listOrganizations } from '../metadata/organization/organizations.ts';
import type { Observation } from '../model/observation.ts';
import { systemClock } from '../platform/clock.ts';
import { hasRecords, lostMetadata } from './data-folder.ts';

export interface MetadataOrder {
  readonly dataDir: string;
  /** Creates new metadata even where records of earlier metadata exist. */
  readonly newMetadata: boolean;
  readonly bootstrapKey: string | undefined;
  readonly region: string;
}

export type MetadataMessage =
  | { readonly observation: Observation }
  /** A new key. The thread goes on once the receiver has shown it and has set `shown`. */
  | { readonly apiKey: string; readonly shown: Int32Array<SharedArrayBuffer> }
  | { readonly freshKey: string | undefined };

function send(message: MetadataMessage): void {
  parentPort?.postMessage(message);
}

/**
 * Creates the first organisation at the very first start. @returns its key then. @throws with a sentence for people when records exist
 * whose organisations are gone.
 */
async function prepare({ dataDir, newMetadata, bootstrapKey, region }: MetadataOrder): Promise<string | undefined> {
  const isLost = !newMetadata && hasRecords(dataDir);
  if (isLost && !hasMetadata(dataDir)) throw lostMetadata(dataDir);
  const database = await openMigratedMetadata(dataDir, 'core', systemClock.now, (observation) => send({ observation }));
  try {
    if (isLost && (await listOrganizations(database)).length === 0) throw lostMetadata(dataDir);
    const first = await bootstrap(database, { bootstrapKey, region, now: systemClock.now, show });
    return first.created ? first.apiKey : undefined;
  } finally {
    await database.close();
  }
}

function show(apiKey: string): void {
  const shown = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  send({ apiKey, shown });
  Atomics.wait(shown, 0, 0);
}

parentPort?.once('message', (order: MetadataOrder) => {
  void prepare(order).then((freshKey) => send({ freshKey }));
});
