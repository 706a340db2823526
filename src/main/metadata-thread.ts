import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Observe } from '../model/observation.ts';
import type { MetadataMessage, MetadataOrder } from './metadata-worker.ts';

export interface MetadataListeners {
  /** Shows a new key before it is stored, so that no stored key stays unseen. */
  readonly showKey: (apiKey: string) => void;
  readonly observe: Observe;
}

/** Prepares the metadata database. */
export interface MetadataThread {
  /** @returns the first organisation's key at the very first start. @throws with a sentence for people. */
  readonly prepare: (order: MetadataOrder, listeners: MetadataListeners) => Promise<string | undefined>;
  readonly end: () => Promise<void>;
}

const workerFile = new URL(`./metadata-worker${path.extname(import.meta.url)}`, import.meta.url);

/**
 * Starts a thread that prepares the metadata database and ends: the supervisor runs for months and needs what that loads no more. It loads
 * while the supervisor looks at ports and folders.
 */
export function startMetadataThread(): MetadataThread {
  const worker = new Worker(workerFile);
  const failed = new Promise<never>((_resolve, reject) => {
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('The thread that prepares the metadata database ended before it was done.')));
  });
  // It may fail before anybody waits for it.
  failed.catch(() => undefined);
  return {
    prepare: async (order, { showKey, observe }) => {
      const prepared = new Promise<string | undefined>((resolve) => {
        worker.on('message', (message: MetadataMessage) => {
          if ('observation' in message) observe(message.observation);
          else if ('shown' in message) {
            showKey(message.apiKey);
            Atomics.store(message.shown, 0, 1);
            Atomics.notify(message.shown, 0);
          } else resolve(message.freshKey);
        });
      });
      worker.postMessage(order);
      return Promise.race([prepared, failed]);
    },
    end: async () => void (await worker.terminate()),
  };
}
