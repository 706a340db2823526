import { readSync, writeSync } from 'node:fs';
import { bootstrap } from '../auth/bootstrap.ts';
import { hasMetadata } from '../metadata/metadata-file.ts';
import { openMigratedMetadata } from '../metadata/migrate.ts';
import { listOrganizations } from '../metadata/organization/organizations.ts';
import { messageOf } from '../model/errors.ts';
import type { Observation } from '../model/observation.ts';
import { systemClock } from '../platform/clock.ts';
import { hasRecords, lostMetadata } from '../supervisor/data-folder.ts';

export interface MetadataOrder {
  readonly dataDir: string;
  /** Creates new metadata even where records of earlier metadata exist. */
  readonly newMetadata: boolean;
  readonly bootstrapKey: string | undefined;
  readonly region: string;
}

export type MetadataMessage =
  | { readonly observation: Observation }
  /** A new key. This process goes on once it receives an empty line: the key has been shown. */
  | { readonly apiKey: string }
  | { readonly freshKey?: string | undefined }
  /** A sentence for people. */
  | { readonly failure: string };

const input = 0;
const output = 1;

/** Receives a line. This process has nothing else to do meanwhile. It ends without a line: its supervisor has ended. */
function receiveLine(): string {
  const bytes: number[] = [];
  const byte = Buffer.alloc(1);
  while (readSync(input, byte) === 1) {
    const [value = 0] = byte;
    if (value === 0x0a) return Buffer.from(bytes).toString('utf8');
    bytes.push(value);
  }
  process.exit(1);
}

function send(message: MetadataMessage): void {
  try {
    writeSync(output, `${JSON.stringify(message)}\n`);
  } catch {
    // Its supervisor has ended.
    process.exit(1);
  }
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
  send({ apiKey });
  receiveLine();
}

try {
  send({ freshKey: await prepare(JSON.parse(receiveLine()) as MetadataOrder) });
} catch (error) {
  send({ failure: messageOf(error) });
}
