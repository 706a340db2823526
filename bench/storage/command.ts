import type { ChildProcess } from 'node:child_process';
import { nextMessage } from '../measure/owned-processes.ts';
import type { ScenarioName } from './traffic/scenarios.ts';
import type { Answer, Question, SideName } from './side.ts';
import type { MergeCounts, TableBytes } from './tables.ts';

export interface TrafficAmount {
  readonly calls: number;
  /** Rows of an insert; undefined: a second of traffic. */
  readonly batchRows: number | undefined;
}

/** A command to the process of a side. */
export type Command =
  | ({ readonly kind: 'open'; readonly side: SideName; readonly scenario: ScenarioName; readonly folder: string } & TrafficAmount)
  | { readonly kind: 'insert'; readonly batch: number }
  | { readonly kind: 'settle' }
  | { readonly kind: 'merge' }
  | { readonly kind: 'stored' }
  | { readonly kind: 'ask'; readonly question: Question };

export interface Opened {
  readonly batches: number;
}

export interface Inserted {
  readonly rows: number;
  readonly ms: number;
  /** CPU time of the whole process meanwhile, merges included. */
  readonly cpuMs: number;
}

export interface Work {
  readonly cpuMs: number;
  readonly merges: MergeCounts;
}

export interface TimedAnswer extends Answer {
  readonly ms: number;
}

/** The result of each command. */
export interface Results {
  readonly open: Opened;
  readonly insert: Inserted;
  readonly settle: Work;
  readonly merge: Work;
  readonly stored: readonly TableBytes[];
  readonly ask: TimedAnswer;
}

export type CommandOutcome = { readonly result: Results[Command['kind']] } | { readonly failure: string };

const timeoutMs = 15 * 60_000;

/** Sends a command to the process of a side, and waits for its result. @throws the error of that process. */
export async function sendCommand<Kind extends Command['kind']>(
  child: ChildProcess,
  command: Extract<Command, { readonly kind: Kind }>,
): Promise<Results[Kind]> {
  const received = nextMessage(child, timeoutMs);
  child.send(command);
  const outcome = (await received) as CommandOutcome;
  if ('failure' in outcome) throw new Error(outcome.failure);
  return outcome.result as Results[Kind];
}
