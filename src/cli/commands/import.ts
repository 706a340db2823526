import { appendFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ImportAnswer } from '../../client/client.ts';
import type { RefusedLine } from '../../model/record/import.ts';
import type { Line } from '../../platform/lines/line-splitter.ts';
import { messageOf } from '../../model/errors.ts';
import { printable } from '../../config/text-table.ts';
import { isServiceHere, serviceClient } from '../base/client.ts';
import { type CommandDependencies, CommandError } from '../base/dependencies.ts';
import { openLines, type LineInput, maxLineBytes } from '../import/input.ts';
import { LineSender } from '../import/send.ts';
import { progressLine } from '../base/progress.ts';
import { jsonText } from '../base/json.ts';

export interface ImportOptions {
  readonly dryRun?: true;
  readonly json?: true;
}

/** Lines and bytes of one call: what a kill in the middle costs, and what the service takes together. */
const groupLines = 5000;
const groupBytes = 14 * 1024 * 1024;
/** Rejected lines named on the terminal. */
const maxShown = 20;
const maxInReport = 10_000;

interface FileOutcome {
  readonly file: string;
  lines: number;
  imported: number;
  alreadyThere: number;
  rejected: number;
  rejectedFile: string | undefined;
  /** Numbered as in the file. */
  readonly rejections: RefusedLine[];
}

/** `gatelog import`: sends the lines of files to the running service. @throws CommandError when a line was rejected. */
export async function importFiles(dependencies: CommandDependencies, files: readonly string[], options: ImportOptions): Promise<void> {
  const dryRun = options.dryRun === true;
  const sender = new LineSender(serviceClient(dependencies), {
    dryRun,
    isCompressed: !isServiceHere(dependencies),
    onAway: (reason) => dependencies.hint(`${reason} Trying again.`),
  });
  const opened = files.map((file) => ({ file, input: openLines(file, process.stdin) }));
  const startedAt = performance.now();
  const outcomes: FileOutcome[] = [];
  for (const { file, input } of opened) {
    const outcome: FileOutcome = { file, lines: 0, imported: 0, alreadyThere: 0, rejected: 0, rejectedFile: undefined, rejections: [] };
    outcomes.push(outcome);
    try {
      await importFile({ dependencies, sender, outcome, dryRun }, input);
    } catch (error) {
      // What was imported before stays, and is said.
      if (outcome.lines > 0) dependencies.hint(`${sentenceOf(outcome, dryRun)} Import the file again to go on: nothing is stored twice.`);
      throw error;
    }
    if (options.json !== true) dependencies.print(sentenceOf(outcome, dryRun));
  }
  if (options.json === true) {
    const seconds = (performance.now() - startedAt) / 1000;
    dependencies.print(jsonText(reportOf(outcomes, dryRun, seconds), 2));
  }
  const rejected = outcomes.reduce((sum, outcome) => sum + outcome.rejected, 0);
  if (rejected > 0) throw new CommandError(`${rejected} ${rejected === 1 ? 'line was' : 'lines were'} rejected; all others are on record.`);
}

interface Importing {
  readonly dependencies: CommandDependencies;
  readonly sender: LineSender;
  readonly outcome: FileOutcome;
  readonly dryRun: boolean;
}

async function importFile(importing: Importing, input: LineInput): Promise<void> {
  const { dependencies, sender, outcome } = importing;
  const since = performance.now();
  try {
    for await (const { group, answer } of answeredGroups(sender, sentLines(importing, input))) {
      note(importing, group, answer);
      dependencies.progress(`${outcome.file}: ${progressOf(outcome.lines, input, performance.now() - since)}`);
    }
  } finally {
    dependencies.progress('');
  }
}

/** The lines that can be sent. Those over the limit are set aside as they come. */
async function* sentLines(importing: Importing, input: LineInput): AsyncGenerator<Line, void> {
  const { outcome, dryRun } = importing;
  const setAsidePiece = (piece: Buffer): void => {
    if (!dryRun) setAside(outcome, piece);
  };
  for await (const line of input.lines(setAsidePiece)) {
    if (!line.isTooLong) {
      yield line;
      continue;
    }
    setAsidePiece(lineFeed);
    outcome.lines += 1;
    reject(importing, { line: line.number, field: '', reason: `The line has more than ${maxLineBytes} bytes.` });
  }
}

/** Groups on their way at once: the service checks the next one while the one before waits for the disk. */
const groupsAtOnce = 2;

