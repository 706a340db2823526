import { ApiError } from '../../client/client.ts';
import { printable } from '../../config/text-table.ts';
import { AwayError, CommandError, UsageError } from './dependencies.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';

const advice = 'set GATELOG_API_URL to the address that "gatelog serve" shows as API';

/** What a failure says to people: what is wrong, where, and what helps. */
export function sentenceOf(error: unknown): string {
  if (!(error instanceof ApiError)) return error instanceof Error ? error.message : String(error);
  const message = printable(error.message);
  if (error.code === 'unreachable') return `${message} Start it with "gatelog serve", or ${advice}.`;
  if (error.code === 'not_gatelog') return `${message.replace(/\.$/, '')}: ${advice}.`;
  return error.place === undefined ? message : `${message} (at ${printable(error.place)})`;
}

/** Whether the same may succeed later. */
export function isAway(error: unknown): boolean {
  return error instanceof AwayError || (error instanceof ApiError && error.isAway);
}

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof UsageError) return exitCodes.misused;
  if (error instanceof CommandError) return error.exitCode;
  if (!(error instanceof ApiError)) return exitCodes.failed;
  if (error.isAway || error.code === 'not_gatelog') return exitCodes.unreachable;
  return byStatus[error.status] ?? exitCodes.failed;
}

const byStatus: Readonly<Record<number, ExitCode>> = {
  400: exitCodes.misused,
  401: exitCodes.notAllowed,
  403: exitCodes.notAllowed,
  404: exitCodes.notFound,
  422: exitCodes.misused,
};
