import { ApiError, type RuleSet, type RuleSetAnswer, type RuleSetChange } from '../../client/client.ts';
import { printable } from '../../config/text-table.ts';
import { serviceClient } from '../base/client.ts';
import type { CommandDependencies } from '../base/dependencies.ts';
import { jsonText } from '../base/json.ts';
import { paintOf } from '../terminal/shown.ts';
import { faultsError, readRuleFiles, type RuleFiles } from './rule-files.ts';

export interface ApplyOptions {
  readonly file: readonly string[];
  readonly dryRun?: true;
  readonly prune?: true;
  readonly json?: true;
}

/** `gatelog apply`: makes the webhooks and alert rules of the organisation what files say. */
export async function applyRuleFiles(dependencies: CommandDependencies, options: ApplyOptions): Promise<void> {
  const files = readRuleFiles(options.file, dependencies);
  const body = { ...files.set, prune: options.prune === true, dryRun: options.dryRun === true } as RuleSet;
  const { data } = await serviceClient(dependencies)
    .alerts.apply(body)
    .catch((error: unknown) => {
      throw placed(error, files);
    });
  dependencies.print(options.json === true ? jsonText(data, 2) : answerText(data, options, dependencies));
}

interface FaultView {
  readonly keys: readonly (string | number)[];
  readonly message: string;
}

/** The faults that the service found, at their places in the files. */
function placed(error: unknown, { placeOf }: RuleFiles): unknown {
  const faults = error instanceof ApiError ? (error.details['faults'] as readonly FaultView[] | undefined) : undefined;
  if (faults === undefined) return error;
  return faultsError(faults.map(({ keys, message }) => `${placeOf(keys)}: ${printable(message)}`));
}

const marks = { create: '+', change: '~', delete: '-', unchanged: '=' } as const;
const colours = { create: 'green', change: 'cyan', delete: 'red', unchanged: 'dim' } as const;

function answerText({ changes, applied }: RuleSetAnswer, { dryRun }: ApplyOptions, dependencies: CommandDependencies): string {
  const paint = paintOf(dependencies);
  const lines = changes.flatMap((change) => [
    paint(colours[change.action], `${marks[change.action]} ${change.kind} ${printable(change.name)}`),
    ...change.fields.map(({ field, before, after }) => `    ${field}: ${fieldText(field, before, after)}`),
    ...(change.secrets ?? []).map((secret) => `    secret, not shown again: ${secret}`),
  ]);
  return [...lines, ...(lines.length > 0 ? [''] : []), summary(changes, applied, dryRun === true)].join('\n');
}

function fieldText(field: string, before: unknown, after: unknown): string {
  return field === 'channels' ? 'other ones' : `${printable(jsonText(before))} → ${printable(jsonText(after))}`;
}

function summary(changes: readonly RuleSetChange[], isApplied: boolean, isDry: boolean): string {
  const count = (action: RuleSetChange['action']): number => changes.filter((change) => change.action === action).length;
  const parts = (['create', 'change', 'delete', 'unchanged'] as const)
    .map((action) => [count(action), isApplied ? done[action] : planned[action]] as const)
    .filter(([number]) => number > 0)
    .map(([number, text]) => `${number} ${text}`);
  if (parts.length === 0) return 'The files name nothing, and nothing was changed.';
  if (isDry) return `Dry run: ${parts.join(', ')}. Nothing was changed.`;
  return isApplied ? `${parts.join(', ')}.` : `${parts.join(', ')}: nothing to change.`;
}

const done = { create: 'created', change: 'changed', delete: 'deleted', unchanged: 'unchanged' } as const;
const planned = { create: 'to create', change: 'to change', delete: 'to delete', unchanged: 'unchanged' } as const;
