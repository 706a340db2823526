import path from 'node:path';
import { isJsonObject, parseJson } from '../model/text.ts';
import { readFileIfPresent, replaceFile } from '../platform/files.ts';

/** A load balancer that asks the gateway gives it a second. */
const askMs = 500;

/** Leaves the core's address in the data folder, where gateways find it. */
export function publishCoreAddress(dataDir: string, address: string): void {
  replaceFile(fileIn(dataDir), `${JSON.stringify({ address })}\n`);
}

/** Parts of the core that do not work at the moment or are behind, by its own word; `core` when it does not answer within half a second. */
export async function degradedCoreParts(dataDir: string): Promise<readonly string[]> {
  try {
    const address = coreAddress(dataDir);
    if (address === undefined) return ['core'];
    const response = await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(askMs) });
    const answer = (await response.json()) as { readonly failing?: unknown; readonly degraded?: unknown };
    const parts = [answer.failing, answer.degraded];
    return parts.every(Array.isArray) ? parts.flat().map(String) : ['core'];
  } catch {
    return ['core'];
  }
}

/** Where the core's API is, by its own word; undefined: it has not told yet. */
export function coreAddress(dataDir: string): string | undefined {
  const published = parseJson(readFileIfPresent(fileIn(dataDir)) ?? '');
  return isJsonObject(published) && typeof published['address'] === 'string' ? published['address'] : undefined;
}

function fileIn(dataDir: string): string {
  return path.join(dataDir, 'core.json');
}
