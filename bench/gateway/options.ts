import { parseArgs } from 'node:util';
import { candidateNames, type CandidateName } from '../peers/candidate.ts';

export const partNames = ['calls', 'streams', 'sustained', 'workers', 'memory'] as const;
export type PartName = (typeof partNames)[number];

export interface BenchOptions {
  /** In the order of measurement. */
  readonly parts: readonly PartName[];
  readonly rounds: number;
  /** Length of one measured JSON phase; stream phases take half of it. */
  readonly seconds: number;
  readonly sustainedSeconds: number;
  /** Connections of the throughput phases; the latency phases use one. */
  readonly connections: number;
  /** Of the part `calls`. */
  readonly candidates: readonly CandidateName[];
  /** Another clone of Gatelog, built. */
  readonly folderBefore: string | null;
  readonly checkStored: boolean;
  readonly jsonFile: string | null;
}

export const helpText = `Compares gateways in front of one fake provider, all on this machine and in one run.

Usage: npm run bench -- gateway [options]

  --only a,b             parts: calls, streams, sustained, workers, memory (default all, in this order)
  --rounds N             rounds of calls and workers; the order of the candidates rotates (default 3)
  --seconds N            length of one measured phase; stream phases of calls take half (default 5)
  --sustained-seconds N  length of a long load; its second half is judged (default 60, below which a burst may be taken for it)
  --connections N        connections of the throughput phases (default 64); latency is always measured at one
  --candidates a,b       of calls: bare, gatelog, events, portkey (direct is always there: added latency is measured against it);
                         all but events without this option
  --before FOLDER        another clone of Gatelog, built, is measured in turn, and the ratio of each round is printed
  --no-portkey           all candidates but portkey; nothing is installed
  --check-stored         after calls compare the replies that Gatelog gave with the records that it stored
  --json FILE            write every number to FILE
  --help                 this text

Parts
  calls      throughput, latency and CPU of calls and streams, all candidates in turn
  streams    256 streams at once: does anything hold some of them up?
  sustained  a minute at full rate: does the ingest keep up, how soon can a call be queried? Where it falls behind,
             the highest rate with which it keeps up is looked for, with five loads as long
  workers    one gateway worker against two
  memory     200 calls at once with 150 KB there and back: peak memory

Candidates
  direct    the fake provider itself
  bare      a hand-written node:http + undici pass-through that records nothing
  gatelog   dist/cli/main.js serve, default settings and one gateway worker, recording
  before    gatelog of --before FOLDER
  events    gatelog with 50 webhooks and 100 alerts stored, none of which the calls concern
  portkey   @portkey-ai/gateway, installed into bench/peers on first use

Examples
  npm run bench -- gateway
  npm run bench -- gateway --only calls --rounds 1 --seconds 1 --candidates bare
  npm run bench -- gateway --only sustained,workers
  npm run bench -- gateway --only calls --rounds 9 --seconds 2 --candidates gatelog --before ../before
  npm run bench -- gateway --no-portkey --json results.json

Tables go to the output, progress to the error output. Exit code 0: measured, whether or not an aim was reached; 1: it failed or a reply was
wrong; 2: unknown option.`;

/** @returns null when help is requested. @throws with a sentence when an option is unknown or out of bounds. */
export function parseOptions(parameters: readonly string[]): BenchOptions | null {
  const { values } = parseArgs({
    args: [...parameters],
    options: {
      only: { type: 'string' },
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '5' },
      'sustained-seconds': { type: 'string', default: '60' },
      connections: { type: 'string', default: '64' },
      candidates: { type: 'string' },
      before: { type: 'string' },
      'no-portkey': { type: 'boolean', default: false },
      'check-stored': { type: 'boolean', default: false },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return null;
  const usual = candidateNames.filter((name) => name !== 'events' && name !== 'before').join(',');
  const candidates = choose('candidates', values.candidates ?? usual, candidateNames);
  return {
    parts: choose('only', values.only, partNames),
    rounds: Math.trunc(numberWithin('rounds', values.rounds, 1, 100)),
    seconds: numberWithin('seconds', values.seconds, 0.2, 600),
    sustainedSeconds: numberWithin('sustained-seconds', values['sustained-seconds'], 4, 3600),
    connections: Math.trunc(numberWithin('connections', values.connections, 1, 1000)),
    candidates: candidateNames.filter(
      (name) =>
        name === 'direct' ||
        (name === 'before' && values.before !== undefined) ||
        (candidates.includes(name) && !(values['no-portkey'] && name === 'portkey')),
    ),
    folderBefore: values.before ?? null,
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

/** The requested values in the order of `known`; all of them without the option. */
function choose<Name extends string>(option: string, text: string | undefined, known: readonly Name[]): Name[] {
  const wanted = text?.split(',').map((name) => name.trim()) ?? known;
  const unknown = wanted.find((name) => !known.some((one) => one === name));
  if (unknown !== undefined) throw new Error(`--${option} knows ${known.join(', ')}; not "${unknown}".`);
  return known.filter((name) => wanted.includes(name));
}
