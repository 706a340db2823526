import path from 'node:path';
import { isJsonObject, parseJson } from '../model/text.ts';
import { readFileIfPresent, replaceFile } from '../platform/files.ts';

/** A load balancer gives the gateway a second; the core gets half of it. */
const timeoutMs = 500;

/** Writes the core's address into the data folder, where gateways find it. */
export function publishCoreAddress(dataDir: string, address: string): void {
  replaceFile(fileIn(dataDir), `${JSON.stringify({ address })}\n`);
}

/** The degraded parts that the core reports; `core` when it does not respond within half a second. */
export async function degradedCoreParts(dataDir: string): Promise<readonly string[]> {
  try {
    const address = coreAddress(dataDir);
    if (address === undefined) return ['core'];
    const response = await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(timeoutMs) });
    const health = (await response.json()) as { readonly failing?: unknown; readonly degraded?: unknown };
    const parts = [health.failing, health.degraded];
    return parts.every(Array.isArray) ? parts.flat().map(String) : ['core'];
  } catch {
    return ['core'];
  }
}

/** The core's published address; undefined before it has started. */
export function coreAddress(dataDir: string): string | undefined {
  const published = parseJson(readFileIfPresent(fileIn(dataDir)) ?? '');
  return isJsonObject(published) && typeof published['address'] === 'string' ? published['address'] : undefined;
}

function fileIn(dataDir: string): string {
  return path.join(dataDir, 'core.json');
}
