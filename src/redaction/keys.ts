/**
 * Shapes of keys, as those who issue them make them.
 * Invariant: each begins with fixed characters and goes on with single classes of characters, so that nothing is ever tried twice.
 */
const shapes: readonly string[] = [
  // OpenAI, Anthropic (sk-ant-), OpenRouter (sk-or-), DeepSeek and ours (sk-svc-), Helicone's.
  '[sp]k-[\\w.-]{16,}',
  // Google.
  'AIza[\\w-]{30,}',
  'ya29\\.[\\w-]{20,}',
  // Groq, xAI, Perplexity, NVIDIA, Cerebras, Fireworks, Hugging Face, Replicate.
  '(?:gsk_|xai-|pplx-|nvapi-|csk-|fw_|hf_|r8_)[\\w-]{20,}',
  // Amazon.
  '(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}',
  'bedrock-api-key-[\\w+/=-]{20,}',
  // GitHub, GitLab, npm.
  'gh[oprsu]_[A-Za-z0-9]{20,}',
  'github_pat_\\w{20,}',
  'glpat-[\\w-]{20,}',
  'npm_[A-Za-z0-9]{30,}',
  // Slack.
  'xox[a-z]-[A-Za-z0-9-]{10,}',
  'xapp-[A-Za-z0-9-]{10,}',
  // Stripe, Standard Webhooks, SendGrid.
  '[rsp]k_(?:live|test)_[A-Za-z0-9]{16,}',
  'whsec_[\\w+/=]{16,}',
  'SG\\.[\\w-]{16,}\\.[\\w-]{16,}',
  // JSON Web Tokens.
  'eyJ[\\w-]{8,}\\.eyJ[\\w-]{8,}\\.[\\w-]*',
  // Whatever is sent as a bearer token.
  '[Bb]earer +[\\w.~+/=-]{16,}',
];

/** With what is inside of it, also when it was cut off before its end. */
const privateKey = '-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?:[^-]|-(?!----))*(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?';

/** No letter or digit before it: `task-…` is none. An escape such as `\n` of a text that is JSON but was cut is no letter. */
const anyKey = new RegExp(`(?:(?<![A-Za-z0-9])|(?<=\\\\[bfnrt]))(?:${shapes.join('|')})|${privateKey}`, 'g');

/** Replaces keys of known shapes. */
export function redactKeys(text: string, replacement: string): string {
  return text.replaceAll(anyKey, () => replacement);
}
