import { spawn } from 'node:child_process';
import path from 'node:path';
import { isOnServer } from '../../../test/support/test-store.ts';
import type { StoreLocation } from '../engine/connections.ts';

/** Where a store of tests is. */
export interface OpenedLocation {
  readonly location: StoreLocation;
  /** Call it once the store is closed. */
  readonly close: () => Promise<void>;
}

const front = path.resolve('src/store/testing/clickhouse-front.mjs');

/** @param folder of an engine, as `makeEmptyStore` makes it. */
export async function openLocation(folder: string, given: { readonly cacheBytes?: number } = {}): Promise<OpenedLocation> {
  if (!isOnServer) return { location: { folder, ...given }, close: async () => undefined };
  const { urls, close } = await startFront(folder);
  return { location: { servers: { urls, cluster: undefined } }, close };
}

export interface Front {
  /** Of each replica. */
  readonly urls: readonly string[];
  /** Sets what goes wrong from then on: see `clickhouse-front.mjs`. */
  readonly setFaults: (faults: readonly Fault[], replica?: number) => Promise<void>;
  /** Statements since the last time. */
  readonly statements: (replica?: number) => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
}

export interface Fault {
  readonly kind: 'away' | 'cut' | 'exception' | 'late exception' | 'lost answer' | 'lost insert' | 'slow' | 'rewrite' | 'whole answer';
  /** A regular expression of statements; absent: of all. */
  readonly match?: string;
  readonly times?: number;
  readonly code?: number;
  readonly type?: string;
  /** The words of an exception. */
  readonly says?: string;
  readonly delayMs?: number;
  /** Of a statement that is rewritten: a regular expression, and what stands in its place. */
  readonly from?: string;
  readonly to?: string;
}

export interface FrontOptions {
  /** Settings of the user. */
  readonly profile?: Readonly<Record<string, string>>;
  /** Addresses over the same engine. */
  readonly replicas?: number;
}

/** Starts a server's HTTP interface over an engine in a process of its own. */
export async function startFront(folder: string, { profile = {}, replicas = 1 }: FrontOptions = {}): Promise<Front> {
  const words = [front, folder, JSON.stringify(profile), String(replicas)];
  const child = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'pipe'] });
  let said = '';
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const ports = await new Promise<readonly number[]>((resolve, reject) => {
    child.stdout.setEncoding('utf8').once('data', (line: string) => resolve(JSON.parse(line) as readonly number[]));
    child.once('close', () => reject(new Error(`The front ended: ${said}`)));
  });
  const origins = ports.map((port) => `http://127.0.0.1:${port}`);
  return {
    urls: origins.map((origin) => `${origin}/default`),
    setFaults: async (faults, replica = 0) =>
      void (await fetch(`${origins[replica]}/-/faults`, { method: 'POST', body: JSON.stringify(faults) })),
    statements: async (replica = 0) => (await (await fetch(`${origins[replica]}/-/statements`)).json()) as readonly string[],
    close: async () => {
      child.stdin.end();
      await ended;
    },
  };
}
