import { closeSync, existsSync, fsyncSync, openSync } from 'node:fs';
import path from 'node:path';
import { ensureFolder, syncFolder, writeWhole } from '../platform/files.ts';
import { type AcceptedChange, changeContent } from '../model/change.ts';
import { readPayloads } from '../spool/payloads.ts';
import type { OpenExchange } from './open-exchange.ts';

/** An exchange that could not be interpreted or stored. */
export interface DeadLetter {
  readonly exchange: OpenExchange;
  readonly seriesFolder: string;
  readonly reason: string;
  /** Changes that were accepted for it, oldest first. */
  readonly changes: readonly AcceptedChange[];
}

/** Keeps what could not be interpreted or stored, so that it can be replayed; durable on return. */
export type KeepDeadLetter = (letter: DeadLetter) => void;

/**
 * Dead letters are JSON lines in files of one day, mode 0600: who, when, why, every frame as base64, and the changes. A crash between the
 * letter and its checkpoint writes the letter again.
 * @param now Unix milliseconds.
 */
export function makeDeadLetters(folder: string, now: () => number): KeepDeadLetter {
  return ({ exchange, seriesFolder, reason, changes }) => {
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
      changes: changes.map(({ change, keyId, acceptedAt, number }) => ({
        kind: change.kind,
        content: changeContent(change),
        keyId,
        acceptedAt,
        number,
      })),
    });
    appendDurably(path.join(folder, `${at.slice(0, 10)}.jsonl`), `${line}\n`);
  };
}

function appendDurably(file: string, text: string): void {
  const isNew = !existsSync(file);
  const descriptor = openSync(file, 'a', 0o600);
  try {
    writeWhole(descriptor, Buffer.from(text));
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  if (isNew) syncFolder(path.dirname(file));
}

/** The frames' bytes; none where the spool itself cannot be read. */
function payloadsOf(seriesFolder: string, exchange: OpenExchange): readonly Buffer[] {
  try {
    return readPayloads(seriesFolder, exchange.frames);
  } catch {
    return [];
  }
}
