/**
 * Shapes of keys by their issuers. Invariant: each starts with fixed characters, and no text that it has read can still fail, so that
 * searching takes linear time.
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
  // Any bearer token.
  '[Bb]earer +[\\w.~+/=-]{16,}',
];

/** With its content; the end may be cut off. */
const privateKey = '-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?:[^-]|-(?!----))*(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?';

/** Not after a letter or digit: `task-…` is no key. The letter of an escape such as `\n` in truncated JSON does not count. */
const anyKey = new RegExp(`(?:(?<![A-Za-z0-9])|(?<=\\\\[bfnrt]))(?:${shapes.join('|')})|${privateKey}`, 'g');

/** Replaces keys of known shapes and JSON Web Tokens. */
export function redactKeys(text: string, replacement: string): string {
  return redactTokens(text, replacement).replaceAll(anyKey, () => replacement);
}

/** Between the first two parts of a JSON Web Token. */
const middleOfToken = '.eyJ';
/** From the middle on. */
const restOfToken = /\.eyJ[\w-]{8,}\.[\w-]*/y;
const partStart = 'eyJ';
const minPartLength = partStart.length + 8;

/**
 * Replaces JSON Web Tokens, with `Bearer` before them. TRICKY: searches outwards from the middle. A pattern that starts with the first part
 * takes quadratic time on a run of such starts, which nothing but its end tells from a token.
 */
function redactTokens(text: string, replacement: string): string {
  let result = '';
  let done = 0;
  for (let middle = text.indexOf(middleOfToken); middle !== -1; middle = text.indexOf(middleOfToken, Math.max(done, middle + 1))) {
    const start = startOfToken(text, done, middle);
    restOfToken.lastIndex = middle;
    if (start === undefined || !restOfToken.test(text)) continue;
    result += text.slice(done, startOfBearer(text, done, start)) + replacement;
    done = restOfToken.lastIndex;
  }
  return done === 0 ? text : result + text.slice(done);
}

/** Where the first part begins whose end is at `end`. */
function startOfToken(text: string, from: number, end: number): number | undefined {
  let runStart = end;
  while (runStart > from && isTokenCharacter(text.charCodeAt(runStart - 1))) runStart -= 1;
  const run = text.slice(runStart, end);
  for (let index = run.indexOf(partStart); index !== -1 && run.length - index >= minPartLength; index = run.indexOf(partStart, index + 1)) {
    if (mayStartKey(text, runStart + index)) return runStart + index;
  }
  return undefined;
}

function startOfBearer(text: string, from: number, start: number): number {
  let end = start;
  while (end > from && text[end - 1] === ' ') end -= 1;
  const bearer = end - 'bearer'.length;
  return end < start && bearer >= from && /^[Bb]earer$/.test(text.slice(bearer, end)) && mayStartKey(text, bearer) ? bearer : start;
}

/** As the look-behind of {@link anyKey} says. */
function mayStartKey(text: string, at: number): boolean {
  return !/[A-Za-z0-9]$/.test(text.slice(Math.max(0, at - 1), at)) || /\\[bfnrt]$/.test(text.slice(Math.max(0, at - 2), at));
}

/** Letters, digits, `_` and `-`. */
function isTokenCharacter(code: number): boolean {
  const letter = code | 0x20;
  return (letter >= 0x61 && letter <= 0x7a) || (code >= 0x30 && code <= 0x39) || code === 0x5f || code === 0x2d;
}
