import { type ChildProcessByStdio, spawn } from 'node:child_process';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../model/errors.ts';
import type { Observe } from '../model/observation.ts';
import type { MetadataMessage, MetadataOrder } from './metadata-worker.ts';

export interface MetadataListeners {
  /** Shows a new key before it is stored, so that no stored key stays unseen. */
  readonly showKey: (apiKey: string) => void;
  readonly observe: Observe;
}

/** Prepares the metadata database. */
export interface MetadataProcess {
  /** @returns the first organisation's key at the very first start. @throws with a sentence for people. */
  readonly prepare: (order: MetadataOrder, listeners: MetadataListeners) => Promise<string | undefined>;
  readonly end: () => void;
}

const worker = fileURLToPath(new URL(`./metadata-worker${path.extname(import.meta.url)}`, import.meta.url));

/**
 * Starts a process that prepares the metadata database and ends: the supervisor runs for months and needs what that loads no more. A thread
 * would leave 5 MB behind. It loads while the supervisor looks at ports and folders, and ends when the supervisor does.
 */
export function startMetadataProcess(): MetadataProcess {
  const child = spawn(process.execPath, [...process.execArgv, worker], { stdio: ['pipe', 'pipe', 'inherit'] });
  const failed = new Promise<never>((_resolve, reject) => {
    const ended = 'The process that prepares the metadata database';
    child.once('error', (error) => reject(new Error(`${ended} could not be started: ${messageOf(error)}.`)));
    child.once('close', () => reject(new Error(`${ended} ended before it was done.`)));
  });
  // It may fail before anybody waits for it.
  failed.catch(() => undefined);
  // A process that has ended reads no order; `failed` tells.
  child.stdin.on('error', () => undefined);
  return {
    prepare: async (order, listeners) => Promise.race([preparedBy(child, order, listeners), failed]),
    end: () => void child.kill('SIGKILL'),
  };
}

function preparedBy(
  { stdin, stdout }: ChildProcessByStdio<Writable, Readable, null>,
  order: MetadataOrder,
  { showKey, observe }: MetadataListeners,
): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const take = (message: MetadataMessage): void => {
      if ('observation' in message) observe(message.observation);
      else if ('failure' in message) reject(new Error(message.failure));
      else if ('apiKey' in message) {
        showKey(message.apiKey);
        stdin.write('\n');
      } else resolve(message.freshKey);
    };
    let begun = '';
    stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (begun + text).split('\n');
      begun = lines.pop() ?? '';
      for (const line of lines) take(JSON.parse(line) as MetadataMessage);
    });
    stdin.write(`${JSON.stringify(order)}\n`);
  });
}
