export interface SignInSearch {
  /** Where to go then. */
  readonly next?: string;
  /** Somebody was signed in before. */
  readonly expired?: true;
  /** The issuer of accounts has sent the browser back. */
  readonly finish?: true;
}

/** An address that stands in a link must lead to this site. */
export function signInSearchOf({ next, expired, finish }: Readonly<Record<string, unknown>>): SignInSearch {
  return {
    ...(typeof next === 'string' && /^\/(?![/\\])/.test(next) ? { next } : {}),
    ...(expired === true ? { expired } : {}),
    ...(finish === true ? { finish } : {}),
  };
}
