import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { ensureFolder } from '../platform/files.ts';
import { readPayloads } from '../spool/reader.ts';
import type { OpenExchange } from './open-exchange.ts';

/** Keeps what could not be interpreted or stored, with its reason, so that it can be replayed. */
export type KeepDeadLetter = (exchange: OpenExchange, seriesFolder: string, reason: string) => void;

/**
 * Dead letters are JSON lines in files of one day, mode 0600: who, when, why, and every frame as base64.
 * @param now Unix milliseconds.
 */
export function makeDeadLetters(folder: string, now: () => number): KeepDeadLetter {
  return (exchange, seriesFolder, reason) => {
    ensureFolder(folder);
    const at = new Date(now()).toISOString();
    const { organizationId, requestId, frames } = exchange;
    const payloads = payloadsOf(seriesFolder, exchange);
    const line = JSON.stringify({
      at,
      reason,
      organizationId,
      requestId,
      frames: frames.map(({ kind, stamp }, index) => ({ kind, stamp, payload: payloads[index]?.toString('base64') ?? null })),
    });
    appendFileSync(path.join(folder, `${at.slice(0, 10)}.jsonl`), `${line}\n`, { mode: 0o600 });
  };
}

/** The frames' bytes; none where the spool itself cannot be read. */
function payloadsOf(seriesFolder: string, exchange: OpenExchange): readonly Buffer[] {
  try {
    return readPayloads(seriesFolder, exchange.frames);
  } catch {
    return [];
  }
}
