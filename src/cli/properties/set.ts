import { setTimeout as wait } from 'node:timers/promises';
import { printable, textTable } from '../../config/text-table.ts';
import type { BulkPropertyDryRun, GatelogClient, Job } from '../../client/client.ts';
import { serviceClient } from '../base/client.ts';
import { type CommandDependencies, CommandError, UsageError } from '../base/dependencies.ts';
import { filterOf, type FilterOptions } from '../filter/filter.ts';
import { isAway, sentenceOf } from '../base/failure.ts';
import { progressLine, shownNumber } from '../base/progress.ts';
import { jsonText } from '../base/json.ts';

export interface PropertiesSetOptions extends FilterOptions {
  readonly remove?: readonly string[];
  readonly dryRun?: true;
  /** A job. */
  readonly undo?: string;
  readonly json?: true;
}

const firstLookMs = 50;
const maxLookMs = 1000;
/** How long the service may be away. */
const maxAwayMs = 300_000;

/** `gatelog properties set`: changes properties of all requests that match, or undoes such a change, and waits for its end. */
export async function setProperties(
  dependencies: CommandDependencies,
  assignments: readonly string[],
  options: PropertiesSetOptions,
): Promise<void> {
  const client = serviceClient(dependencies);
  const { print } = dependencies;
  if (options.undo !== undefined) {
    const others = [options.remove, options.filter, options.where, options.property, options.dryRun];
    if (assignments.length > 0 || others.some((option) => option !== undefined)) {
      throw new UsageError('--undo stands alone: what it restores follows from the job.');
    }
    const { data } = await client.jobs.undo(options.undo);
    return report(dependencies, await whenEnded(client, dependencies, data), options);
  }
  const body = bodyOf(assignments, options);
  if (options.dryRun === true) {
    const { data } = await client.requests.previewChange(body);
    print(options.json === true ? jsonText(data, 2) : dryRunText(data));
    return;
  }
  const { data } = await client.requests.change(body);
  report(dependencies, await whenEnded(client, dependencies, data), options);
}

function bodyOf(assignments: readonly string[], options: PropertiesSetOptions) {
  const { remove = [] } = options;
  if (options.filter === undefined && options.where === undefined && options.property === undefined) {
    throw new UsageError('Say which requests: --where, --property or --filter; --filter all means every request.');
  }
  const filter = filterOf(options);
  const set = assignments.map((assignment): readonly [string, string] => {
    const at = assignment.indexOf('=');
    if (at < 1) throw new UsageError(`"${printable(assignment)}" is no assignment; write a name and a value: Team=search.`);
    return [assignment.slice(0, at), assignment.slice(at + 1)];
  });
  const twice = set.find(([name], index) => set.findIndex(([other]) => other === name) !== index)?.[0];
  if (twice !== undefined) throw new UsageError(`The property ${printable(twice)} is assigned twice.`);
  if (set.length + remove.length === 0) throw new UsageError('Name at least one property: Team=search, or --remove Draft.');
  return { filter, set: Object.fromEntries(set), remove };
}

/** TRICKY: a job outlives this command, and goes on when the service is back. */
async function whenEnded(client: GatelogClient, dependencies: CommandDependencies, ordered: Job): Promise<Job> {
  const { progress, hint, now } = dependencies;
  let job = ordered;
  let awaySince: number | undefined;
  try {
    for (let pauseMs = firstLookMs; job.ended_at === null; pauseMs = Math.min(pauseMs * 2, maxLookMs)) {
      progress(progressText(job, now()));
      await wait(pauseMs);
      const found = await jobNow(client, job.job_id);
      if ('job_id' in found) {
        [job, awaySince] = [found, undefined];
        continue;
      }
      if (awaySince === undefined) hint(`${found.away} The job ${job.job_id} goes on when the service is back.`);
      awaySince ??= now();
      if (now() - awaySince > maxAwayMs) throw new CommandError(`How the job ends is not known. Look again: GET /v1/jobs/${job.job_id}.`);
    }
    return job;
  } finally {
    progress('');
  }
}

async function jobNow(client: GatelogClient, id: string): Promise<Job | { readonly away: string }> {
  try {
    return (await client.jobs.get(id)).data;
  } catch (error) {
    if (isAway(error)) return { away: sentenceOf(error) };
    throw error;
  }
}

function progressText({ job_id: id, state, total, done, started_at: startedAt, error }: Job, now: number): string {
  if (error !== null) return `Job ${id}: ${printable(error)}`;
  if (state === 'queued') return `Job ${id} waits for an earlier one`;
  if (total === null || startedAt === null) return `Job ${id}: listing requests`;
  const elapsedMs = Math.max(0, now - Date.parse(startedAt));
  return `Job ${id}: ${progressLine('requests', { done, total, elapsedMs, doneBefore: 0 })}`;
}

/** @throws CommandError when the job has failed. */
function report({ print }: CommandDependencies, job: Job, { json }: PropertiesSetOptions): void {
  if (json === true) print(jsonText(job, 2));
  else print(jobText(job));
  if (job.state !== 'done') throw new CommandError(`The job ${job.job_id} ended as ${job.state}. ${job.error ?? ''}`.trim());
}

function jobText(job: Job): string {
  const verb = job.kind === 'undo' ? 'restored' : 'changed';
  const others = [
    [job.unchanged, 'were so already'],
    [job.changed_since, 'kept what was changed since'],
    [job.refused, 'would have had too many or too long properties'],
    [job.gone, 'are gone'],
  ] as const;
  const rest = others.filter(([count]) => count > 0).map(([count, text]) => `, ${shownNumber(count)} ${text}`);
  const head = `${requestsOf(job.total ?? 0)}, ${shownNumber(job.changed)} ${verb}${rest.join('')}.`;
  return job.kind === 'undo' ? head : `${head}\nUndo: gatelog properties set --undo ${job.job_id}`;
}

function requestsOf(count: number): string {
  return `${shownNumber(count)} ${count === 1 ? 'request' : 'requests'}`;
}

function dryRunText({ total, changing, sample }: BulkPropertyDryRun): string {
  const head = `${requestsOf(total)} match${total === 1 ? 'es' : ''}, ${shownNumber(changing)} would change.`;
  const rows = sample.flatMap(({ request_id: id, request_created_at: time, before, after }) =>
    Object.entries(after).map(([name, value]) => [id, time, name, before[name] ?? '', value ?? '']),
  );
  return rows.length === 0 ? head : `${head}\n\n${textTable([['REQUEST', 'TIME', 'PROPERTY', 'BEFORE', 'AFTER'], ...rows])}`;
}
