import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { RequestId } from '../src/model/ids.ts';
import { uuidToNumber } from '../src/model/ids.ts';
import type { Connections } from '../src/store/engine/connections.ts';
import { openConnections } from '../src/store/engine/open-connections.ts';
import { migrateStore } from '../src/store/schema/migrate.ts';
import { describeMachine } from './measure/machine.ts';
import { type QueryCall, questions } from './query/questions.ts';
import { fill, progress, untilMerged } from './query/fill.ts';
import { grow, grownTimes } from './query/grow.ts';
import { makeRandom } from './query/records.ts';
import { probe } from './query/probe.ts';
import { compareTrees, fillTrace } from './query/session-tree.ts';
import { type SessionQueryCall, handWrittenSessions, openOurSessions, sessionQuestions } from './query/sessions.ts';
import { shownMs, timesOf } from './query/times.ts';
import { type Answer, handWrittenAnswer, makeHandWrittenTables, openOurs, type Ours } from './query/sides.ts';

/** Compares the request query and the session query with SQL written by hand, on one store in one run. */

const helpText = `Measures the request query and the session query beside hand-written SQL, on a store of its own.

Usage: npm run bench -- query [options]

  --records N   stored records (default 1000000), a million to thirty days; a tenth as many of another organisation are beside them
  --only WHAT   requests, sessions or probe; for sessions alone no bodies are stored
                probe tells where the time of a page and of one request goes: columns, planning, granules, settings
  --grow        then ask for the same seven days of sessions in a store that is ten times as large, of the same density
  --calls N     measured calls of each question and side (default 60), after a third as many that are thrown away
  --help        this text

Both sides read the page, of requests with its bodies, and write it as JSON. The hand-written side of requests has tables of its own. Exit code 0: measured; 1: it failed, or the two sides gave different answers.`;

const farPage = 10_000;
const pageRows = 50;

interface Side<Question> {
  readonly answer: (question: Question) => Promise<Answer>;
  readonly samples: number[];
}

/** Runs both sides in turn, so that a change in the machine affects both. */
async function measure<Question extends { readonly body: unknown }>(
  draw: () => Question,
  sides: readonly Side<Question>[],
  calls: number,
): Promise<void> {
  for (let call = -Math.ceil(calls / 3); call < calls; call += 1) {
    const question = draw();
    const answers: Answer[] = [];
    for (const side of call % 2 === 0 ? sides : sides.toReversed()) {
      const start = performance.now();
      const answer = await side.answer(question);
      const ms = performance.now() - start;
      if (call >= 0) side.samples.push(ms);
      answers.push(answer);
    }
    const [first, second] = answers;
    if (JSON.stringify(first?.ids) !== JSON.stringify(second?.ids)) {
      throw new Error(`The two sides differ: ${JSON.stringify(question.body)}`);
    }
  }
}

const header = [
  '| question | ours p50 ms | ours p95 ms | by hand p50 ms | by hand p95 ms | ours ÷ by hand, p50 | p95 | aim for p95 ms |',
  '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |',
];

/** One line of the table: a question on both sides. */
async function compareOne<Question extends { readonly body: unknown }>(
  { name, aimMs, draw }: { readonly name: string; readonly aimMs: number | null; readonly draw: () => Question },
  answers: readonly Side<Question>['answer'][],
  calls: number,
): Promise<string> {
  const sides = answers.map((answer): Side<Question> => ({ answer, samples: [] }));
  await measure(draw, sides, calls);
  const [own, hand] = sides.map(({ samples }) => timesOf(samples));
  if (own === undefined || hand === undefined) throw new Error('A side was not measured.');
  const ratios = [own.p50 / hand.p50, own.p95 / hand.p95].map((ratio) => ratio.toFixed(2)).join(' | ');
  const line = `| ${name} | ${shownMs(own.p50)} | ${shownMs(own.p95)} | ${shownMs(hand.p50)} | ${shownMs(hand.p95)} | ${ratios} | ${aimMs ?? '–'} |`;
  progress(line);
  return line;
}

interface Given {
  readonly ids: readonly RequestId[];
  readonly records: number;
  readonly calls: number;
}

async function compareRequests(ours: Ours, connections: Connections, { ids, calls }: Given): Promise<string[]> {
  const lines: string[] = [...header];
  for (const { name, aimMs, draw } of questions) {
    const random = makeRandom(11);
    const sides = [(call: QueryCall) => ours.answer(call.body), (call: QueryCall) => handWrittenAnswer(connections, call)];
    lines.push(await compareOne({ name, aimMs, draw: () => draw(random, ids) }, sides, calls));
  }
  return lines;
}

async function compareSessions(connections: Connections, { records, calls }: Given): Promise<string[]> {
  const lines: string[] = [...header];
  const ours = openOurSessions(connections);
  for (const { name, aimMs, draw } of sessionQuestions) {
    const random = makeRandom(17);
    const sides = [(call: SessionQueryCall) => ours(call.body), (call: SessionQueryCall) => handWrittenSessions(connections, call)];
    lines.push(await compareOne({ name, aimMs, draw: () => draw(random, records) }, sides, calls));
  }
  return lines;
}

