export const exitCodes = { done: 0, failed: 1, misused: 2, notFound: 3, notAllowed: 4, unreachable: 5 } as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** What they mean, for the help and the reference. */
export const exitCodeMeanings: readonly (readonly [ExitCode, string])[] = [
  [exitCodes.done, 'done'],
  [exitCodes.failed, 'failed'],
  [exitCodes.misused, 'the command line or a value in it cannot be understood'],
  [exitCodes.notFound, 'no such request, session, user or job'],
  [exitCodes.notAllowed, 'no key, an unknown one, or one that may not do this'],
  [exitCodes.unreachable, 'no service answers, or it cannot work now'],
];
