import { nearestName } from '../../model/nearest-name.ts';

/** A header with our prefix that is no directive. */
export interface UnknownHeader {
  readonly name: string;
  /** The text after the prefix, lower case. */
  readonly suffix: string;
  readonly prefixLength: number;
}

/** Directives of Helicone's gateway that this one does not carry out, by suffix, and how the call goes on without them. */
export const foreignDirectives: ReadonlyMap<string, string> = new Map([
  ['llm-security-advanced', 'nothing is blocked for it; the plain check only marks the record'],
  ['moderations-enabled', 'no text is moderated or blocked'],
  ['prompt-security-enabled', 'nothing is checked or blocked for it'],
  ['token-limit-exception-handler', 'a prompt that is too long is sent as it is'],
  ['webhook-enabled', 'webhooks do not depend on it'],
  ['posthog-key', 'nothing is sent to PostHog'],
  ['posthog-host', 'nothing is sent to PostHog'],
  ['lytix-key', 'nothing is sent to Lytix'],
  ['lytix-host', 'nothing is sent to Lytix'],
  ['stream-force-format', 'the stream is passed on as it comes'],
  ['increase-timeout', 'the time-outs are those of the deployment'],
  ['prompt-format', 'the prompt is sent as it is'],
  ['prompt-mode', 'the prompt is sent as it is'],
  ['prompt-name', 'the prompt has no name on record'],
  ['manual-access-key', 'nothing is looked up by it'],
  ['gateway-body-mapping', 'the body is sent as it is'],
  ['target-provider', 'the address of the call and its model name the provider'],
  ['experiment-column-id', 'the record names the experiment alone'],
  ['experiment-row-index', 'the record names the experiment alone'],
  ['jwt', 'calls are made with a Gatelog key'],
  ['org-id', 'the key names the organisation'],
]);

/** @param known suffixes of our headers, the nearest of which is suggested; undefined: no suggestion. */
export function unknownHeaderWarning(header: UnknownHeader, known: Iterable<string> | undefined): string {
  const consequence = foreignDirectives.get(header.suffix);
  if (consequence !== undefined) return `${header.name} is NOT carried out by this gateway: ${consequence}`;
  const nearest = known === undefined ? undefined : nearestHeader(header, [...known]);
  return `${header.name} is not a header that this gateway knows and was ignored${nearest === undefined ? '' : ` (did you mean ${nearest}?)`}`;
}

function nearestHeader({ name, suffix, prefixLength }: UnknownHeader, known: readonly string[]): string | undefined {
  const prefix = inTitleCase(name.slice(0, prefixLength));
  const nearest = nearestName(suffix, known);
  if (nearest !== undefined) return prefix + inTitleCase(nearest);
  const dash = suffix.indexOf('-');
  if (dash === -1 || nearestName(suffix.slice(0, dash), ['property']) === undefined) return undefined;
  return `${prefix}Property${name.slice(prefixLength + dash)}`;
}

function inTitleCase(name: string): string {
  return name.replaceAll(/(?<=^|-)[a-z]/gu, (letter) => letter.toUpperCase());
}
