import { parseArgs } from 'node:util';
import { type ScenarioName, scenarioNames } from './traffic/scenarios.ts';

export interface StorageOptions {
  readonly only: readonly ScenarioName[];
  /** Number of measured calls of each question and side. */
  readonly calls: number;
  /** Factor for the number of recorded calls. */
  readonly scale: number;
  readonly rounds: number;
  /** Rows of an insert; absent: a second of traffic. */
  readonly batchRows?: number;
}

export const helpText = `Measures what the store takes for the same traffic by the schema of before and by that of now, in turn and in one run.

Usage: npm run bench -- storage [options]

  --only a,b   scenarios: ${scenarioNames.join(', ')} (default all)
  --calls N    measured calls of each question and side (default 40), after a third as many that are thrown away
  --scale F    factor on the number of recorded calls (default 1)
  --rounds N   rounds, each with new stores; speeds are medians of them (default 1)
  --batch N    rows of an insert (default: a second of the scenario's traffic)
  --help       this text

Scenarios
  chats               independent chats of one and of few turns, 1 to 3 kB each: 20,000 calls
  agents              100 interleaved sessions of 30 turns, the whole conversation with each turn: 3,000 calls
  agents-without-ids  the same, and no call names its session
  rag                 prompts with a common system text and retrieved passages, some of them often: 4,000 calls
  images              conversations about pictures, which come with each turn: 500 calls

Each side has a process and a store of its own and takes the same batches. Tables go to the output, progress to the error output.
Exit code 0: measured, every aim is reached; 1: an aim is missed, it failed, or the sides answered differently; 2: unknown option.`;

/** @returns null when help is requested. @throws with a sentence when an option is unknown or out of bounds. */
export function parseOptions(parameters: readonly string[]): StorageOptions | null {
  const { values } = parseArgs({
    args: [...parameters],
    options: {
      only: { type: 'string' },
      calls: { type: 'string', default: '40' },
      scale: { type: 'string', default: '1' },
      rounds: { type: 'string', default: '1' },
      batch: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return null;
  const wanted = values.only?.split(',').map((name) => name.trim()) ?? scenarioNames;
  const unknown = wanted.find((name) => !scenarioNames.some((one) => one === name));
  if (unknown !== undefined) throw new Error(`--only knows ${scenarioNames.join(', ')}; not "${unknown}".`);
  return {
    only: scenarioNames.filter((name) => wanted.includes(name)),
    calls: Math.trunc(numberWithin('calls', values.calls, 1, 10_000)),
    scale: numberWithin('scale', values.scale, 0.01, 20),
    rounds: Math.trunc(numberWithin('rounds', values.rounds, 1, 100)),
    ...(values.batch === undefined ? {} : { batchRows: Math.trunc(numberWithin('batch', values.batch, 1, 10_000)) }),
  };
}

function numberWithin(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  const isWithin = text.trim() !== '' && value >= min && value <= max;
  if (!isWithin) throw new Error(`--${name} is a number from ${min} to ${max}.`);
  return value;
}