/** Sends the groups of a file. @returns them in order, with their answers. */
async function* answeredGroups(sender: LineSender, lines: AsyncGenerator<Line, void>): AsyncGenerator<AnsweredGroup, void> {
  const sent: { readonly group: readonly Line[]; readonly answer: Promise<ImportAnswer> }[] = [];
  const first = async (): Promise<AnsweredGroup[]> => {
    const next = sent.shift();
    return next === undefined ? [] : [{ group: next.group, answer: await next.answer }];
  };
  for await (const group of groupsOf(lines)) {
    const answer = sender.send(group.map(({ bytes }) => bytes));
    // It is awaited in its turn; a failure of the group before it ends the import.
    answer.catch(() => undefined);
    sent.push({ group, answer });
    if (sent.length === groupsAtOnce) yield* await first();
  }
  while (sent.length > 0) yield* await first();
}

interface AnsweredGroup {
  readonly group: readonly Line[];
  readonly answer: ImportAnswer;
}

/** The number of lines of a file is estimated from the share of its bytes that are read. */
function progressOf(lines: number, { totalBytes, readBytes }: LineInput, elapsedMs: number): string {
  const share = totalBytes === undefined ? undefined : Math.max(readBytes(), 1) / Math.max(totalBytes, 1);
  return progressLine('lines', {
    done: lines,
    total: share === undefined ? undefined : Math.round(lines / share),
    elapsedMs,
    doneBefore: 0,
  });
}

async function* groupsOf(lines: AsyncGenerator<Line, void>): AsyncGenerator<readonly Line[], void> {
  let group: Line[] = [];
  let bytes = 0;
  for await (const line of lines) {
    if (group.length > 0 && (group.length >= groupLines || bytes + line.bytes.length > groupBytes)) {
      yield group;
      group = [];
      bytes = 0;
    }
    group.push(line);
    bytes += line.bytes.length;
  }
  if (group.length > 0) yield group;
}

function note(importing: Importing, group: readonly Line[], answer: ImportAnswer): void {
  const { outcome, dryRun } = importing;
  outcome.lines += group.length;
  outcome.imported += answer.imported;
  outcome.alreadyThere += answer.already_there;
  for (const { line: index, field, reason } of answer.rejections) {
    const line = group[index - 1];
    if (line === undefined) continue;
    reject(importing, { line: line.number, field, reason });
    if (!dryRun) setAside(outcome, Buffer.concat([line.bytes, lineFeed]));
  }
}

function reject({ dependencies, outcome }: Importing, rejection: RefusedLine): void {
  outcome.rejected += 1;
  if (outcome.rejected <= maxShown) dependencies.hint(`${outcome.file}, line ${rejection.line}: ${printable(rejection.reason)}`);
  else if (outcome.rejected === maxShown + 1) dependencies.hint('More lines are rejected; --json lists them.');
  if (outcome.rejections.length < maxInReport) outcome.rejections.push(rejection);
}

const lineFeed = Buffer.from('\n');

/** Writes a rejected line as it came, so that the file can be fixed and imported. @throws CommandError where nothing can be written. */
function setAside(outcome: FileOutcome, bytes: Buffer): void {
  const file = outcome.rejectedFile ?? `${outcome.file === '-' ? 'stdin' : outcome.file}.rejected.jsonl`;
  try {
    if (outcome.rejectedFile === undefined) writeFileSync(file, '', { mode: 0o600 });
    appendFileSync(file, bytes);
  } catch (error) {
    throw new CommandError(
      `Rejected lines cannot be written to ${file}: ${messageOf(error)}. Pass the lines through standard input in a folder that can be written to.`,
    );
  }
  outcome.rejectedFile = file;
}

function sentenceOf({ file, lines, imported, alreadyThere, rejected, rejectedFile }: FileOutcome, dryRun: boolean): string {
  const aside = rejectedFile === undefined ? '' : ` (set aside in ${path.basename(rejectedFile)})`;
  const verb = dryRun ? 'would be imported' : 'imported';
  return `${file}: ${lines} ${lines === 1 ? 'line' : 'lines'}: ${imported} ${verb}, ${alreadyThere} already there, ${rejected} rejected${aside}.`;
}

function reportOf(outcomes: readonly FileOutcome[], dryRun: boolean, seconds: number) {
  const total = (name: 'lines' | 'imported' | 'alreadyThere' | 'rejected'): number =>
    outcomes.reduce((sum, outcome) => sum + outcome[name], 0);
  return {
    dry_run: dryRun,
    lines: total('lines'),
    imported: total('imported'),
    already_there: total('alreadyThere'),
    rejected: total('rejected'),
    seconds: Math.round(seconds * 1000) / 1000,
    files: outcomes.map(({ alreadyThere, rejectedFile, rejections, ...rest }) => ({
      ...rest,
      already_there: alreadyThere,
      rejected_file: rejectedFile ?? null,
      rejections,
    })),
  };
}
