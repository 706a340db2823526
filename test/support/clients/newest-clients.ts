import { readFileSync } from 'node:fs';
import type { SentRequest } from './recorder.ts';

export interface SentCall {
  readonly name: string;
  readonly version: string;
  readonly sent: SentRequest;
}

/** Requests of one exporter, and the traces among them that are calls. */
export interface SentExport {
  readonly traces: readonly { readonly name: string; readonly version: string; readonly id: string }[];
  readonly sent: readonly SentRequest[];
}

export interface NewestClients {
  readonly calls: readonly SentCall[];
  readonly exports: readonly SentExport[];
}

/** Stands for a key of Gatelog. */
export const keyInFixture = '<key>';

/** What `npm run soak -- clients --record` saw. */
export function readNewestClients(key: string): NewestClients {
  return JSON.parse(readFileSync('test/fixtures/newest-clients.json', 'utf8').replaceAll(keyInFixture, key)) as NewestClients;
}
