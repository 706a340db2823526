/** How keys of others begin, the longest first. */
const issuers: readonly (readonly [string, string])[] = [
  ['sk-ant-', 'Anthropic'],
  ['sk-proj-', 'OpenAI'],
  ['sk-svcacct-', 'OpenAI'],
  ['sk-or-', 'OpenRouter'],
  ['sk-lf-', 'Langfuse'],
  ['pk-lf-', 'Langfuse'],
  ['AIza', 'Google'],
  ['gsk_', 'Groq'],
  ['xai-', 'xAI'],
  ['pplx-', 'Perplexity'],
  ['hf_', 'Hugging Face'],
  ['lsv2_', 'LangSmith'],
  ['sk-', 'OpenAI or another provider'],
];

/** Who issues keys that begin like this one; undefined: not known. */
export function issuerOf(key: string): string | undefined {
  return issuers.find(([begin]) => key.startsWith(begin))?.[1];
}
