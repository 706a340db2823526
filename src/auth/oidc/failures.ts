import { GatelogError, messageOf } from '../../model/errors.ts';

/** How the library tells of a failure; its classes are not loaded here. */
interface LibraryFailure {
  readonly code?: unknown;
  /** As the issuer words it, by RFC 6749. */
  readonly error?: unknown;
  readonly error_description?: unknown;
  readonly cause?: unknown;
}

const libraryFailure = /^OAUTH_/;
const maxCauses = 4;
/** In characters. */
const maxReason = 1000;

/** What a refusal of the issuer means, by RFC 6749 and OpenID Connect. */
const refusals: Readonly<Record<string, string>> = {
  access_denied: 'The issuer has refused the sign-in: the account may not use Gatelog, or somebody has cancelled.',
  invalid_grant: 'This sign-in was used already or has waited too long. Begin again.',
  invalid_client: 'The issuer does not take the client of this deployment; check GATELOG_OIDC_CLIENT_ID and GATELOG_OIDC_CLIENT_SECRET.',
  unauthorized_client: 'The issuer does not allow the client of this deployment to sign people in by code; allow that there.',
  invalid_scope: 'The issuer does not know a scope that is asked of it; check GATELOG_OIDC_SCOPES.',
};

/** Whether the issuer has ended what a refresh token stands for: the account, its session there, or the grant. */
export function hasEnded(thrown: unknown): boolean {
  return failureIn(thrown)?.error === 'invalid_grant';
}

/** Whether the issuer has refused something else than what a refresh token stands for: too many requests, the client of this deployment. */
export function isUndecided(thrown: unknown): boolean {
  const error = failureIn(thrown)?.error;
  return typeof error === 'string' && error !== 'invalid_grant' && error !== 'access_denied';
}

/** What failed, for the log: the sentence for people, and the words of the library and the issuer. They hold no token and no claim's value. */
export function reasonOf(thrown: unknown): string {
  const words: string[] = [];
  for (let error = thrown; error instanceof Error && words.length < maxCauses; error = error.cause) {
    const { error: refusal, error_description: description } = error as LibraryFailure;
    const told = [refusal, description].filter((text) => typeof text === 'string').join(', ');
    words.push(told === '' ? error.message : `${error.message} (${told})`);
  }
  return words.join(': ').slice(0, maxReason);
}

/** What failed, as a sentence for people that names the remedy. @param issuer its address. */
export function explainFailure(thrown: unknown, issuer: string): GatelogError {
  if (thrown instanceof GatelogError) return thrown;
  const failure = failureIn(thrown);
  if (failure === undefined) return awayError(thrown, issuer);
  const { code, error } = failure;
  if (typeof error === 'string') return refusedBy(error, thrown);
  if (code === 'OAUTH_TIMEOUT' || code === 'OAUTH_ABORT' || code === 'OAUTH_RESPONSE_IS_NOT_CONFORM') return awayError(thrown, issuer);
  return new GatelogError('permission_denied', sentenceOf(failure), { cause: thrown });
}

function refusedBy(error: string, cause: unknown): GatelogError {
  const sentence = refusals[error] ?? `The issuer has refused the sign-in (${error.slice(0, 100)}). Begin again, or ask who runs it.`;
  return new GatelogError('permission_denied', sentence, { cause });
}

function sentenceOf(failure: LibraryFailure): string {
  switch (failure.code) {
    case 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED':
      return "The issuer's clock and ours are more than a minute apart, or its answer has expired. Set the clocks of both machines by NTP.";
    case 'OAUTH_JWT_CLAIM_COMPARISON_FAILED':
    case 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED':
      return `The answer is not the one for this sign-in: its ${claimOf(failure)} is another. Begin again; if it stays so, check GATELOG_OIDC_ISSUER and GATELOG_OIDC_CLIENT_ID.`;
    case 'OAUTH_KEY_SELECTION_FAILED':
      return 'The answer is signed with a key that the issuer does not name.';
    case 'OAUTH_INVALID_RESPONSE':
      return 'The answer is not valid: it belongs to another sign-in, or its signature is not that of the issuer. Begin again.';
    default:
      return 'The answer of the issuer cannot be used; the log of the service says why.';
  }
}

/** The claim that differs, as the library names it beside the failure. */
function claimOf({ cause }: LibraryFailure): string {
  const details = (cause instanceof Error ? cause.cause : cause) as { readonly claim?: unknown; readonly attribute?: unknown } | undefined;
  const name = details?.claim ?? details?.attribute;
  return typeof name === 'string' ? name : 'content';
}

/** @param issuer its address. */
export function awayError(thrown: unknown, issuer: string): GatelogError {
  const { host } = new URL(issuer);
  return new GatelogError(
    'issuer_unavailable',
    `The issuer ${host} does not answer as one should; sign in with a key, or try again shortly.`,
    {
      cause: new Error(`${issuer}: ${messageOf(thrown)}`, { cause: thrown }),
    },
  );
}

function failureIn(thrown: unknown): LibraryFailure | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const failure = thrown as LibraryFailure;
  return typeof failure.code === 'string' && libraryFailure.test(failure.code) ? failure : undefined;
}
