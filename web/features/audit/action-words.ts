/** What is written in capitals inside a sentence. */
const capitals: ReadonlyMap<string, string> = new Map(['api', 'mcp', 'url'].map((word) => [word, word.toUpperCase()]));

/** The name of an operation as words: `revokeApiKey` is "Revoke API key". */
export function actionWords(action: string): string {
  const words = action
    .split(/(?=[A-Z])/)
    .map((word) => word.toLowerCase())
    .map((word) => capitals.get(word) ?? word)
    .join(' ');
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}
