import { GatelogError, messageOf } from '../../model/errors.ts';
import type { CopyRound } from '../../store/copy/copy-store.ts';
import { failureText } from '../../store/engine/failure.ts';
import { isLasting } from './copy-failures.ts';

export interface Copying {
  readonly state: 'copying';
  readonly location: string;
  /** From 1; of the last one, while changes wait, 0. */
  readonly round: number;
  /** What this round has copied. */
  readonly pieces: number;
  readonly rows: number;
  /** What it compares, and of which day. */
  readonly table: string;
  readonly at: number;
}

export interface Copied {
  readonly state: 'equal' | 'moved';
  readonly location: string;
  readonly days: number;
  readonly rows: number;
  readonly at: number;
}

/** What a copy has come to. Times are Unix milliseconds. */
export type CopyState =
  | { readonly state: 'none' }
  | Copying
  | Copied
  | { readonly state: 'failed'; readonly location: string; readonly reason: string; readonly mayTryAgain: boolean };

export function failedState(location: string, error: unknown): CopyState {
  if (!(error instanceof GatelogError)) return { state: 'failed', location, reason: messageOf(error), mayTryAgain: true };
  return { state: 'failed', location, reason: failureText(error), mayTryAgain: !isLasting(error) };
}

export function sizeOf({ days }: CopyRound): { readonly days: number; readonly rows: number } {
  const requests = [...days].filter(([day]) => day.startsWith('requests '));
  return { days: requests.length, rows: requests.reduce((sum, [, rows]) => sum + rows, 0) };
}
