import { setTimeout as wait } from 'node:timers/promises';
import { type StoreCopyAnswer, storeCopyAnswerSchema, storeCopyStopSchema } from '../../contract/operator.ts';
import { type CommandContext, CommandError, UsageError } from '../base/dependencies.ts';
import { exitCodes } from '../base/exit-codes.ts';
import { operatorClient } from '../base/operator-client.ts';
import { secretValue } from '../base/standard-input.ts';
import { shownAmount } from '../base/progress.ts';

export interface StoreCopyOptions {
  readonly to?: string;
  readonly switch?: true;
  /** Seconds that changes wait at most. */
  readonly hold: number;
  readonly stop?: true;
}

const lookEveryMs = 500;
/** A core that was killed is back after seconds. */
const maxAwayMs = 60_000;

/** `gatelog store copy`: begins a copy in the running service, and shows how far it is until it ends. Ended by Ctrl-C, the copy goes on. */
export async function copyStore(context: CommandContext, options: StoreCopyOptions): Promise<void> {
  const { switch: chosen, hold, stop } = options;
  const client = operatorClient(context);
  if (stop === true) {
    const { stopped } = await client.ask({ method: 'POST', path: '/store/copy/stop', body: {} }, storeCopyStopSchema);
    context.hint(stopped ? 'Stopped. What was copied stays; the next copy goes on from there.' : 'No copy runs.');
    return;
  }
  if (options.to === undefined) {
    throw new UsageError('Say where to: --to embedded, or --to with the address of the servers, as GATELOG_CLICKHOUSE_URL has it.');
  }
  const to = await secretValue(options.to);
  const begin = { method: 'POST', path: '/store/copy', body: { to, switch: chosen === true, hold_ms: hold * 1000 } } as const;
  let answer = await client.ask(begin, storeCopyAnswerSchema);
  try {
    while (answer.state === 'copying') {
      context.progress(progressOf(answer));
      await wait(lookEveryMs);
      answer = await patiently(() => client.ask({ method: 'GET', path: '/store/copy' }, storeCopyAnswerSchema));
      // The service was started again meanwhile: a copy compares what is there, and goes on.
      if (answer.state === 'none') answer = await patiently(() => client.ask(begin, storeCopyAnswerSchema));
    }
  } finally {
    context.progress('');
  }
  if (answer.state === 'failed') throw new CommandError(failureOf(answer));
  for (const line of linesOf(answer, to)) context.hint(line);
}

/** Waits while the service is being started again. */
async function patiently<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  const until = performance.now() + maxAwayMs;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof CommandError) || error.exitCode !== exitCodes.unreachable || performance.now() > until) throw error;
      await wait(lookEveryMs);
    }
  }
}

function failureOf({ reason, may_try_again: mayTryAgain }: StoreCopyAnswer): string {
  const sentence = `The copy ended: ${reason ?? ''}`.replace(/\.?$/, '.');
  return mayTryAgain === true ? `${sentence} What was copied stays; run the command again.` : sentence;
}

function progressOf({ round, pieces, rows, table, at }: StoreCopyAnswer): string {
  const which = round === 0 ? 'last round, changes wait' : `round ${round ?? 1}`;
  if (table === null || table === '') return `Comparing (${which})`;
  const copied = (pieces ?? 0) === 0 ? '' : `, ${shownAmount(rows ?? 0, 'row')} copied`;
  return `Comparing ${table} of ${at?.slice(0, 10) ?? ''} (${which}${copied})`;
}

function linesOf({ state, location, days, rows, at }: StoreCopyAnswer, to: string): readonly string[] {
  const compared = `${shownAmount(rows ?? 0, 'request')} of ${shownAmount(days ?? 0, 'day')}, with bodies and histories, are equal in both`;
  if (state === 'equal') {
    return [`${compared}, as they were at ${at ?? ''}. What came since is not in the copy: run the command again, with --switch to move.`];
  }
  const next =
    to === 'embedded' ? 'start Gatelog without GATELOG_CLICKHOUSE_URL' : 'start Gatelog with this address as GATELOG_CLICKHOUSE_URL';
  return [
    `${compared}. The records are in ${location ?? ''} since ${at ?? ''}.`,
    `Now ${next}: until then calls are recorded in the spool, and changes are answered 503.`,
  ];
}
