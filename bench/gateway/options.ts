import { parseArgs } from 'node:util';
import { candidateNames, type CandidateName } from '../peers/candidate.ts';

export interface BenchOptions {
  readonly rounds: number;
  /** Length of one measured JSON phase; stream phases take half of it. */
  readonly seconds: number;
  /** Connections of the throughput phases; the latency phases use one. */
  readonly connections: number;
  readonly candidates: readonly CandidateName[];
  readonly checkStored: boolean;
  readonly jsonFile: string | null;
}

export const helpText = `Compares gateways in front of one fake provider, all on this machine and in one run.

Usage: npm run bench -- gateway [options]

  --rounds N        rounds; the order of the candidates rotates (default 3)
  --seconds N       length of one measured phase; stream phases take half (default 5)
  --connections N   connections of the throughput phases (default 64); latency is always measured at one
  --only a,b        candidates: bare, gatelog, portkey (direct is always there: added latency is measured against it)
  --no-portkey      all candidates but portkey; nothing is installed
  --check-stored    afterwards compare the replies that Gatelog gave with the records that it stored
  --json FILE       write every number of every round to FILE
  --help            this text

Candidates
  direct    the fake provider itself
  bare      a hand-written node:http + undici pass-through that records nothing
  gatelog   dist/cli/main.js serve, one gateway worker, recording (needs npm run build)
  portkey   @portkey-ai/gateway, installed into bench/peers on first use

Examples
  npm run bench -- gateway
  npm run bench -- gateway --rounds 1 --seconds 1 --only bare
  npm run bench -- gateway --no-portkey --json results.json

Tables go to the output, progress to the error output. Exit code 0: measured; 1: it failed or a reply was wrong; 2: unknown option.`;

/** Null when help is asked for. Throws with a sentence when an option is unknown or out of bounds. */
export function parseOptions(parameters: readonly string[]): BenchOptions | null {
  const { values } = parseArgs({
    args: [...parameters],
    options: {
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '5' },
      connections: { type: 'string', default: '64' },
      only: { type: 'string' },
      'no-portkey': { type: 'boolean', default: false },
      'check-stored': { type: 'boolean', default: false },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return null;
  return {
    rounds: Math.trunc(numberWithin('rounds', values.rounds, 1, 100)),
    seconds: numberWithin('seconds', values.seconds, 0.2, 600),
    connections: Math.trunc(numberWithin('connections', values.connections, 1, 1000)),
    candidates: chooseCandidates(values.only, values['no-portkey']),
    checkStored: values['check-stored'],
    jsonFile: values.json ?? null,
  };
}

function numberWithin(name: string, text: string, minimum: number, maximum: number): number {
  const value = Number(text);
  const isWithin = text.trim() !== '' && value >= minimum && value <= maximum;
  if (!isWithin) throw new Error(`--${name} is a number from ${minimum} to ${maximum}.`);
  return value;
}

function chooseCandidates(only: string | undefined, withoutPortkey: boolean): CandidateName[] {
  const wanted = only?.split(',').map((name) => name.trim()) ?? candidateNames;
  const unknown = wanted.find((name) => !candidateNames.some((known) => known === name));
  if (unknown !== undefined) throw new Error(`--only knows ${candidateNames.join(', ')}; not "${unknown}".`);
  return candidateNames.filter((name) => name === 'direct' || (wanted.includes(name) && !(withoutPortkey && name === 'portkey')));
}
