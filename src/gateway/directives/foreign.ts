/** Headers that Helicone's gateway carries out and this one does not, by the text after the prefix, with what a call goes on without. */
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
]);
