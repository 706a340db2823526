import path from 'node:path';
import { isJsonObject, parseJson } from '../model/text.ts';
import { readFileIfPresent, replaceFile } from '../platform/files.ts';

const askMs = 1000;

/** Leaves the core's address in the data folder, where gateways find it. */
export function publishCoreAddress(dataDir: string, address: string): void {
  replaceFile(fileIn(dataDir), `${JSON.stringify({ address })}\n`);
}

/** Parts of the core that do not work at the moment, by its own word; `core` when it does not answer within a second. */
export async function failingCoreParts(dataDir: string): Promise<readonly string[]> {
  const published = parseJson(readFileIfPresent(fileIn(dataDir)) ?? '');
  if (!isJsonObject(published) || typeof published['address'] !== 'string') return ['core'];
  try {
    const response = await fetch(`${published['address']}/readyz`, { signal: AbortSignal.timeout(askMs) });
    const answer = (await response.json()) as { readonly failing?: unknown };
    return Array.isArray(answer.failing) ? answer.failing.map(String) : ['core'];
  } catch {
    return ['core'];
  }
}

function fileIn(dataDir: string): string {
  return path.join(dataDir, 'core.json');
}
