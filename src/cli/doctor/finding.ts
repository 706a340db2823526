/** What a check has found. */
export interface Finding {
  /** One word that names the check; several findings may share it. */
  readonly check: string;
  readonly state: FindingState;
  /** What is so, in a sentence. It holds no secret. */
  readonly says: string;
  /** What to do about it. */
  readonly remedy?: string | undefined;
}

export type FindingState = 'ok' | 'warn' | 'fail' | 'skip';

export function ok(check: string, says: string): Finding {
  return { check, state: 'ok', says };
}

export function warn(check: string, says: string, remedy?: string): Finding {
  return { check, state: 'warn', says, remedy };
}

export function fail(check: string, says: string, remedy: string): Finding {
  return { check, state: 'fail', says, remedy };
}

export function skip(check: string, says: string, remedy?: string): Finding {
  return { check, state: 'skip', says, remedy };
}
