import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { isJsonObject, parseJson } from '../../../src/model/text.ts';

const run = promisify(execFile);

/** The newest version of a package, fetched and unpacked. */
export interface FetchedPackage {
  readonly name: string;
  readonly version: string;
  /** The day (UTC) on which the registry got it. */
  readonly published: string;
  readonly folder: string;
}

const fetchMs = 300_000;

/** TRICKY: without `@latest` npm takes the newest version for the Node that runs it. */
export async function fetchNewest(name: string, into: string): Promise<FetchedPackage> {
  const told = await run('npm', ['view', `${name}@latest`, 'version', 'time', '--json'], { timeout: fetchMs, maxBuffer: 64 * 1024 * 1024 });
  const about = parseJson(told.stdout);
  const found = isJsonObject(about) ? about : {};
  const version = textOrEmpty(found['version']);
  const times = isJsonObject(found['time']) ? found['time'] : {};
  const packed = await run('npm', ['pack', '--silent', `${name}@${version}`, '--pack-destination', into], { timeout: fetchMs });
  const folder = path.join(into, name.replaceAll('/', '+'));
  mkdirSync(folder, { recursive: true });
  await run('tar', ['xzf', path.join(into, packed.stdout.trim()), '-C', folder, '--strip-components=1'], { timeout: fetchMs });
  return { name, version, published: textOrEmpty(times[version]).slice(0, 10), folder };
}

function textOrEmpty(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