/** Repeats the questions when they concern a tenth of the store. */
async function sessionsGrown(connections: Connections, given: Given): Promise<string[]> {
  await grow(connections, progress);
  await untilMerged(connections);
  return [
    '',
    `With ${grownTimes} times as many records, ${grownTimes * given.records}:`,
    '',
    ...(await compareSessions(connections, given)),
  ];
}

/** Compares a distant page with the first one, both by cursor. */
async function comparePages(ours: Ours, records: number, calls: number): Promise<string[]> {
  const page = Math.min(farPage, Math.floor(records / pageRows) - 1);
  const cursor = await ours.cursorAt(page * pageRows);
  const first: number[] = [];
  const far: number[] = [];
  for (let call = -10; call < calls; call += 1) {
    for (const [samples, extra] of [
      [first, {}],
      [far, { cursor }],
    ] as const) {
      const start = performance.now();
      await ours.answer({ filter: {}, limit: pageRows, ...extra });
      if (call >= 0) samples.push(performance.now() - start);
    }
  }
  const [one, other] = [timesOf(first), timesOf(far)];
  return [
    `| page of ${pageRows} by cursor | p50 ms | p95 ms |`,
    '| --- | ---: | ---: |',
    `| page 1 | ${shownMs(one.p50)} | ${shownMs(one.p95)} |`,
    `| page ${page} | ${shownMs(other.p50)} | ${shownMs(other.p95)} |`,
    `| ratio | ${(other.p50 / one.p50).toFixed(2)} | ${(other.p95 / one.p95).toFixed(2)} |`,
  ];
}

async function compareById(ours: Ours, ids: readonly RequestId[], calls: number): Promise<string> {
  const random = makeRandom(13);
  const samples: number[] = [];
  for (let call = -10; call < calls; call += 1) {
    const id = ids[Math.floor(random() * ids.length)] as RequestId;
    const start = performance.now();
    const found = await ours.byId(id);
    if (call >= 0) samples.push(performance.now() - start);
    if (found !== id) throw new Error(`Request ${uuidToNumber(id)} was not found.`);
  }
  const { p50, p95 } = timesOf(samples);
  return `GET by id: p50 ${shownMs(p50)} ms, p95 ${shownMs(p95)} ms (aim for p95: 15 ms)`;
}

async function requestLines(connections: Connections, given: Given): Promise<string[]> {
  const ours = openOurs(connections);
  const { ids, records, calls } = given;
  return [
    ...(await compareRequests(ours, connections, given)),
    '',
    await compareById(ours, ids, calls),
    '',
    ...(await comparePages(ours, records, calls)),
    '',
  ];
}

const parts: readonly string[] = ['requests', 'sessions', 'probe'];

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      records: { type: 'string' },
      calls: { type: 'string' },
      only: { type: 'string' },
      grow: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help === true) {
    process.stdout.write(`${helpText}\n`);
    return;
  }
  const [records, calls] = [Number(values.records ?? 1_000_000), Number(values.calls ?? 60)];
  const { only } = values;
  if (only !== undefined && !parts.includes(only)) throw new Error(`--only takes ${parts.join(', ')}.`);
  const wants = (part: string): boolean => only === undefined || only === part;
  const machine = describeMachine(process.cwd());
  const folder = mkdtempSync(join(tmpdir(), 'gatelog-bench-query-'));
  const connections = openConnections({ folder });
  try {
    await migrateStore(connections, () => undefined);
    const start = performance.now();
    const ids = await fill(connections, records, only !== 'sessions');
    await fillTrace(connections, records);
    if (wants('requests')) await makeHandWrittenTables(connections);
    progress(`stored in ${((performance.now() - start) / 1000).toFixed(0)} s; waiting for merges`);
    await untilMerged(connections);
    const given: Given = { ids, records, calls };
    const lines = [
      `${machine.cpuModel}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.kernel}, Node ${machine.nodeVersion}`,
      `commit ${machine.commit}, ${machine.describedAt}, load of the machine beforehand ${machine.loadBefore.toFixed(2)}`,
      `${records} records of the organisation that asks, ${Math.floor(records / 10)} of another; ${calls} calls of each question and side`,
      '',
      ...(wants('requests') ? await requestLines(connections, given) : []),
      ...(wants('probe') ? await probe(folder, ids, calls) : []),
      ...(wants('sessions') ? [...(await compareSessions(connections, given)), '', ...(await compareTrees(connections, calls))] : []),
      ...(values.grow === true ? await sessionsGrown(connections, given) : []),
    ];
    process.stdout.write(`${lines.join('\n')}\n`);
  } finally {
    await connections.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

await main().catch((cause: unknown) => {
  process.stderr.write(`${cause instanceof Error ? cause.message : String(cause)}\n`);
  process.exitCode = 1;
});
