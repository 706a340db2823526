/**
 * Shapes of keys by their issuers. Invariant: each starts with fixed characters and continues with single character classes, so that
 * matching never backtracks.
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
  // Any bearer token.
  '[Bb]earer +[\\w.~+/=-]{16,}',
];

/** With its content; the end may be cut off. */
const privateKey = '-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?:[^-]|-(?!----))*(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?';

/** Not after a letter or digit: `task-…` is no key. The letter of an escape such as `\n` in truncated JSON does not count. */
const anyKey = new RegExp(`(?:(?<![A-Za-z0-9])|(?<=\\\\[bfnrt]))(?:${shapes.join('|')})|${privateKey}`, 'g');

export function redactKeys(text: string, replacement: string): string {
  return text.replaceAll(anyKey, () => replacement);
}
