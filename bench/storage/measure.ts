import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { OwnedProcesses } from '../measure/owned-processes.ts';
import { makeRandom } from '../query/records.ts';
import { agentSessionId } from './traffic/agents.ts';
import { commonPhrase, rareWord } from './traffic/call.ts';
import { type TimedAnswer, type Inserted, sendCommand, type Work } from './command.ts';
import { type Traffic, trafficOf } from './traffic/first-said.ts';
import { requestIdOf } from './traffic/records.ts';
import type { Scenario } from './traffic/scenarios.ts';
import { newestRows, type Question, searchRows, type SideName, sideNames } from './side.ts';
import type { TableBytes } from './tables.ts';

/** Results of one side in one round. */
export interface SideRound {
  readonly insertMs: number;
  /** CPU time of the process during inserts. */
  readonly insertCpuMs: number;
  /** From the first insert until nothing was left to merge. */
  readonly storing: Work;
  /** From then until each table has one part a month. */
  readonly merging: Work;
  /** Before and after that. */
  readonly settled: readonly TableBytes[];
  readonly merged: readonly TableBytes[];
  /** Milliseconds of each query, by the name of the question. */
  readonly samples: ReadonlyMap<string, readonly number[]>;
}

export interface Round {
  readonly scenario: Scenario;
  readonly traffic: Traffic;
  readonly batchRows: number;
  readonly sides: Readonly<Record<SideName, SideRound>>;
}

export interface Given {
  readonly processes: OwnedProcesses;
  /** An empty folder; each side makes its store in it. */
  readonly folder: string;
  readonly scenario: Scenario;
  /** Number of recorded calls. */
  readonly calls: number;
  readonly batchRows: number | undefined;
  /** Number of measured calls of each question. */
  readonly questionCalls: number;
  readonly progress: (line: string) => void;
}

type Children = Readonly<Record<SideName, ChildProcess>>;

/** Runs one scenario on all sides, each in its own process, in turn by batch and by question. */
export async function measureRound(given: Given): Promise<Round> {
  const { processes, folder, scenario, calls, batchRows, progress } = given;
  const children = eachSide(() => processes.fork('./side-process', import.meta.url, []));
  try {
    const opened = await Promise.all(
      sideNames.map((side) =>
        sendCommand(children[side], { kind: 'open', side, scenario: scenario.name, calls, batchRows, folder: join(folder, side) }),
      ),
    );
    const traffic = trafficOf(scenario.generate(calls));
    const inserts = await insertAll(children, opened[0]?.batches ?? 0);
    progress(`${scenario.title}: inserted`);
    const storing = await inTurn((side) => sendCommand(children[side], { kind: 'settle' }));
    const settled = await inTurn((side) => sendCommand(children[side], { kind: 'stored' }));
    const merging = await inTurn((side) => sendCommand(children[side], { kind: 'merge' }));
    const merged = await inTurn((side) => sendCommand(children[side], { kind: 'stored' }));
    progress(`${scenario.title}: merged`);
    const samples = await askAll(children, given);
    const sides = eachSide((side) => ({
      insertMs: inserts[side].reduce((sum, { ms }) => sum + ms, 0),
      insertCpuMs: inserts[side].reduce((sum, { cpuMs }) => sum + cpuMs, 0),
      storing: storing[side],
      merging: merging[side],
      settled: settled[side],
      merged: merged[side],
      samples: samples[side],
    }));
    return { scenario, traffic, batchRows: batchRows ?? scenario.callsPerSecond, sides };
  } finally {
    await Promise.all(sideNames.map((side) => processes.stop(children[side])));
  }
}

function eachSide<Value>(valueOf: (side: SideName) => Value): Record<SideName, Value> {
  return { before: valueOf('before'), now: valueOf('now') };
}

async function inTurn<Value>(work: (side: SideName) => Promise<Value>): Promise<Record<SideName, Value>> {
  return { before: await work('before'), now: await work('now') };
}

/**
 * Alternates the order of the sides, so that other work on the machine affects both. TRICKY: the order follows the parity of the number's
 * bits, not of the number: merges come every ten batches, so one side would always insert beside the other's merge.
 */
function orderOf(number: number): readonly SideName[] {
  const ones = Math.abs(number).toString(2).replaceAll('0', '').length;
  return ones % 2 === 0 ? sideNames : sideNames.toReversed();
}

async function insertAll(children: Children, batches: number): Promise<Record<SideName, readonly Inserted[]>> {
  const inserted = eachSide((): Inserted[] => []);
  for (let batch = 0; batch < batches; batch += 1) {
    for (const side of orderOf(batch)) inserted[side].push(await sendCommand(children[side], { kind: 'insert', batch }));
  }
  return inserted;
}

interface NamedQuestion {
  readonly name: string;
  /** Minimum number of rows in the answer. */
  readonly minRows: number;
  readonly draw: () => Question;
}

/** @returns no question about sessions for a scenario without them. */
export function questionsOf(scenario: Scenario, calls: number): readonly NamedQuestion[] {
  const draw = makeRandom(77);
  const sessions = scenario.sessions(calls);
  const number = (count: number): number => Math.floor(draw() * count);
  return [
    { name: `newest ${newestRows}`, minRows: Math.min(newestRows, calls), draw: () => ({ kind: 'newest' }) },
    { name: 'by identifier', minRows: 1, draw: () => ({ kind: 'id', id: requestIdOf(scenario, number(calls)) }) },
    { name: 'body search: rare word', minRows: 1, draw: () => ({ kind: 'search', words: rareWord }) },
    {
      name: 'body search: frequent phrase',
      minRows: Math.min(searchRows, Math.floor(calls / 4)),
      draw: () => ({ kind: 'search', words: commonPhrase }),
    },
    ...(sessions === 0
      ? []
      : [
          {
            name: 'session with bodies',
            minRows: 1,
            draw: (): Question => ({ kind: 'session', sessionId: agentSessionId(number(sessions)) }),
          },
        ]),
  ];
}

/** @throws when an answer has too few requests, or the sides find different ones. */
async function askAll(
  children: Children,
  { scenario, calls, questionCalls, progress }: Given,
): Promise<Record<SideName, Map<string, number[]>>> {
  const samples = eachSide(() => new Map<string, number[]>());
  for (const { name, minRows, draw } of questionsOf(scenario, calls)) {
    for (const side of sideNames) samples[side].set(name, []);
    for (let call = -Math.ceil(questionCalls / 3); call < questionCalls; call += 1) {
      const question = draw();
      const answers: TimedAnswer[] = [];
      for (const side of orderOf(call)) {
        const answer = await sendCommand(children[side], { kind: 'ask', question });
        if (call >= 0) samples[side].get(name)?.push(answer.ms);
        answers.push(answer);
      }
      const [first, second] = answers.map(({ ids }) => ids.join());
      if (first !== second) throw new Error(`The sides answer differently: ${JSON.stringify(question)}`);
      if ((answers[0]?.ids.length ?? 0) < minRows) throw new Error(`Too few requests were found: ${JSON.stringify(question)}`);
    }
    progress(`${scenario.title}: ${name}`);
  }
  return samples;
}
