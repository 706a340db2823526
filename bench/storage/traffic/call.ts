import { between, type Draw, prose } from './text.ts';

/** One call of an application: its bodies as they pass, and its tags. */
export interface Call {
  readonly request: string;
  readonly response: string;
  readonly userId: string;
  readonly sessionId?: string;
}

/** The number of a call among all. */
export interface CallPlace {
  readonly call: number;
  readonly calls: number;
}

/** Users say it in two calls. */
export const rareWord = 'chrysanthemum';
/** A user says it in one call of four. */
export const commonPhrase = 'quarterly report';

const userCount = 300;

/** What a user says in a call, with the words that the searches look for. */
export function userText(draw: Draw, { call, calls }: CallPlace, bytes: number): string {
  const isRare = call === Math.floor(calls / 3) || call === Math.floor((calls * 2) / 3);
  return `${prose(draw, bytes)}${isRare ? ` ${rareWord}` : ''}${call % 4 === 0 ? ` ${commonPhrase}` : ''}`;
}

export function userOf(draw: Draw): string {
  return `user-${between(draw, 1, userCount)}`;
}
