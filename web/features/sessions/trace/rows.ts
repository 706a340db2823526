import { kindOf } from './step-text.ts';
import type { Step } from './steps.ts';

interface RowFacts {
  /** Tells rows apart, also in the address. */
  readonly key: string;
  readonly depth: number;
  /** Milliseconds since the session began. */
  readonly startMs: number;
  readonly durationMs: number;
  /** null: of none of its steps a cost is known. */
  readonly cost: number | null;
}

export interface StepRow extends RowFacts {
  readonly kind: 'step';
  readonly step: Step;
  /** The rest of its path, below the groups that it stands in. */
  readonly place: string;
}

/** Several steps at one place or below it. */
export interface GroupRow extends RowFacts {
  readonly kind: 'group';
  readonly name: string;
  readonly steps: readonly Step[];
  /** How many of them failed. */
  readonly failed: number;
}

export type TraceRow = StepRow | GroupRow;

/** The steps in the order of time. Those that follow one another at one place are a group; a place of a single step is its row. */
export function rowsInTime(steps: readonly Step[]): readonly TraceRow[] {
  const rows: TraceRow[] = [];
  const add = (some: readonly Step[], depth: number, level: number): void => {
    for (const run of runsOf(some, level)) {
      const [first] = run;
      if (first === undefined) continue;
      if (run.length === 1 || first.levels[level] === undefined) {
        for (const step of run) rows.push(stepRow(step, depth, level));
        continue;
      }
      const below = sharedLevels(run, level);
      rows.push(groupRow(run, depth, first.levels.slice(level, below).join('/')));
      add(run, depth + 1, below);
    }
  };
  // What all steps share tells none of them apart.
  add(steps, 0, sharedLevels(steps, 0));
  return rows;
}

function runsOf(steps: readonly Step[], level: number): readonly (readonly Step[])[] {
  const runs: Step[][] = [];
  for (const step of steps) {
    const run = runs.at(-1);
    if (run === undefined || run[0]?.levels[level] !== step.levels[level]) runs.push([step]);
    else run.push(step);
  }
  return runs;
}

/** The first level at which some of the steps differ, or one of them ends. */
function sharedLevels(steps: readonly Step[], from: number): number {
  const [first] = steps;
  let level = from;
  while (first?.levels[level] !== undefined && steps.every(({ levels }) => levels[level] === first.levels[level])) level += 1;
  return level;
}

export function stepRow(step: Step, depth = 0, level = 0): StepRow {
  const { request, startMs, durationMs, levels } = step;
  return {
    kind: 'step',
    key: request.request_id,
    depth,
    startMs,
    durationMs,
    cost: request.cost,
    step,
    place: levels.slice(level).join('/'),
  };
}

function groupRow(steps: readonly Step[], depth: number, name: string): GroupRow {
  const startMs = steps[0]?.startMs ?? 0;
  const endMs = steps.reduce((latest, step) => Math.max(latest, step.startMs + step.durationMs), startMs);
  return {
    kind: 'group',
    key: `${steps[0]?.request.request_id ?? ''}:${depth}`,
    depth,
    startMs,
    durationMs: endMs - startMs,
    cost: costOf(steps),
    name,
    steps,
    failed: steps.filter(hasFailed).length,
  };
}

export function hasFailed({ request }: Step): boolean {
  return request.failure !== null;
}

/** The cost of some steps together; null where none is known. */
function costOf(steps: readonly Step[]): number | null {
  return steps.reduce<number | null>((sum, { request: { cost } }) => (cost === null ? sum : (sum ?? 0) + cost), null);
}

/** Of the row that costs the most: one measure for steps and groups. */
export function mostCostOf(rows: readonly TraceRow[]): number {
  return rows.reduce((most, { cost }) => Math.max(most, cost ?? 0), 0);
}

/** The rows without those below a folded group. @param folded keys of groups. */
export function unfoldedRows(rows: readonly TraceRow[], folded: ReadonlySet<string>): readonly TraceRow[] {
  if (folded.size === 0) return rows;
  let foldedDepth = Infinity;
  return rows.filter((row) => {
    if (row.depth > foldedDepth) return false;
    foldedDepth = folded.has(row.key) ? row.depth : Infinity;
    return true;
  });
}

/** Keys of the steps whose model is that of the model's step above: a row need not say it again. */
export function stepsOfSameModel(rows: readonly TraceRow[]): ReadonlySet<string> {
  const same = new Set<string>();
  let above: string | undefined;
  for (const row of rows) {
    if (row.kind === 'group' || kindOf(row.step.request) !== 'model') continue;
    if (row.step.request.model === above) same.add(row.key);
    above = row.step.request.model;
  }
  return same;
}

/** The index of the group that a row stands in; undefined: in none. */
export function parentIndex(rows: readonly TraceRow[], index: number): number | undefined {
  const depth = rows[index]?.depth ?? 0;
  const found = rows.slice(0, index).findLastIndex((row) => row.depth < depth);
  return found === -1 ? undefined : found;
}
