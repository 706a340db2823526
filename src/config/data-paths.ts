import path from 'node:path';
import type { Config } from './load.ts';

/** Where the parts of the data folder lie. */
export function dataPaths(config: Pick<Config, 'dataDir'>): {
  readonly spool: string;
  readonly store: string;
  readonly deadLetters: string;
  readonly secret: string;
  /** Shared by the workers while they run. */
  readonly state: string;
} {
  const inData = (name: string): string => path.join(config.dataDir, name);
  return {
    spool: inData('spool'),
    store: inData('clickhouse'),
    deadLetters: inData('dead-letters'),
    secret: inData('secret.key'),
    state: inData('state'),
  };
}

/** The socket of the operator API. */
export function operatorSocket(dataDir: string): string {
  return path.resolve(dataDir, 'operator.sock');
}
